import Domain
import Publishing
import Testing

@Suite("A reading of another clock") struct ClockReadingTests {
    private static let birth = Instant(milliseconds: 1_795_232_554_473)
    private static let second: UInt64 = 1_000_000_000

    /// A clock read `ahead` ms ahead of ours, and `passed` s later with ours stepped by `step` ms.
    @Test(
        "a step of our clock is seen before the other is asked again",
        arguments: [
            (0, 0, 0), (1_500, 0, 1_500), (-10_000, 0, -10_000), (0, 3_600_000, -3_600_000),
            (0, -3_000, 3_000), (7_200_000, 7_200_000, 0),
        ] as [(Int64, Int64, Int64)]
    )
    func stepped(_ ahead: Int64, _ step: Int64, _ expected: Int64) {
        let reading = ClockReading(
            of: Self.birth.adding(milliseconds: ahead),
            at: Self.birth,
            monotonic: 50 * Self.second,
            waited: 0
        )
        for passed: Int64 in [0, 1, 3600] {
            let now = Self.birth.adding(milliseconds: passed * 1000 + step)
            let monotonic = (50 + UInt64(passed)) * Self.second
            #expect(reading.milliseconds(at: now, monotonic: monotonic) == expected)
        }
    }

    @Test("an answer that took long is no difference, but only as long as it took")
    func slowAnswer() {
        for (ahead, expected) in [(-1_800, 0), (-2_500, -500), (300, 300)] as [(Int64, Int64)] {
            let reading = ClockReading(
                of: Self.birth.adding(milliseconds: ahead),
                at: Self.birth,
                monotonic: 50 * Self.second,
                waited: 2 * Self.second
            )
            #expect(reading.milliseconds(at: Self.birth, monotonic: 50 * Self.second) == expected)
        }
    }
}
