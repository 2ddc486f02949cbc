import Domain
import TestSupport
import Testing

@Suite struct RecentDigestsTests {
    @Test("after any number of tokens just the newest 256 can be asked for, each by its age")
    func newest() {
        var all = [digest(0)]
        var recent = RecentDigests(all)
        for number in 1...700 {
            all.append(digest(UInt64(number)))
            recent.append(digest(UInt64(number)))
            let kept = all.suffix(OfflineGrant.digestsKeptMax)
            #expect(recent.count == kept.count)
            #expect((0..<kept.count).map { recent.digest(ofAge: $0) } == kept.reversed())
            #expect(recent.digest(ofAge: kept.count) == nil)
            #expect(recent.digest(ofAge: -1) == nil)
            #expect(recent.last == all.last)
        }
    }

    @Test("what is stored makes the same again, however many there were") func stored() {
        var recent = RecentDigests([digest(0)])
        for number in 1...600 {
            recent.append(digest(UInt64(number)))
            #expect(RecentDigests(recent.stored) == recent)
        }
    }

    @Test("a copy is left as it was") func copies() {
        var recent = RecentDigests((0..<300).map { digest(UInt64($0)) })
        let copy = recent
        for number in 300..<400 { recent.append(digest(UInt64(number))) }
        #expect(copy == RecentDigests((0..<300).map { digest(UInt64($0)) }))
        #expect(copy.last == digest(299))
    }

    private func digest(_ number: UInt64) -> TokenDigest { TokenDigest(words: (number, 1, 2, 3)) }
}
