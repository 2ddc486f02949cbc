import Configuration
import Domain
import Issuing
import OAuth
import Runtime

/// The projects through a token-issuer's admin listener: what a start refuses of them, their risky
/// choices, and what they share.
struct ProjectCheck: Sendable {
    let client: AdminClient
    let loop: Loop

    /// None where it knows no project.
    ///
    /// - Throws: when nobody says which there are.
    func diagnoses() async throws(CommandFailure) -> [Diagnosis] {
        let projects = try await client.projects(on: loop)
        var diagnoses: [Diagnosis] = []
        var documents: [(project: String, bytes: [UInt8])] = []
        for (project, isServed) in projects {
            let client = client.of(project)
            var found: [Diagnosis] = []
            var bytes: [UInt8] = []
            // What is not told of one project takes nothing from what is told of the others.
            do throws(CommandFailure) {
                guard let current = try await ProjectAPI(client, on: loop).current(nil) else {
                    continue
                }
                bytes = Array(current.text.utf8)
                found = document(bytes)
                // Why one is not served /readyz says; its keys nobody is told.
                if isServed { found += try await keys(client, bytes) }
            } catch { found.append(.fault(error)) }
            // Without its document nobody knows what it shares.
            documents.append((project, bytes))
            diagnoses += projects.count == 1 ? found : found.map { $0.about("project \(project)") }
        }
        return diagnoses + NeighbourCheck(documents).diagnoses
    }

    private func document(_ bytes: [UInt8]) -> [Diagnosis] {
        let warnings: [String]
        do throws(ConfigurationError) {
            warnings = try ProjectDocument(isInsecureDevelopment: true).warnings(bytes)
        } catch {
            return error.findings.map {
                .warning("\($0)", "This program and the server differ: update one.")
            }
        }
        let risky: [Diagnosis] =
            warnings.isEmpty
            ? [.ok("the project's configuration is careful")]
            : warnings.map { .warning($0, "chancery config diff and apply change it.") }
        do throws(ConfigurationError) {
            _ = try ProjectDocument().settings(bytes)
            return risky + [1, 10, 11, 12].map { Diagnosis.ok("the project keeps to it").of($0) }
        } catch {
            // It is in force, so --insecure-dev allowed it.
            let found = error.findings.map { finding in
                Diagnosis.development("\(finding)").of(Self.rule(of: finding.path))
            }
            let kept = Set([1, 10, 11, 12]).subtracting(found.compactMap(\.rule))
            return risky + found
                + kept.sorted().map { Diagnosis.ok("the project keeps to it").of($0) }
        }
    }

    /// What the document in force signs with, against the ring.
    private func keys(_ client: AdminClient, _ document: [UInt8]) async throws(CommandFailure)
        -> [Diagnosis]
    {
        let keys = try await client.list("/keys", "keys", on: loop)
        let current = keys.filter { $0["status"]?.string == "current" }
        guard !current.isEmpty else {
            let remedy = "chancery keys stage, then promote."
            return [.fault("the project has no active signing key", remedy).of(9)]
        }
        let algorithms = current.compactMap { $0["algorithm"]?.string }
            .compactMap(SigningKeyRing.Algorithm.init(rawValue:))
        // One that cannot be read is a diagnosis already.
        let settings = try? ProjectDocument(isInsecureDevelopment: true).settings(document)
        let missing = settings?.missingKeys(beside: Set(algorithms)) ?? []
        guard missing.isEmpty else {
            let remedy =
                "Or apply your copy of the document before; its digest: "
                + "chancery config history --json."
            return missing.map { Diagnosis.fault($0.finding, remedy).of(9) }
        }
        let names = algorithms.map(\.rawValue).sorted().joined(separator: ", ")
        return [.ok("a key of each algorithm in use signs: \(names)").of(9)]
    }

    private static func rule(of path: String) -> Int {
        if path.hasPrefix("http.cookie_domain") { return 10 }
        if path.hasPrefix("oauth.clients") { return 11 }
        if path.hasSuffix("_seconds") { return 12 }
        return path.hasPrefix("http") ? 1 : 15
    }
}
