import Foundation
import Runtime
import Testing

/// What a crash, or another process of the same user, may see (Security 6).
@Suite("Dumps") struct DumpTests {
    /// prctl(2), which takes its arguments as C's variadic functions do.
    private typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

    @Test("a process that forbids them has none, and its memory is nobody's to read")
    func forbidden() async {
        await #expect(processExitsWith: .success) {
            Lifecycle.forbidDumps()
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
            let control = unsafe unsafeBitCast(dlsym(nil, "prctl"), to: Control?.self)
            let getDumpable: Int32 = 3
            #expect(control?(getDumpable, 0, 0, 0, 0) == 0)
        }
    }
}
