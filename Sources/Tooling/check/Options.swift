import Foundation

/// A mistake on the command line, said so that the next try succeeds.
struct UsageError: Error {
    var sentence: String
}

/// What the command line asks for.
struct Options {
    /// The stages to run, in the order of the table.
    var stages: [Stage]
    /// Variables every stage gets on top of the caller's.
    var environment: [String: String]

    /// Whether continuous integration runs us, as `CI` says.
    static let isCI = ProcessInfo.processInfo.environment["CI"].map { !$0.isEmpty } ?? false

    init(_ arguments: [String], _ inherited: [String: String]) throws(UsageError) {
        environment = inherited
        var names: [String] = []
        var extent: Stage.Extent?
        for argument in arguments {
            switch argument {
            case "--quick": extent = .quick
            case "--full": extent = .full
            case "--torture":
                names += ["release", "torture"]
                environment["TORTURE"] = "full"
            case "--torture-short": names += ["release", "torture"]
            case "--load":
                names += ["release", "load"]
                environment["LOAD"] = "full"
            case "--soak": names += ["release", "soak"]
            case "--mutants": names.append("mutants")
            case "--write": names.append("write")
            case _ where argument.hasPrefix("-"):
                throw UsageError(sentence: "unknown option \(argument)")
            default: names.append(argument)
            }
        }
        // The tests that compare what is made of code and migrations write it first.
        if names.contains("write") { environment["WRITE"] = "1" }
        if extent == .full { environment["LOAD"] = "full" }
        if extent == .quick { environment["SEEDS"] = inherited["SEEDS"] ?? "20" }
        for name in names where !Stage.all.contains(where: { $0.name == name }) {
            let known = Stage.all.map(\.name).joined(separator: " ")
            throw UsageError(sentence: "unknown stage \(name); there are: \(known)")
        }
        guard names.isEmpty || extent == nil else {
            throw UsageError(sentence: "name stages, or an extent, not both")
        }
        stages =
            names.isEmpty
            ? Stage.all.filter { $0.extent <= extent ?? .usual }
            : Stage.all.filter { names.contains($0.name) || names.needs($0) }
    }
}

extension [String] {
    /// Whether one of these stages runs tests, which the stage `build` makes.
    fileprivate func needs(_ stage: Stage) -> Bool {
        guard stage.name == "build" || stage.name == "release" else { return false }
        return Stage.all.contains { contains($0.name) && $0.needs.contains(stage.name) }
    }
}
