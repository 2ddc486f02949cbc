package import Runtime

/// Why a file of keys was not read or written; each names the file.
package enum KeyFileError: Error, Hashable, CustomStringConvertible {
    case unreadable(path: String, FileReading.Failure)
    case unwritable(path: String, SystemError)
    /// Not a file this program wrote.
    case malformed(path: String)
    /// Sealed under another key encryption key, or altered.
    case foreign(path: String)
    /// The key encryption key is not 32 bytes, or the passphrase is shorter than 16 bytes.
    case weak(KeyEncryptionKey.Source)
    /// The second key encryption key is the first.
    case same(path: String, other: String)
    /// The program that unwraps the key encryption key gave none.
    case wrapped(program: String, Processes.FilterFailure)
    /// Others than root and this user may change the program that gets the key to see.
    case open(program: String)
    /// Others than root and this user may change what is in the directory.
    case exposed(directory: String, FileReading.Stranger)
    /// The library could not stretch the passphrase.
    case unstretched(path: String)

    /// Whether a start might work later: a key management service or a shared disk may be away for
    /// a moment, or this machine short of something.
    package var isTemporary: Bool {
        switch self {
        case .wrapped(_, .late), .wrapped(_, .ended), .unstretched: true
        case .wrapped(_, .system(let error)), .unreadable(_, .system(let error)): error.isPassing
        default: false
        }
    }

    /// One line that names the remedy.
    package var description: String {
        switch self {
        case .unreadable(let path, .wrongMode):
            "\(path) may be read by others: chmod 600 \(path)"
        case .unreadable(let path, .wrongOwner):
            "\(path) belongs to another user: chown it to the user of this process"
        case .unreadable(let path, .symbolicLink):
            "\(path) is a symbolic link: name the file itself"
        case .unreadable(let path, .missing): "\(path) does not exist"
        case .unreadable(let path, let why): "\(path) cannot be read: \(why)"
        case .unwritable(let path, let why): "\(path) cannot be written: \(why)"
        case .malformed(let path): "\(path) is no key file, or a damaged one"
        case .foreign(let path):
            "\(path) does not open under this key encryption key: give the one that sealed it, as "
                + "keys.former where another has taken its place"
        case .same(let path, let other):
            "\(path) and \(other) hold the same key: one must be another"
        case .weak(.credential(let path)):
            "\(path) must hold 32 bytes or 64 hexadecimal digits"
        case .weak(.passphrase(let path)): "\(path) must hold 16 bytes or more"
        case .weak(.wrapped(_, let command)):
            "\(command.first ?? "") must write 32 bytes or 64 hexadecimal digits, and nothing else"
        case .wrapped(let program, let why):
            switch why {
            case .late, .ended:
                "\(program) \(why): it says why above, or when this user gives it kek_file as input"
            case .system, .long: "\(program) \(why)"
            }
        case .open(let program):
            "\(program) may be changed by others: chown it to root, and chmod go-w \(program)"
        case .exposed(let path, .owner(let number)):
            "\(path) belongs to user \(number), who may change the keys in it: chown it to the "
                + "user of this process"
        case .exposed(let path, .others(let mode)):
            "\(path) may be written by others (mode \(String(mode, radix: 8))): chmod go-w \(path)"
        case .unstretched(let path):
            "\(path): the passphrase could not be stretched, which takes 128 MiB of memory"
        }
    }
}
