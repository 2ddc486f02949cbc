import OAuth
import Runtime

/// A token-issuer through its admin listener: ready, and its project free of risky choices.
struct ProcessCheck: Sendable {
    let client: AdminClient
    let settings: OperatorSettings
    let user: String?

    func diagnoses(on loop: Loop) async -> [Diagnosis] {
        guard client.isNamed else {
            return [
                .warning(
                    "no token-issuer was asked: there is no admin listener to ask",
                    "Name it with --admin http://127.0.0.1:PORT, or in ADMIN_URL."
                )
            ]
        }
        var found: [Diagnosis] = []
        do throws(CommandFailure) {
            found = readiness(try await client.raw("/readyz", on: loop))
            let ofProjects = try await ProjectCheck(client: client, loop: loop).diagnoses()
            found += ofProjects.isEmpty ? [await noProject(on: loop)] : ofProjects
        } catch { found.append(.fault(error)) }
        return found
    }

    /// The process knows none: a first one is right where the log holds none either.
    private func noProject(on loop: Loop) async -> Diagnosis {
        do throws(CommandFailure) {
            let inspection = try await DatabaseInspection(
                try settings.address(user: user),
                on: loop
            )
            defer { inspection.close() }
            guard try await inspection.hasProjects() else {
                return .fault(
                    "there is no project",
                    "Apply one: chancery config apply FILE --reason TEXT."
                )
            }
            return .fault(
                "token-issuer knows none of the projects that the database holds",
                "Apply nothing. If it stays so, another root secret made them: stop it, and copy"
                    + " the whole key directory of the machines that serve them to its path."
            )
        } catch {
            return .fault(
                "token-issuer knows no project, and whether the database holds any is not known",
                "Apply nothing yet: first let doctor see the database."
            )
        }
    }

    private func readiness(_ answer: HTTPAnswer) -> [Diagnosis] {
        guard case .object(let checks) = answer.json?["checks"] else {
            return [.fault("/readyz answered \(answer.status)", "Look at token-issuer's log.")]
        }
        let bad = checks.filter { $0.value.string != "ok" }
        guard !bad.isEmpty else { return [.ok("token-issuer is ready")] }
        return bad.map {
            .fault("token-issuer: \($0.name): \($0.value.shown)", "Its log says more.")
        }
    }
}
