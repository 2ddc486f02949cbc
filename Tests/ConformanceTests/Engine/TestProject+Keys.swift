import Foundation
import TestSupport

extension TestProject {
    /// Lets another key sign at once, and gives the former up as stolen, as an operator does.
    func giveUpKey() async throws {
        let staged = try await change("stage", [:])
        let kid = staged.result("kid") ?? ""
        let promoted = try await change("promote", ["kid": kid, "emergency": true])
        guard promoted.result("compromised") != nil else {
            throw SignIn.Failed(description: "no key was given up: \(promoted.text)")
        }
    }

    private func change(_ verb: String, _ members: [String: Any]) async throws -> WireAnswer {
        let body = try JSONSerialization.data(
            withJSONObject: members.merging(["reason": "test"]) { $1 }
        )
        var admin = Browser(stack.facts["ADMIN_URL"] ?? "")
        let answer = try await admin.send(
            "POST",
            "/admin/v1/keys/\(verb)?project=\(id)",
            headers: [
                ("Authorization", "Bearer \(stack.facts["ADMIN_TOKEN"] ?? "")"),
                ("Content-Type", "application/json"),
            ],
            body: String(decoding: body, as: UTF8.self)
        )
        guard answer.status == 200 else {
            throw SignIn.Failed(description: "\(verb): \(answer.status) \(answer.text)")
        }
        return answer
    }
}
