internal import CLinux
import Glibc

/// The wall clock, which people and other machines set: for records, never for deadlines.
package enum WallTime {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    package static func nowMicroseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec / 1_000)
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    package static func nowSeconds() -> Int64 { nowMicroseconds() / 1_000_000 }
}
