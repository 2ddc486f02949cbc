import Foundation
import Testing

/// What must come in pairs: code, and the file that proves or explains it.
@Suite("Coverage") struct CoverageTests {
    @Test("every grant type has conformance files, and none is left over") func grants() {
        let types = names("Sources/Core/Issuing/Grants", "Grant.swift").map(Coverage.dashed)
        let files = names("Tests/ConformanceTests/Grants", ".http")
        #expect(!types.isEmpty)
        for type in types {
            #expect(files.contains { $0.hasPrefix(type) }, "no Grants/\(type)*.http")
        }
        for file in files {
            #expect(types.contains { file.hasPrefix($0) }, "\(file).http is of no grant type")
        }
    }

    @Test("every stored event has a golden file, and every golden file its event")
    func goldenFiles() throws {
        let path = "Sources/Core/EventFormat/StoredType.swift"
        let file = SourceFile(path: path, text: try #require(SourceTree.text(path)))
        let events = Coverage.storedEvents(in: file)
        // A wider form of a version has a file of its own, `<name>~2.json`.
        let files = names("Tests/EventFormatTests/Golden", ".json").map { name in
            String(name.prefix { $0 != "~" })
        }
        let golden = Set(files.map(Coverage.folded))
        #expect(!events.isEmpty)
        #expect(events.subtracting(golden).sorted() == [], "no golden file")
        #expect(golden.subtracting(events).sorted() == [], "golden file of no event")
    }

    @Test("every migration is in the list and in the package, in order") func migrations() throws {
        let files = names("migrations", ".sql")
        let list = try #require(SourceTree.text("migrations/Migrations.swift"))
        let package = try #require(SourceTree.text("Package.swift"))
        #expect(files.enumerated().allSatisfy { Int($0.element.prefix(4)) == $0.offset + 1 })
        for file in files {
            #expect(list.contains("PackageResources._\(file.dropFirst())_sql"), "\(file)")
            #expect(package.contains("\"\(file).sql\""), "\(file)")
        }
        #expect(Coverage.listedSteps(in: list) == files.map { Coverage.stepName($0) })
    }

    @Test("every refusal is explained in Errors.md, and nothing else is") func refusals() {
        let used = SourceTree.files(under: "Sources").reduce(into: Set<String>()) {
            $0.formUnion(Coverage.refusals(in: $1.literals.map(\.text)))
        }
        let text = SourceTree.text("Sources/Handbook.docc/Errors.md") ?? ""
        let explained = Coverage.refusals(in: text.split { " |`\n".contains($0) }.map(String.init))
        #expect(!used.isEmpty)
        #expect(used.subtracting(explained).sorted() == [], "not in Errors.md")
        #expect(explained.subtracting(used).sorted() == [], "in Errors.md, used nowhere")
    }

    @Test(
        "every setting is explained in the handbook",
        arguments: [
            ("WireContract.md", ["Sources/Adapters/Configuration/Project"]),
            (
                "Production.md",
                ["Sources/Adapters/Configuration/Process", "Sources/Executables/Assembly"]
            ),
        ]
    )
    func settings(_ article: String, _ folders: [String]) {
        let text = SourceTree.text("Sources/Handbook.docc/\(article)") ?? ""
        let explained = Coverage.names(in: text)
        let files = folders.flatMap { SourceTree.files(under: $0) }.filter {
            $0.path.contains("/Configuration/") || $0.name.hasSuffix("Settings.swift")
        }
        let used = files.reduce(into: Set<String>()) {
            $0.formUnion(Coverage.settings(in: $1))
        }
        #expect(used.count > 15)
        #expect(used.subtracting(explained).sorted() == [], "not in \(article)")
    }

    @Test("every folder of tests is a target that the check runs") func testTargets() throws {
        let manifest = try #require(SourceTree.text("Package.swift"))
        let package = manifest.filter { !$0.isWhitespace }
        for folder in Set(SourceTree.files(under: "Tests").map { $0.path.split(separator: "/")[1] })
        where folder.hasSuffix("Tests") {
            let name = folder.dropLast(5)
            #expect(
                package.contains("tests(of:\"\(name)\"") || package.contains("tests(\"\(name)\""),
                "\(folder)"
            )
        }
    }

