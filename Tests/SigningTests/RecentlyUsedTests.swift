import Signing
import Testing

@Suite("What was used of late") struct RecentlyUsedTests {
    @Test("what is in use stays, however many come and go; they are forgotten")
    func inUse() {
        var recent = RecentlyUsed<Int, Int>(countMax: 8)
        recent.insert(-1, for: -1)
        for number in 0..<100 {
            recent.insert(number, for: number)
            #expect(recent.find(-1) == -1)
            // Of the last ones at least three stay beside it.
            let first = max(0, number - 2)
            #expect((first...number).allSatisfy { recent.find($0) == $0 })
        }
        #expect(recent.find(0) == nil)
    }

    @Test("there are never more than the maximum") func bound() {
        var recent = RecentlyUsed<Int, Int>(countMax: 8)
        for number in 0..<1_000 {
            recent.insert(number, for: number % 13)
            _ = recent.find(number * 7 % 13)
            #expect(recent.count <= 8)
        }
    }

    @Test("a key has the value it was given last") func last() {
        var recent = RecentlyUsed<Int, String>(countMax: 4)
        recent.insert("first", for: 1)
        for number in 2...3 { recent.insert("", for: number) }
        recent.insert("second", for: 1)
        #expect(recent.find(1) == "second")
        #expect(recent.count == 3)
    }
}
