import Foundation
import TestSupport

/// The mail page of the stack (`/links.json`).
struct MailBox {
    /// 45 s: a mail that a token-issuer had leased goes out after 30 s, by another, when it was
    /// killed or its database frozen in the middle; one that ends in order gives it back at once.
    private static let attempts = 900

    let page: String

    /// Whether no mail to an address has come.
    func isEmpty(for address: String) async throws -> Bool {
        try await mails(to: address).isEmpty
    }

    /// The texts of all mails to an address whose subject begins so; waits until there is one.
    func texts(to address: String, subject: String) async throws -> [String] {
        for _ in 0..<Self.attempts {
            let found = try await mails(to: address).filter {
                ($0["subject"] as? String)?.hasPrefix(subject) == true
            }
            if !found.isEmpty { return found.compactMap { $0["text"] as? String } }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw SignIn.Failed(description: "no mail \"\(subject)\" to \(address) came")
    }

    private func mails(to address: String) async throws -> [[String: Any]] {
        var browser = Browser(page)
        let answer = try await browser.send("GET", "/links.json?to=\(SignIn.escaped(address))")
        let all = try JSONSerialization.jsonObject(with: answer.body) as? [[String: Any]] ?? []
        return all.filter { ($0["to"] as? String)?.contains(address) == true }
    }

    /// The link in the newest mail to an address; waits until there is one.
    ///
    /// Links of `used` do not count: the mail of this sign-in may come after the one before.
    func newestLink(to address: String, except used: Set<String> = []) async throws -> String {
        for _ in 0..<Self.attempts {
            if let link = try await links(to: address).first(where: { !used.contains($0) }) {
                return link
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw SignIn.Failed(description: "no mail to \(address) came")
    }

    /// The login links that an address has, the newest first.
    func links(to address: String) async throws -> [String] {
        try await mails(to: address).compactMap { mail in
            // Other mails have links, too.
            (mail["links"] as? [String])?.first { $0.contains("/verify_login_link") }
        }
    }
}