    @Test("every demo client is in the table of chancery dev, and in its dev.env") func clients()
        throws
    {
        let document = try #require(SourceTree.text("deploy/config/demo.yaml"))
        let table = try #require(
            SourceTree.text("Sources/Executables/chancery/Dev/DevProject.swift")
        )
        let applied = Coverage.words(after: "- client_id: ", in: document)
        #expect(!applied.isEmpty)
        #expect(Coverage.words(after: "Client(id: \"", in: table).sorted() == applied.sorted())
    }

    /// The metrics of the design; 0081 says why one of them is not published, and those of what is
    /// not built yet come with it.
    private static let designed = """
        append_batch_commands append_conflicts_total append_queue_age_seconds append_queue_depth
        append_seconds append_unknown_outcome_total build_info cache_bytes cache_hits_total
        cache_misses_total clock_skew_seconds grants_opened_total grants_revoked_total
        head_checks_total http_request_seconds http_requests_total http_running http_shed_total
        insecure_key_bindings_total limit_hits_total log_lines_dropped_total loop_stalls_total
        mail_total oauth_errors_total projection_lag_seconds projection_log_index
        refresh_reuse_total relay_active relay_fence_age_seconds relay_lag_seconds
        relay_log_index revocation_latency_seconds signing_key_age_seconds
        """

    /// The names of all series.
    private static let published = SourceTree.files(under: "Sources")
        .reduce(into: Set<String>()) { $0.formUnion(Coverage.metrics(in: $1)) }

    @Test("every metric is explained in Production.md, and those of the design are there")
    func metrics() {
        let published = Self.published
        let text = SourceTree.text("Sources/Handbook.docc/Production.md") ?? ""
        let words = text.split { !($0.isLetter || $0 == "_") }.map(String.init)
        // The owner of the tables, no metric.
        let explained = Set(words.filter { $0.hasPrefix("chancery_") && $0 != "chancery_owner" })
        let designed = Self.designed.split { " \n".contains($0) }.map { "chancery_\($0)" }
        #expect(designed.count == 33)
        #expect(Set(designed).subtracting(published).sorted() == [], "of the design, not published")
        #expect(published.subtracting(explained).sorted() == [], "not in Production.md")
        #expect(explained.subtracting(published).sorted() == [], "in Production.md, not published")
    }

    @Test("every alert asks for metrics of ours, and names the row of Production.md that it is of")
    func alerts() throws {
        let alerts = Coverage.alerts(in: try #require(SourceTree.text("deploy/alerts.yaml")))
        let page = try #require(SourceTree.text("Sources/Handbook.docc/Production.md"))
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `chancery_") }
        #expect(alerts.count > 40)
        #expect(Set(alerts.map(\.name)).count == alerts.count)
        for alert in alerts {
            let strange = alert.metrics.subtracting(Self.published)
            #expect(strange.sorted() == [], "\(alert.name)")
            #expect(alert.metrics.contains(alert.row), "\(alert.name) is of \(alert.row)")
            let isExplained = rows.contains { row in
                row.contains("`\(alert.row)`") || row.contains("`\(alert.row){")
            }
            #expect(isExplained, "\(alert.name): no row has \(alert.row)")
            #expect(["page", "ticket"].contains(alert.severity), "\(alert.name)")
        }
    }

    /// Whom a proxy has taken out counts no request that it could refuse.
    @Test("that nobody is ready wakes somebody, and so does a feed that claims nothing")
    func outages() throws {
        let text = try #require(SourceTree.text("deploy/alerts.yaml"))
        let alerts = Coverage.alerts(in: text)
        let pages = Set(alerts.filter { $0.severity == "page" }.map(\.name))
        let all: Set = [
            "ChanceryNoIssuer", "ChanceryNoneReady", "ChanceryRelayNotActive",
            "ChanceryProjectorNotActive", "ChanceryFeedLate",
        ]
        #expect(all.subtracting(pages).sorted() == [])
        let tickets = Set(alerts.filter { $0.severity == "ticket" }.map(\.name))
        #expect(tickets.isSuperset(of: ["ChanceryUnready", "ChanceryNotScraped"]))
        #expect(text.contains("or absent(chancery_projection_lag_seconds "))
    }

    private func names(_ folder: String, _ suffix: String) -> [String] {
        SourceTree.paths(under: folder, suffix: suffix).map {
            String(($0.split(separator: "/").last ?? "").dropLast(suffix.count))
        }
    }
}

