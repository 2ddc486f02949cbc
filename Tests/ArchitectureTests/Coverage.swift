import Foundation

/// How the coverage rules read what they compare.
enum Coverage {
    /// `RefreshToken` as `refresh-token`.
    static func dashed(_ name: String) -> String {
        var text = ""
        var previous: Character?
        for (index, letter) in name.enumerated() {
            let next = name.dropFirst(index + 1).first
            let begins =
                letter.isUppercase
                && (previous?.isLowercase == true
                    || previous?.isUppercase == true && next?.isLowercase == true)
            text += (begins ? "-" : "") + letter.lowercased()
            previous = letter
        }
        return text
    }

    /// A stored name without punctuation and version: `offline-grant.opened.v1` as
    /// `offlinegrantopened`.
    static func folded(_ name: String) -> String {
        var parts = name.split(separator: ".")
        if let last = parts.last, last.first == "v", last.dropFirst().allSatisfy(\.isNumber) {
            parts.removeLast()
        }
        return parts.joined().filter(\.isLetter).lowercased()
    }

    /// The cases with a number, folded.
    static func storedEvents(in file: SourceFile) -> Set<String> {
        Set(
            file.code.compactMap { line in
                let words = line.split(separator: " ")
                guard words.count == 4, words[0] == "case", words[2] == "=",
                    words[3].allSatisfy(\.isNumber)
                else { return nil }
                return words[1].filter(\.isLetter).lowercased()
            }
        )
    }

    /// The words that are a refusal's ID, such as `RT-004`.
    static func refusals(in words: [String]) -> Set<String> {
        Set(
            words.filter { word in
                let parts = word.split(separator: "-", omittingEmptySubsequences: false)
                return parts.count == 2 && 2...3 ~= parts[0].count && parts[1].count == 3
                    && parts[0].allSatisfy { $0.isASCII && $0.isUppercase }
                    && parts[1].allSatisfy(\.isNumber)
            }
        )
    }

    /// The names of the series that a file publishes.
    static func metrics(in file: SourceFile) -> Set<String> {
        guard file.code.contains(where: { $0.contains("metrics.") }) else { return [] }
        return Set(
            file.literals.map(\.text).filter { text in
                text.hasPrefix("chancery_") && text.allSatisfy { $0.isLetter || $0 == "_" }
            }
        )
    }

    /// The names of settings, and of their values, among the literals of a file.
    ///
    /// They are written with underscores: what is one word is too common to be looked for.
    static func settings(in file: SourceFile) -> Set<String> {
        Set(
            file.literals.map(\.text).filter { word in
                let parts = word.split(separator: "_", omittingEmptySubsequences: false)
                return parts.count > 1
                    && parts.allSatisfy { part in
                        part.first?.isLetter ?? false
                            && part.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
                    }
            }
        )
    }

    /// The words of a text that may be names.
    static func names(in text: String) -> Set<String> {
        Set(
            text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
                .map(String.init)
        )
    }

    /// A rule of Prometheus.
    struct Alert {
        var name: String
        var severity: String
        /// The series that it asks for.
        var metrics: Set<String>
        /// The series whose row of the handbook it is of.
        var row: String
    }

    /// The rules of a file, in order.
    static func alerts(in text: String) -> [Alert] {
        text.components(separatedBy: "- alert: ").dropFirst().map { rule in
            // What it asks stands before its labels.
            let parts = rule.components(separatedBy: "labels: ")
            let asked = names(in: parts[0]).filter { $0.hasPrefix("chancery_") }
            let rest = parts.dropFirst().joined()
            let row = rest.components(separatedBy: "metrics: ").dropFirst().first ?? ""
            return Alert(
                name: String(rule.prefix { $0.isLetter }),
                severity: words(after: "severity: ", in: rest).first ?? "",
                metrics: Set(asked.map { $0.replacing(/_bucket$/, with: "") }),
                row: String(row.prefix { $0.isLetter || $0 == "_" })
            )
        }
    }

    /// `0002_event_store` as `2 event_store`.
    static func stepName(_ file: String) -> String {
        "\(Int(file.prefix(4)) ?? 0) \(file.dropFirst(5))"
    }

    /// Version and name of each step, in the order of the list.
    static func listedSteps(in text: String) -> [String] {
        text.components(separatedBy: "Step(version: ").dropFirst().map { rest in
            let name = rest.split(separator: "\"", omittingEmptySubsequences: false).dropFirst()
            return "\(rest.prefix(while: \.isNumber)) \(name.first ?? "")"
        }
    }

    /// The letters and digits that follow each `prefix`.
    static func words(after prefix: String, in text: String) -> [String] {
        text.components(separatedBy: prefix).dropFirst().map { rest in
            String(rest.prefix { $0.isLetter || $0.isNumber })
        }
    }
}
