internal import CLinux
import Glibc

extension FileReading {
    /// Why a file that nobody named was not read.
    package enum Distrust: Error, Hashable, Sendable, CustomStringConvertible {
        /// Somebody else may have put there what is at this path, or in it.
        case stranger(Stranger, at: String)
        /// What is at this path is a symbolic link, which may lead to what is another's.
        case link(at: String)
        /// Nobody else is to blame.
        case unread(Failure)

        /// In words that follow the file's path and a colon.
        package var description: String {
            switch self {
            case .stranger(.owner(let number), at: let part): "\(part) belongs to user \(number)"
            case .stranger(.others(let mode), at: let part):
                "\(part) may be written by others (mode \(String(mode, radix: 8)))"
            case .link(at: let part): "\(part) is a symbolic link"
            case .unread(let why): why.description
            }
        }
    }

    /// The content of a file below the working directory that is root's or ours, as are all folders
    /// on the way to it (decision 0221); at most `bytesMax` bytes.
    ///
    /// Each part is opened in the one before it, and asked whose it is when it is open: nobody can
    /// put another in its place meanwhile. The working directory itself may be anybody's: what
    /// others put there belongs to them.
    package static func unaskedBytes(at path: String, bytesMax: Int) throws(Distrust) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw .unread(.missing) }
        var (descriptor, part) = (Int32(-1), "")
        defer { if descriptor >= 0 { close(descriptor) } }
        for name in path.split(separator: "/") {
            part += part.isEmpty ? "\(name)" : "/\(name)"
            let next = unsafe clinux_open_read_at(descriptor, String(name))
            guard next >= 0 else {
                let why = failure("openat")
                if why == .symbolicLink { throw .link(at: part) }
                throw .unread(why)
            }
            if descriptor >= 0 { close(descriptor) }
            descriptor = next
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .unread(failure("fstat")) }
            if let stranger = strangers(of: status).first { throw .stranger(stranger, at: part) }
        }
        do throws(Failure) {
            _ = try status(descriptor)
            return try content(descriptor, bytesMax)
        } catch { throw .unread(error) }
    }
}