/// The readings behind the pairs, each tried on a sample.
@Suite("Coverage readings") struct CoverageReadingsTests {
    @Test("a type's name becomes a file's") func dashes() {
        #expect(Coverage.dashed("RefreshToken") == "refresh-token")
        #expect(Coverage.dashed("IDToken") == "id-token")
    }

    @Test("an event's name is compared without punctuation and version") func folds() {
        #expect(Coverage.folded("offline-grant.refreshed.v2") == "offlinegrantrefreshed")
        let file = SourceFile(
            path: "StoredType.swift",
            text: "    case offlineGrantRefreshed = 704\n    case .a: 1\n    // case b = 2"
        )
        #expect(Coverage.storedEvents(in: file) == ["offlinegrantrefreshed"])
    }

    @Test("a refusal is told from other words") func refusals() {
        #expect(
            Coverage.refusals(in: ["RT-004", "RT-04", "rt-004", "ES256", "A-001"]) == ["RT-004"]
        )
    }

    @Test("a metric is told from other names of ours") func metrics() {
        let lines = ["let a = metrics.counter(\"chancery_a_total\", \"as chancery_b does\")"]
        let cookie = ["let name = \"chancery_session\""]
        func found(_ lines: [String]) -> Set<String> {
            Coverage.metrics(in: SourceFile(path: "A.swift", text: lines.joined(separator: "\n")))
        }
        #expect(found(lines) == ["chancery_a_total"])
        #expect(found(cookie) == [])
    }

    @Test("an alert is read with its metrics, without what a histogram adds to their names")
    func alerts() {
        let text = """
            groups:
              - alert: Late
                expr: rate(chancery_a_seconds_bucket[5m]) > 0 or chancery_b_total > 1
                labels: {severity: page}
                annotations:
                  handbook: "Production, Probes and metrics: chancery_b_total"
              - alert: Lost
                expr: chancery_c > 0
                labels: {severity: ticket}
            """
        let alerts = Coverage.alerts(in: text)
        #expect(alerts.map(\.name) == ["Late", "Lost"])
        #expect(alerts.map(\.severity) == ["page", "ticket"])
        #expect(alerts.map(\.row) == ["chancery_b_total", ""])
        let metrics = [["chancery_a_seconds", "chancery_b_total"], ["chancery_c"]]
        #expect(alerts.map { $0.metrics.sorted() } == metrics)
    }

    @Test("a setting is told from other words, and found between its neighbours") func settings() {
        let file = SourceFile(
            path: "A.swift",
            text: "a(\"x_app2app_enabled\", \"is required\", \"hosts\", \"E_\", \"kek_file\")"
        )
        #expect(Coverage.settings(in: file) == ["x_app2app_enabled", "kek_file"])
        #expect(Coverage.names(in: "`keys.kek_file`, x").contains("kek_file"))
        #expect(!Coverage.names(in: "`keys.kek_files`").contains("kek_file"))
    }

    @Test("a step that is not listed is seen") func steps() {
        let list = "Step(version: 1, name: \"roles\", sql: x),\nStep(version: 2, name: \"a\""
        #expect(Coverage.listedSteps(in: list) == ["1 roles", "2 a"])
        #expect(Coverage.stepName("0002_a") == "2 a")
    }

    @Test("a word ends where its letters end") func words() {
        let text = "- client_id: app   # a mobile app\n- client_id: web\n"
        #expect(Coverage.words(after: "- client_id: ", in: text) == ["app", "web"])
    }
}
