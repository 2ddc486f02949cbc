import Foundation
import Runtime
import Testing

@Suite("Time") struct TimeTests {
    static let moments: [(Int64, String, String)] = [
        (0, "1970-01-01T00:00:00.000000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400_000_000, "2000-02-29T00:00:00.000000Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
        (784_111_777_000_001, "1994-11-06T08:49:37.000001Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        (4_102_444_799_999_999, "2099-12-31T23:59:59.999999Z", "Thu, 31 Dec 2099 23:59:59 GMT"),
        (-1, "1969-12-31T23:59:59.999999Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
    ]
    @Test("civil time", arguments: moments)
    func civil(_ moment: (Int64, String, String)) {
        let civil = CivilTime(microseconds: moment.0)
        #expect(civil.rfc3339 == moment.1)
        #expect(civil.httpDate == moment.2)
    }

    @Test("every day of 400 years has the calendar's date") func days() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in stride(from: -73_000, to: 73_000, by: 97) {
            let civil = CivilTime(microseconds: Int64(day) * 86_400_000_000)
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: date)
            #expect(parts.year == civil.year)
            #expect(parts.month == civil.month)
            #expect(parts.day == civil.day)
            #expect(parts.weekday == civil.weekday + 1)
        }
    }

    @Test("no value of a clock traps") func extremes() {
        for value in [Int64.min, .min + 1, -1, 0, .max] {
            #expect(!CivilTime(microseconds: value).rfc3339.isEmpty)
        }
        let early = MonotonicInstant(nanoseconds: 5)
        #expect(early.advanced(by: .seconds(-10)).nanoseconds == 0)
        #expect(MonotonicInstant.distantFuture.advanced(by: .seconds(1)) == .distantFuture)
        #expect(early.advanced(by: .seconds(Int64.max)).nanoseconds == UInt64(Int64.max) + 5)
        #expect(early.since(early.advanced(by: .seconds(1))) == .zero)
        #expect(Duration.seconds(Int64.min).clampedNanoseconds == .min)
    }

    @Test(
        "a duration has whole nanoseconds, the rest is left out",
        arguments: [
            (0, 0, 0), (0, 999_999_999, 0), (0, 1_000_000_000, 1), (0, 1_999_999_999, 1),
            (0, -999_999_999, 0), (0, -1_000_000_000, -1), (-1, 0, -1_000_000_000),
            (9, 999_999_999_999_999_999, 9_999_999_999), (10, 511, 10_000_000_000),
            // On both sides of what fits 63 bits as parts of 512.
            (4_722, 366_482_869_645_213_695, 4_722_366_482_869),
            (4_722, 366_482_869_645_213_696, 4_722_366_482_869),
            (31_536_000, 1_000_000_000, 31_536_000_000_000_001),
        ] as [(Int64, Int64, Int64)]
    ) func nanoseconds(seconds: Int64, attoseconds: Int64, whole: Int64) {
        let duration = Duration(
            secondsComponent: seconds,
            attosecondsComponent: attoseconds
        )
        #expect(duration.clampedNanoseconds == whole)
    }
}
