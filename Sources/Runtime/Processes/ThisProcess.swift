internal import CLinux
import Glibc

/// What a program asks about itself.
package enum ThisProcess {
    /// Its process number.
    package static var number: Int32 { getpid() }

    /// The directory it runs in, absolute; `/` when that was removed.
    package static var directory: String { resolved("/proc/self/cwd") ?? "/" }

    /// The file of its program, absolute; nil where /proc is not mounted.
    package static var program: String? { resolved("/proc/self/exe") }

    /// How many cores it may run on, at least 1.
    package static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The user it runs as; 0 is root.
    package static var userID: UInt32 { geteuid() }

    /// How many descriptors it may have open.
    package static var openFilesMax: UInt64 {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(kind, &limit) == 0 else { return 0 }
        return UInt64(limit.rlim_cur)
    }

    /// Ends it with an exit status, after what the libraries do at the end: for a command or a
    /// check, whose other threads do nothing any more.
    package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

    /// Ends it at once with an exit status, from any thread: what libraries clean up at an end
    /// others may still use, and a crash would be another status.
    package static func exitNow(_ status: Int32) -> Never { _exit(status) }

    private static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
