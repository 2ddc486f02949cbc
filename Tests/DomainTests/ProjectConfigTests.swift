import Domain
import TestSupport
import Testing

@Suite("ProjectConfig") struct ProjectConfigTests {
    static let first = document(1)
    static let second = document(2)
    static let foreign = ProjectConfig.Applied(
        id: Sample.project("other"),
        digest: Sample.digest(3),
        document: []
    )
    static let applied = [ProjectConfig.Event.applied(first, changed: ["id"])]
    static let suspended = applied + [.suspended(reason: "unpaid")]

    static func document(_ number: UInt8) -> ProjectConfig.Applied {
        ProjectConfig.Applied(
            id: Sample.project("shop"),
            digest: Sample.digest(number),
            document: [number]
        )
    }

    static func apply(
        _ new: ProjectConfig.Applied,
        over expected: UInt8?
    ) -> ProjectConfig.Command {
        .apply(new, expected: expected.map(Sample.digest), changed: ["oauth", "http", "oauth"])
    }

    static let rows: [Scenario<ProjectConfig>] = [
        Scenario(
            "a project begins; its changes are sorted, without repeats",
            when: apply(first, over: nil),
            then: .success([.applied(first, changed: ["http", "oauth"])])
        ),
        Scenario(
            "what is not there was not seen",
            when: apply(first, over: 1),
            then: .failure(.unknown)
        ),
        Scenario(
            "a document replaces the one that was seen",
            given: applied,
            when: apply(second, over: 1),
            then: .success([.applied(second, changed: ["http", "oauth"])])
        ),
        Scenario(
            "not one that somebody applied since",
            given: applied,
            when: apply(second, over: 9),
            then: .failure(.changedMeanwhile)
        ),
        Scenario(
            "the same document changes nothing",
            given: applied,
            when: apply(first, over: 9),
            then: .success([])
        ),
        Scenario(
            "a project begins once",
            given: applied,
            when: apply(second, over: nil),
            then: .failure(.alreadyExists)
        ),
        Scenario(
            "a project keeps its id",
            given: applied,
            when: apply(foreign, over: 1),
            then: .failure(.otherProject)
        ),
        Scenario(
            "a suspended project may be changed",
            given: suspended,
            when: apply(second, over: 1),
            then: .success([.applied(second, changed: ["http", "oauth"])])
        ),
        Scenario(
            "it is suspended",
            given: applied,
            when: .suspend(reason: "unpaid"),
            then: .success([.suspended(reason: "unpaid")])
        ),
        Scenario("once", given: suspended, when: .suspend(reason: "x"), then: .success([])),
        Scenario("none is not", when: .suspend(reason: "x"), then: .failure(.unknown)),
        Scenario("it goes on", given: suspended, when: .resume, then: .success([.resumed])),
        Scenario("what runs goes on", given: applied, when: .resume, then: .success([])),
        Scenario("none goes on", when: .resume, then: .failure(.unknown)),
    ]

    @Test("decides", arguments: rows) func decides(_ row: Scenario<ProjectConfig>) { row.check() }

    @Test("the last time that a client came is remembered, whatever document follows")
    func clientsCame() throws {
        let app = Sample.client("app")
        let (early, late) = (Sample.time(1), Sample.time(2))
        let history: [ProjectConfig.Event] =
            Self.applied + [
                .applied(Self.second, changed: [], added: .init([app], at: early)),
                .suspended(reason: "x"),
                .applied(Self.first, changed: [], added: .init([app], at: late)),
                .applied(Self.second, changed: []), .resumed,
            ]
        guard case .applied(let now) = ProjectConfig.fold(history) else {
            Issue.record("not in force")
            return
        }
        #expect(now.clientsSince == [app: late])
    }

    @Test("when a client that cascades went is remembered, also once it is back")
    func clientsWent() {
        let app = Sample.client("app")
        let (gone, back) = (Sample.time(1), Sample.time(2))
        let history: [ProjectConfig.Event] =
            Self.applied + [
                .applied(Self.second, changed: [], cascaded: .init([app], at: gone)),
                .suspended(reason: "x"),
                .applied(Self.first, changed: [], added: .init([app], at: back)),
            ]
        guard case .suspended(let now) = ProjectConfig.fold(history) else {
            Issue.record("not suspended")
            return
        }
        #expect(now.cascadedAt == [app: gone])
        #expect(now.clientsSince == [app: back])
    }

    @Test("a change does not lift a suspension") func staysSuspended() {
        let history = Self.suspended + [.applied(Self.second, changed: [])]
        #expect(ProjectConfig.fold(history) == .suspended(Self.second))
    }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<ProjectConfig>([
            "applied": .applied(Self.second, changed: []),
            "one that adds": .applied(
                Self.second,
                changed: [],
                added: .init([Sample.client("app")], at: Sample.time(1))
            ),
            "one that ends": .applied(
                Self.second,
                changed: [],
                cascaded: .init([Sample.client("app")], at: Sample.time(1))
            ),
            "another project's": .applied(Self.foreign, changed: []),
            "suspended": .suspended(reason: "x"), "resumed": .resumed,
        ])
        pairs.after("absent", [], may: ["applied", "another project's"])
        let documents: Set = ["applied", "one that adds", "one that ends"]
        pairs.after("applied", Self.applied, may: documents.union(["suspended"]))
        pairs.after("suspended", Self.suspended, may: documents.union(["resumed"]))
        pairs.check()
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(ProjectConfig.unwrap(ProjectConfig.wrap(.resumed)) == .resumed)
        #expect(ProjectConfig.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}
