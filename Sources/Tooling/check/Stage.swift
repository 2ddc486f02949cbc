import Foundation

/// One step of the check.
struct Stage {
    /// How far a run goes: each includes the ones before.
    enum Extent: Comparable {
        case quick, usual, full
        /// Only when it is named.
        case asked
    }

    /// What a stage does.
    enum Work {
        /// A command that succeeds or fails; it counts as one test.
        case command([String])
        /// Test targets, and suites of those that belong to another stage.
        /// `serially`: one test at a time, for tests that measure time.
        case tests(
            [String],
            except: [String] = [],
            arguments: [String] = [],
            serially: Bool = false
        )
        /// A program that prints `ok …`, `not ok …` and `skip …` lines.
        case lines([String])
    }

    var name: String
    /// What a reader of the output sees.
    var purpose: String
    var extent: Extent
    /// The longest it may take, in seconds; then it is stopped and has failed.
    ///
    /// Several times what it takes: this ends what stands still, and measures nothing.
    var secondsMax: Int
    /// The stages that make what this one runs.
    var needs: [String] = []
    /// The stages it may run beside: it starts with the first of them that is run, or after what
    /// it needs.
    var beside: [String] = []
    /// Whether it gives way to those, for one that wants all processors.
    var givesWay = false
    /// Variables it gets on top of those of the run.
    var environment: [String: String] = [:]
    var work: Work

    static let checkImports = ["--explicit-target-dependency-import-check", "error"]
    /// The test targets that have a stage of their own; all others are the unit tests.
    static let staged: Set<String> = [
        "PropertyTests", "SimulationTests", "ConformanceTests", "IntegrationTests", "PageTests",
    ]
    /// Unit tests with deadlines: beside busy neighbours they would measure those.
    static let timed: Set<String> = [
        "DeliveryTests", "HTTPClientTests", "HTTPServerTests", "KafkaTests", "RuntimeTests",
    ]

    /// Tests of the wire that disturb those beside them, or that those disturb.
    private static let disturbing = [
        "DoctorTests", "EndingTests", "FrozenDatabaseTests", "Races", "SilentStandbyTests",
    ].map { "^ConformanceTests\\.\($0)/" }

    /// Tests of whole programs: as long as all other tests of PostgreSQL and Kafka together.
    private static let programs = [
        "CheckTests", "FirstMigrationTests", "ForeignRootTests", "HandingOverTests",
        "IssuerStartTests", "KeylessStartTests", "MigrateTopicsTests", "MissingTopicStartTests",
        "RelayFaultTests", "RoleSettingsTests", "SettingsCatalogueTests", "StartRefusalTests",
        "UnfinishedErasureTests",
    ].map { "^IntegrationTests\\.\($0)/" }

