internal import CLinux
import Glibc

/// Which loop the calling thread runs: one slot of thread-local storage.
@safe enum LoopThread {
    private static let key: pthread_key_t = {
        var key: pthread_key_t = 0
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    static var identity: UInt { UInt(pthread_self()) }

    static var current: Loop? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<Loop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Makes `loop` current.
    static func take(_ loop: Loop) {
        unsafe pthread_setspecific(key, Unmanaged.passUnretained(loop).toOpaque())
    }

    /// Gives the calling thread, which was made for `loop`, its name.
    static func name(after loop: Loop) { unsafe clinux_name_thread(loop.name) }

    static func leave() { _ = pthread_setspecific(key, nil) }
}
