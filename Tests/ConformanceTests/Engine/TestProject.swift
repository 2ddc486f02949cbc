import Foundation
import Synchronization
import TestSupport

/// A project of its own on the running stack, with clients that the demo has none of.
struct TestProject: Sendable {
    let id: String
    let stack: RunningStack
    let site: Site
    /// What the clients prove themselves by that sign; all are registered under one `kid`.
    let keys: [String: PhoneKey]

    private struct Applied {
        var projects: [String: Task<TestProject, any Error>] = [:]
        var last: Task<TestProject, any Error>?
    }

    private static let applied = Mutex(Applied())

    /// The project of a name; the first test that asks applies it, and both nodes serve it.
    ///
    /// `scheme`: what its browsers know it by; `https` is as if a proxy stood before the nodes.
    static func named(_ name: String, nonces: Bool = false, scheme: String = "http")
        async throws -> TestProject
    {
        let stack = try RunningStack.running()
        let project = applied.withLock { applied in
            if let project = applied.projects[name] { return project }
            // One after the other: of two that are created at once the operator of one hears 409.
            let before = applied.last
            let created = Task {
                _ = await before?.result
                return try await TestProject(name, on: stack, nonces: nonces, scheme)
            }
            let served = Task {
                let project = try await created.value
                try await project.untilServed()
                return project
            }
            applied.projects[name] = served
            applied.last = created
            return served
        }
        return try await project.value
    }

    private init(_ name: String, on stack: RunningStack, nonces: Bool, _ scheme: String)
        async throws
    {
        id = "\(name)-\(UUID().uuidString.prefix(8).lowercased())"
        self.stack = stack
        keys = [
            "desk": try PhoneKey("ES256"), "vault": try PhoneKey("ES256"),
            "service": try PhoneKey("ES256"),
        ]
        let port = stack.issuer.split(separator: ":").last ?? ""
        site = Site(stack, origin: "\(scheme)://\(id).localhost:\(port)")
        var admin = Browser(stack.facts["ADMIN_URL"] ?? "")
        let answer = try await admin.send(
            "PUT",
            "/admin/v1/project?project=\(id)&reason=test",
            headers: [
                ("Authorization", "Bearer \(stack.facts["ADMIN_TOKEN"] ?? "")"),
                ("Content-Type", "application/yaml"), ("If-None-Match", "*"),
            ],
            body: try document(nonces: nonces)
        )
        guard answer.status == 201 else {
            throw SignIn.Failed(description: "\(id) was refused: \(answer.status) \(answer.text)")
        }
    }

    private func untilServed() async throws {
        for node in site.nodes.indices {
            try await Waiting.until("node \(node) serves \(id)") {
                try await site.send(
                    WireRequest("GET", "/.well-known/openid-configuration"),
                    at: node
                ).status == 200
            }
        }
    }

    /// Applies the document again with one text of it replaced.
    func change(_ part: String, to other: String) async throws {
        let answer = try await changing(part, to: other)
        guard answer.status == 200 else {
            throw SignIn.Failed(description: "\(id) was refused: \(answer.status) \(answer.text)")
        }
    }

    /// What that is answered with.
    func changing(_ part: String, to other: String) async throws -> WireAnswer {
        var admin = Browser(stack.facts["ADMIN_URL"] ?? "")
        let target = "/admin/v1/project?project=\(id)"
        let caller = (
            name: "Authorization", value: "Bearer \(stack.facts["ADMIN_TOKEN"] ?? "")"
        )
        let current = try await admin.send("GET", target, headers: [caller])
        return try await admin.send(
            "PUT",
            "\(target)&reason=test",
            headers: [
                caller, ("Content-Type", "application/yaml"),
                ("If-Match", current["etag"] ?? ""),
            ],
            body: current.text.replacing(part, with: other)
        )
    }

    /// Disables a user, as an operator does.
    func disable(subject: String) async throws {
        var admin = Browser(stack.facts["ADMIN_URL"] ?? "")
        let answer = try await admin.send(
            "POST",
            "/admin/v1/subjects/\(subject)/disable?project=\(id)",
            headers: [
                ("Authorization", "Bearer \(stack.facts["ADMIN_TOKEN"] ?? "")"),
                ("Content-Type", "application/json"),
            ],
            body: #"{"reason":"test"}"#
        )
        guard answer.status == 200 else {
            throw SignIn.Failed(description: "not disabled: \(answer.status) \(answer.text)")
        }
    }
}
