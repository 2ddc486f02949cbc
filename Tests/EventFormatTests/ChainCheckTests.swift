import Domain
import EventFormat
import TestSupport
import Testing

/// What `chancery verify` finds in the chains of a log.
@Suite("The check of the hash chains") struct ChainCheckTests {
    /// A stand-in: what it is given decides all of it.
    private static let sha256: @Sendable ([UInt8]) -> TokenDigest = { bytes in
        var word: UInt64 = 14_695_981_039_346_656_037
        for byte in bytes { word = (word ^ UInt64(byte)) &* 1_099_511_628_211 }
        return TokenDigest(words: (word, ~word, word &* 3, word &* 7))
    }

    /// Streams of so many events each, in their order, as an issuer writes them.
    private static func log(_ streams: Int, of count: Int32) -> [ChainCheck.Row] {
        (1...UInt64(streams)).flatMap { number -> [ChainCheck.Row] in
            var previous: EventHash?
            return (1...count).map { version -> ChainCheck.Row in
                var event = StoredSamples.row(.subject(.disabled(.operator)))
                event.stream = Sample.stream(number)
                event.version = version
                event.payload = Array("{\"n\":\(version)}".utf8)
                let hash = HashChain.hash(of: event, after: previous, sha256: sha256)
                previous = hash
                return ChainCheck.Row(
                    stream: event.stream,
                    version: version,
                    position: Int64(version) * 10,
                    event: event,
                    hash: hash
                )
            }
        }
    }

    private static func differences(in rows: [ChainCheck.Row]) -> [LogDifference] {
        var check = ChainCheck(sha256: sha256)
        return rows.compactMap { check.take($0) }
    }

    /// What is found in the first of two streams of eight events, as versions and kinds.
    private static func found(_ change: (inout [ChainCheck.Row]) -> Void) -> [String] {
        var rows = log(2, of: 8)
        change(&rows)
        return differences(in: rows).map { difference in
            #expect(difference.stream == Sample.stream(1))
            #expect(difference.position == Int64(difference.version) * 10)
            return "\(difference.version) \(difference.kind)"
        }
    }

    @Test("passes what was written, and counts it") func honest() {
        var check = ChainCheck(sha256: Self.sha256)
        let found = Self.log(40, of: 10).compactMap { check.take($0) }
        #expect(found.isEmpty)
        #expect(check.eventCount == 400 && check.streamCount == 40)
    }

    @Test("finds a change of any column, once") func columns() {
        let other = Sample.stream(0xFF)
        let changes: [(inout StoredEvent) -> Void] = [
            { $0.payload[0] = 0x20 }, { $0.metadata = Array("{}".utf8) }, { $0.type = 101 },
            { $0.project = Sample.number(9) }, { $0.command = CommandID(other) },
            { $0.actor = nil }, { $0.columns.occurredAt = Instant(microseconds: 1) },
            { $0.columns.subject = nil }, { $0.columns.session = SessionID(other) },
            { $0.columns.client = other },
        ]
        for change in changes {
            let found = Self.found { rows in
                guard var event = rows[3].event else { return }
                change(&event)
                rows[3].event = event
            }
            #expect(found == ["4 content"])
        }
    }

    @Test("finds hashes that were changed, and no event behind them") func hashes() {
        #expect(Self.found { $0[3].hash = $0[0].hash } == ["4 content"])
        #expect(Self.found { $0[7].hash = $0[0].hash } == ["8 content"])
        let neighbours = Self.found { rows in
            (rows[3].hash, rows[4].hash) = (rows[4].hash, rows[3].hash)
        }
        #expect(neighbours == ["4 content", "5 content"])
        let apart = Self.found { rows in
            (rows[1].hash, rows[5].hash) = (rows[5].hash, rows[1].hash)
        }
        #expect(apart == ["2 content", "6 content"])
    }

    @Test("finds what was taken out, by the event behind it") func gaps() {
        #expect(Self.found { $0.remove(at: 3) } == ["5 gap"])
        #expect(Self.found { $0.removeFirst() } == ["2 gap"])
        #expect(Self.found { $0.removeSubrange(2...5) } == ["7 gap"])
        // Of this the published order alone tells.
        #expect(Self.found { $0.remove(at: 7) } == [])
    }

    @Test("goes on behind what no program writes") func unreadable() {
        #expect(Self.found { $0[3].hash = nil } == ["4 content"])
        #expect(Self.found { $0[3].event = nil } == ["4 content"])
        let last = Self.found { rows in
            rows[3].hash = nil
            rows[5].event?.payload = []
        }
        #expect(last == ["4 content", "6 content"])
    }

    @Test("reckons no more for a stream of which nothing is right") func bounded() {
        let found = Self.found { rows in
            for index in 0..<8 { rows[index].event?.payload = [UInt8(index)] }
        }
        #expect(found == (1...8).map { "\($0) content" })
    }
}
