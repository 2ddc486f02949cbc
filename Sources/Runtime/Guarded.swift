internal import CLinux
import Glibc

// @unchecked: `value` is touched only between lock and unlock of `mutex`.
/// A value behind a lock, for what loops share: snapshots replaced whole, short counters.
///
/// A pthread mutex rather than `Synchronization.Mutex`, because the thread sanitizer knows it. Hold
/// it for a few instructions; never await, block or call out inside.
@safe package final class Guarded<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Guards `value`, which nothing else may reach from now on.
    package init(_ value: sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the value.
    ///
    /// - Throws: what `body` throws; its changes up to there stay.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// A copy of the value as it is now.
    package var current: Value { withLock { $0 } }

    /// Puts `new` in the place of the value.
    package func replace(with new: sending Value) {
        // The old value is released after the lock: what its end runs may come back here.
        _ = withLock { value in
            defer { value = new }
            return value
        }
    }
}
