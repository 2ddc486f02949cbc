internal import CLinux
import Glibc

/// Writes small files whole: a reader sees the old content or the new, never a part.
///
/// Blocking.
package enum FileWriting {
    /// Puts `bytes` at `path` and makes them durable, replacing what was there.
    ///
    /// The file is for its owner alone (0600) unless `mode` says otherwise. Its directory must
    /// exist.
    /// - Throws: the failed call; then `path` is as it was, save for a crash between the last two.
    package static func replace(
        _ path: String,
        with bytes: [UInt8],
        mode: UInt32 = 0o600
    ) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(call: "open", number: EINVAL) }
        // Drawn: processes in containers have the same number, and may share the directory.
        let draft = "\(path).new-\(UInt64.random(in: 1 ... .max))"
        let descriptor = unsafe clinux_open_append(draft, mode)
        guard descriptor >= 0 else { throw .last("open") }
        do throws(SystemError) {
            defer { close(descriptor) }
            var rest = bytes[...]
            try write(&rest, to: descriptor)
            guard fsync(descriptor) == 0 else { throw .last("fsync") }
        } catch {
            unsafe unlink(draft)
            throw error
        }
        guard unsafe rename(draft, path) == 0 else {
            let error = SystemError.last("rename")
            unsafe unlink(draft)
            throw error
        }
        syncDirectory(of: path)
    }

    /// Makes a directory for its owner alone (0700); one that exists is left as it is.
    package static func makeDirectory(_ path: String) throws(SystemError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last("mkdir") }
    }

    /// Whether files can be made in a directory.
    ///
    /// Root, who may write everywhere, is told what the directory's owner may.
    package static func canMakeFiles(in directory: String) -> Bool {
        var status = stat()
        guard !directory.utf8.contains(0), unsafe stat(directory, &status) == 0,
            unsafe access(directory, W_OK | X_OK) == 0
        else { return false }
        return geteuid() != 0 || status.st_mode & 0o300 == 0o300
    }

    /// Writes until nothing is left of `rest`, however little a call takes.
    ///
    /// - Throws: the failed call; `rest` is what was not written.
    static func write(_ rest: inout ArraySlice<UInt8>, to descriptor: Int32) throws(SystemError) {
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { raw in
                unsafe Glibc.write(descriptor, raw.baseAddress, raw.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                usleep(1_000)  // Standard error may be a pipe somebody made non-blocking.
            } else if errno != EINTR {
                throw .last("write")
            }
        }
    }

    // The rename itself is durable only with its directory.
    private static func syncDirectory(of path: String) {
        let bytes = Array(path.utf8)
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? "."
        let descriptor = unsafe clinux_open_read(parent, 1)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }
}
