internal import COpenSSL

// @unchecked: `idle` is touched under `lock` alone, and a context belongs to one thread while
// it is out of the pool.
/// Initialised OpenSSL contexts of one key, reused: as many as threads used it at one time.
@safe final class ContextPool: @unchecked Sendable {
    private let lock: UnsafeMutableRawPointer?
    private var idle: [OpaquePointer] = unsafe []
    private let make: () -> OpaquePointer?
    private let free: (OpaquePointer) -> Void

    init(make: @escaping () -> OpaquePointer?, free: @escaping (OpaquePointer) -> Void) {
        unsafe lock = CRYPTO_THREAD_lock_new()
        unsafe self.make = make
        unsafe self.free = free
    }

    /// Lends a context to `body`; answers nil when none can be made.
    func withContext<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        guard let context = unsafe take() ?? make() else { return nil }
        defer { unsafe giveBack(context) }
        return unsafe body(context)
    }

    private func take() -> OpaquePointer? {
        unsafe CRYPTO_THREAD_write_lock(lock)
        defer { unsafe CRYPTO_THREAD_unlock(lock) }
        return unsafe idle.popLast()
    }

    private func giveBack(_ context: OpaquePointer) {
        unsafe CRYPTO_THREAD_write_lock(lock)
        defer { unsafe CRYPTO_THREAD_unlock(lock) }
        unsafe idle.append(context)
    }

    deinit {
        while let context = unsafe idle.popLast() { unsafe free(context) }
        unsafe CRYPTO_THREAD_lock_free(lock)
    }
}
