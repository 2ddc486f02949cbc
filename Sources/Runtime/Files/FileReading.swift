internal import CLinux
import Glibc

/// Reads small files whole: configuration, certificates, keys.
///
/// Blocking, so before the loops start or on the `BlockingExecutor`.
package enum FileReading {
    /// Why a file was not read.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// There is none at the path.
        case missing
        /// The process may not read it.
        case forbidden
        /// The path or its last part is a symbolic link.
        case symbolicLink
        /// It is a directory, device or pipe.
        case notRegular
        /// It is longer than asked for.
        case tooLarge(bytesMax: Int)
        /// It belongs to another user.
        case wrongOwner
        /// Group or others may read or write it; 0600 and 0400 are right.
        case wrongMode
        /// The system's reason.
        case system(SystemError)

        /// In words that follow the path and a colon.
        package var description: String {
            switch self {
            case .missing: "there is no such file"
            case .forbidden: "this user may not read it"
            case .symbolicLink: "it is a symbolic link; name the file itself"
            case .notRegular: "it is no regular file"
            case .tooLarge(let bytesMax): "it is longer than \(bytesMax) bytes"
            case .wrongOwner: "it belongs to another user"
            case .wrongMode: "others may read or write it; chmod 600"
            case .system(let why): why.description
            }
        }
    }

    /// The content of the file at `path`, at most `bytesMax` bytes.
    package static func bytes(at path: String, bytesMax: Int) throws(Failure) -> [UInt8] {
        let descriptor = try open(path, followingLinks: true)
        defer { close(descriptor) }
        _ = try status(descriptor)
        return try content(descriptor, bytesMax)
    }

    /// The last bytes of the file at `path`, which may have any length: at most `bytesMax`.
    package static func end(of path: String, bytesMax: Int) throws(Failure) -> [UInt8] {
        let descriptor = try open(path, followingLinks: true)
        defer { close(descriptor) }
        let size = Int(try status(descriptor).st_size)
        guard lseek(descriptor, off_t(max(0, size - bytesMax)), SEEK_SET) >= 0 else {
            throw failure("lseek")
        }
        // What is written meanwhile is left out.
        var bytes = [UInt8](repeating: 0, count: min(size, bytesMax))
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw failure("read") }
        return Array(bytes.prefix(count))
    }

    /// The content of a file of secrets: ours, for nobody else, not a link (Security 6).
    ///
    /// In the `credentials` of systemd, since its version 254, root's that root alone writes: there
    /// an access list lets us read, which shows as a right of the group.
    package static func secret(
        at path: String,
        bytesMax: Int,
        credentials: String? = Environment.value("CREDENTIALS_DIRECTORY")
    ) throws(Failure) -> Secret {
        let descriptor = try open(path, followingLinks: false)
        defer { close(descriptor) }
        let status = try status(descriptor)  // Of the open file: the path may change under us.
        try checkRights(
            owner: status.st_uid,
            mode: status.st_mode,
            reader: geteuid(),
            isCredential: isFile(path, in: credentials)
        )
        return try secretContent(descriptor, bytesMax)
    }

    /// As `secret`, for what people write into a file: without the newline at its end.
    package static func password(at path: String, bytesMax: Int) throws(Failure) -> Secret {
        try secret(at: path, bytesMax: bytesMax).withoutLastNewline
    }

    /// The names in a directory, without `.` and `..`, in the order of their bytes.
    package static func names(inDirectory path: String) throws(Failure) -> [String] {
        guard !path.utf8.contains(0), let directory = unsafe opendir(path) else {
            throw failure("opendir")
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                unsafe String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    static func checkRights(
        owner: uid_t,
        mode: mode_t,
        reader: uid_t,
        isCredential: Bool
    ) throws(Failure) {
        if isCredential, owner == 0, mode & 0o777 & ~0o440 == 0 { return }
        guard owner == reader else { throw .wrongOwner }
        guard mode & 0o077 == 0 else { throw .wrongMode }
    }

    private static func isFile(_ path: String, in directory: String?) -> Bool {
        guard let directory, !directory.isEmpty, path.utf8.starts(with: "\(directory)/".utf8) else {
            return false
        }
        return !path.utf8.dropFirst(directory.utf8.count + 1).contains(UInt8(ascii: "/"))
    }

    private static func open(
        _ path: String,
        followingLinks: Bool
    ) throws(Failure) -> Int32 {
        guard !path.utf8.contains(0) else { throw .missing }
        let descriptor = unsafe clinux_open_read(path, followingLinks ? 1 : 0)
        guard descriptor >= 0 else { throw failure("open") }
        return descriptor
    }

    static func status(_ descriptor: Int32) throws(Failure) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        return status
    }

    // Sized by what comes, not by st_size: files under /proc say zero.
    static func content(
        _ descriptor: Int32,
        _ bytesMax: Int
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("read") }
            guard bytes.count + count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    // Into one buffer that is long enough: one that grows leaves what it held in freed memory.
    private static func secretContent(
        _ descriptor: Int32,
        _ bytesMax: Int
    ) throws(Failure) -> Secret {
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        defer { Secret.wipe(&bytes) }
        var count = 0
        while count <= bytesMax {
            let more = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(
                    descriptor,
                    buffer.baseAddress?.advanced(by: count),
                    buffer.count - count
                )
            }
            if more < 0 && errno == EINTR { continue }
            guard more >= 0 else { throw failure("read") }
            if more == 0 { return Secret(copying: bytes.span.extracting(..<count)) }
            count += more
        }
        throw .tooLarge(bytesMax: bytesMax)
    }

    static func failure(_ call: String) -> Failure {
        let number = errno
        switch number {
        case ENOENT, ENOTDIR: return .missing
        case EACCES, EPERM: return .forbidden
        case ELOOP: return .symbolicLink
        default: return .system(SystemError(call: call, number: number))
        }
    }
}
