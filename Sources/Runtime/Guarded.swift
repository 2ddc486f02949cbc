internal import CLinux
import Glibc

// @unchecked: what `value` points to is touched only between lock and unlock of `mutex`.
/// A value behind a lock, for what loops share: snapshots replaced whole, short counters.
///
/// A pthread mutex rather than `Synchronization.Mutex`, because the thread sanitizer knows it. Hold
/// it for a few instructions; never await, block or call out inside.
@safe package final class Guarded<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // Behind a pointer: the lock keeps others out, so nobody need check at run time that it does.
    private let value: UnsafeMutablePointer<Value>

    /// Guards `value`, which nothing else may reach from now on.
    package init(_ value: sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Runs `body` alone with the value.
    ///
    /// - Throws: what `body` throws; its changes up to there stay.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }

    /// A copy of the value as it is now.
    package var current: Value { withLock { $0 } }

    /// Puts `new` in the place of the value; answers the old one.
    @discardableResult
    package func replace(with new: sending Value) -> Value {
        // The old value is released after the lock: what its end runs may come back here.
        withLock { value in
            defer { value = new }
            return value
        }
    }
}