    static let all: [Stage] =
        [
            Stage(
                name: "format",
                purpose: "house style of every file",
                extent: .quick,
                secondsMax: 300,
                work: .command([
                    "swift", "format", "lint", "--strict", "--recursive", "--parallel",
                    "Sources", "Tests", "migrations", "Package.swift",
                ])
            ),
            Stage(
                name: "build",
                purpose: "everything, warnings are errors",
                extent: .quick,
                secondsMax: 3600,
                work: .command(["swift", "build", "--build-tests"] + checkImports)
            ),
            test("unit", "each target by itself; the rules of the house", .quick, 900, unitTargets),
            Stage(
                name: "timed",
                purpose: "loops, sockets and deadlines, one test at a time",
                extent: .quick,
                secondsMax: 900,
                needs: ["build"],
                work: .tests(timed.sorted(), serially: true)
            ),
            test("property", "what always holds, on drawn cases", .quick, 900, ["PropertyTests"]),
            Stage(
                name: "simulation",
                purpose: "the real core while its ports break",
                extent: .quick,
                secondsMax: 1200,
                needs: ["build"],
                beside: ["timed"],
                givesWay: true,
                work: .tests(["SimulationTests"])
            ),
            Stage(
                name: "documentation",
                purpose: "the handbook's links",
                extent: .usual,
                secondsMax: 900,
                work: .command([
                    "docc", "convert", "Sources/Handbook.docc", "--warnings-as-errors",
                    "--output-path", ".build/handbook", "--fallback-display-name", "Chancery",
                    "--fallback-bundle-identifier", "chancery",
                ])
            ),
            Stage(
                name: "conformance",
                purpose: "the RFCs on the wire",
                extent: .usual,
                secondsMax: 900,
                needs: ["build"],
                work: .tests(["ConformanceTests"], except: disturbing)
            ),
            Stage(
                name: "endings",
                purpose: "nodes that end, freeze or race, and the doctor, one test at a time",
                extent: .usual,
                secondsMax: 900,
                needs: ["build"],
                work: .tests(disturbing, serially: true)
            ),
            Stage(
                name: "integration",
                purpose: "PostgreSQL and Kafka: races, plans, roles, migrations",
                extent: .usual,
                secondsMax: 1800,
                needs: ["build"],
                // One at a time: some take the database away.
                work: .tests(["IntegrationTests"], except: programs, serially: true)
            ),
            Stage(
                name: "programs",
                purpose: "programs on PostgreSQL and Kafka: start, hand over, follow settings",
                extent: .usual,
                secondsMax: 1800,
                needs: ["build"],
                // On a database and a broker of its own.
                beside: ["integration"],
                work: .tests(programs, serially: true)
            ),
            Stage(
                name: "pages",
                purpose: "the pages in Chromium",
                extent: .usual,
                secondsMax: 900,
                needs: ["build"],
                beside: ["integration"],
                // One browser at a time.
                work: .tests(["PageTests"], serially: true)
            ),
            Stage(
                name: "release",
                purpose: "the programs as they ship",
                extent: .usual,
                secondsMax: 3600,
                beside: ["conformance", "endings", "integration", "programs", "pages"],
                givesWay: true,
                work: .command(["deploy/build", "--all"])
            ),
            Stage(
                name: "seeds",
                purpose: "many seeds of the simulator, and a database that forgets a rule",
                extent: .usual,
                secondsMax: 1800,
                needs: ["release"],
                beside: ["integration", "programs"],
                givesWay: true,
                work: .lines(["Tests/Seeds/run"])
            ),
            Stage(
                name: "units",
                purpose: "the programs' hardening, and that of their units for systemd",
                extent: .usual,
                secondsMax: 300,
                needs: ["release"],
                work: .lines(["Tests/Units/run"])
            ),
            Stage(
                name: "walk",
                purpose: "the main job, as deploy/dev --walk does it on a fresh stack",
                extent: .usual,
                secondsMax: 900,
                needs: ["release"],
                work: .lines(["Tests/Walk/run"])
            ),
            Stage(
                name: "load",
                purpose: "bad clients beside a good one, through the wire",
                extent: .usual,
                secondsMax: 600,
                needs: ["release"],
                work: .lines(["Tests/Load/run"])
            ),
            Stage(
                name: "torture",
                purpose: "races of two nodes; kill -9 under load: nothing lost or doubled",
                extent: .usual,
                // The long form takes over an hour with its controls, and has bounds of its own.
                secondsMax: 14_400,
                needs: ["release"],
                work: .lines(["Tests/Torture/run"])
            ),
            Stage(
                name: "instructions",
                purpose: "what hot paths cost, counted, against a table",
                extent: .usual,
                secondsMax: 600,
                needs: ["release"],
                beside: ["torture"],
                givesWay: true,
                work: .lines(["Tests/Counts/run"])
            ),
            Stage(
                name: "authlib",
                purpose: "a client library that we did not write",
                extent: .usual,
                secondsMax: 900,
                needs: ["release"],
                work: .lines(["Tests/Authlib/run"])
            ),
            Stage(
                name: "mutants",
                purpose: "deliberate defects, which the simulator must notice",
                extent: .asked,
                secondsMax: 7200,
                work: .lines(["Tests/Mutants/run"])
            ),
            Stage(
                name: "write",
                purpose: "what is made: deploy/asyncapi.yaml, the blocks of Schema.md",
                extent: .asked,
                secondsMax: 300,
                needs: ["build"],
                // The second starts PostgreSQL.
                work: .tests([
                    "^PublishingTests\\.AsyncAPITests/isCurrent",
                    "^IntegrationTests\\.SchemaTests/isCurrent",
                ])
            ),
        ] + full

    private static func test(
        _ name: String,
        _ purpose: String,
        _ extent: Extent,
        _ secondsMax: Int,
        _ targets: [String]
    ) -> Stage {
        Stage(
            name: name,
            purpose: purpose,
            extent: extent,
            secondsMax: secondsMax,
            needs: ["build"],
            work: .tests(targets)
        )
    }

    /// Every folder `Tests/…Tests` that is no other stage's, so that a new one cannot be forgotten.
    static var unitTargets: [String] {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "Tests")) ?? []
        return folders.filter {
            $0.hasSuffix("Tests") && !staged.contains($0) && !timed.contains($0)
        }.sorted()
    }
}
