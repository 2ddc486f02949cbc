import Publishing
import Testing

@Suite("Patience with Kafka") struct KafkaPatienceTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("is over when nothing was confirmed for twenty seconds") func silent() {
        var patience = KafkaPatience(at: 5 * Self.second)
        #expect(!patience.isOver(at: 24 * Self.second))
        #expect(patience.isOver(at: 25 * Self.second))
        patience.delivered(at: 24 * Self.second)
        #expect(!patience.isOver(at: 43 * Self.second))
        #expect(patience.isOver(at: 44 * Self.second))
    }

    @Test("counts no time in which Kafka owed nothing") func owedNothing() {
        var patience = KafkaPatience(at: 0)
        for second in 0..<100 as Range<UInt64> {
            #expect(!patience.isOver(at: second * Self.second))
            patience.answered(at: second * Self.second)
        }
        #expect(!patience.isOver(at: 118 * Self.second))
        #expect(patience.isOver(at: 119 * Self.second))
    }

    @Test("after a loss is not renewed by an answer, only by what arrives") func lost() {
        var patience = KafkaPatience(at: 0)
        patience.lost()
        patience.answered(at: 19 * Self.second)
        #expect(patience.isOver(at: 20 * Self.second))
        patience.delivered(at: 20 * Self.second)
        patience.answered(at: 30 * Self.second)
        #expect(!patience.isOver(at: 49 * Self.second))
    }

    @Test("counts no time in which nobody looked") func frozen() {
        var patience = KafkaPatience(at: 0)
        patience.look(at: 19 * Self.second)
        #expect(patience.isOver(at: 20 * Self.second))
        patience.look(at: 39 * Self.second)
        #expect(!patience.isOver(at: 58 * Self.second))
        #expect(patience.isOver(at: 59 * Self.second))
    }

    @Test("may be longer") func longer() {
        let patience = KafkaPatience(at: 0)
        #expect(!patience.isOver(at: 39 * Self.second, after: 40 * Self.second))
        #expect(patience.isOver(at: 40 * Self.second, after: 40 * Self.second))
    }

    @Test("outlasts an election, and ends before readiness tells of it") func bounds() {
        #expect(KafkaPatience.silenceMaxNanoseconds > 18 * Self.second)
        #expect(KafkaPatience.silenceMaxNanoseconds < 30 * Self.second)
        // Who stands by asks each second.
        #expect(KafkaPatience.restNanoseconds >= 3 * Self.second)
    }

    @Test(
        "is twice as long after each time that helped nobody, eleven minutes at most",
        arguments: [(0, 20), (1, 40), (2, 80), (5, 640), (1000, 640)] as [(UInt64, UInt64)]
    )
    func grows(_ count: UInt64, _ seconds: UInt64) {
        #expect(KafkaPatience.nanoseconds(afterHandOvers: count) == seconds * Self.second)
    }
}
