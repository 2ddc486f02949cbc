import TestSupport
import Testing

/// The tool itself: it must find, shrink and report.
@Suite("Property") struct PropertyTests {
    /// Thrown rather than expected in vain: tries are silent then.
    struct Refused: Error {}

    static let lists = Generator.integers(0...999).array(0...20)

    @Test("a property that holds is held against every run") func holds() {
        var runs = 0
        forAll(Self.lists, runs: 50) { list in
            runs += 1
            #expect(list.count <= 20)
        }
        #expect(runs == 50)
    }

    @Test("a counterexample is found and made small") func finds() {
        var smallest: [Int64] = []
        // What `forAll` reports is what is tested here: it must report.
        withKnownIssue {
            try forAll(Self.lists) { list in
                smallest = list
                if list.contains(where: { $0 >= 500 }) { throw Refused() }
            }
        }
        #expect(smallest == [500])
    }

    @Test("an error is a counterexample, too") func throwing() {
        // As above.
        withKnownIssue {
            try forAll(Generator.bools) { if $0 { throw Refused() } }
        }
    }

    @Test("the same choices make the same value, none the simplest") func replay() {
        var drawn = Choices(seed: 7)
        let first = Self.lists.make(&drawn)
        var replayed = Choices(replaying: drawn.drawn)
        #expect(Self.lists.make(&replayed) == first)
        var none = Choices(replaying: [])
        #expect(Self.lists.make(&none) == [])
    }
}
