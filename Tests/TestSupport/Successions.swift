package import Domain
package import Testing

/// Which event may follow in which state: every pair is tried, and what is not named is impossible.
package struct Successions<Subject: Aggregate> {
    private var states: [(name: String, history: [Subject.Event])] = []
    private var possible: [String: Set<String>] = [:]
    private let events: [(name: String, event: Subject.Event)]

    /// `events`: one or more of every kind, by a name.
    package init(_ events: KeyValuePairs<String, Subject.Event>) {
        self.events = events.map { ($0.key, $0.value) }
    }

    /// A state by its history, and the names of the events that may follow.
    package mutating func after(
        _ name: String,
        _ history: [Subject.Event],
        may names: Set<String>
    ) {
        states.append((name, history))
        possible[name] = names
    }

    package func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let known = Set(events.map(\.name))
        for (name, history) in states {
            guard let state = Subject.fold(history) else {
                Issue.record("\(name): cannot be folded", sourceLocation: sourceLocation)
                continue
            }
            let expected = possible[name] ?? []
            #expect(expected.isSubset(of: known), sourceLocation: sourceLocation)
            for (event, value) in events {
                let follows = Subject.evolve(state, by: value) != nil
                #expect(
                    follows == expected.contains(event),
                    "\(event) in \(name)",
                    sourceLocation: sourceLocation
                )
            }
        }
    }
}
