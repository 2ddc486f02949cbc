import Domain
import Foundation
import Issuing
import Runtime
import Signing
import Testing

extension ProductionStart {
    /// Makes the keys of an installation and, in its database, the project `shop`; answers the
    /// project's active key, whose file is the program's.
    ///
    /// `isKeyRecorded`: whether the log knows the key.
    func addProject(to database: TestDatabase, isKeyRecorded: Bool = true) async throws
        -> GeneratedKey
    {
        let made = Guarded<GeneratedKey?>(nil)
        let names = try IssuerStartTests.makeKeys(self) { directory in
            let vault = SigningKeyVault(directory, on: BlockingExecutor())
            made.replace(with: try vault.generateNow(.es256))
        }
        let key = try #require(made.current)
        try own(path("keys/\(key.kid).key"))
        let document = "id: shop\nname: Shop\nhttp: {public_origin: \"https://shop.example\"}\n"
        let filler = LogFiller(database: database)
        try await filler.addProject(
            Array(document.utf8),
            to: names.projectConfig(LogFiller.project)
        )
        if isKeyRecorded {
            try await filler.addKey(key, to: names.signingKeys(of: LogFiller.project))
        }
        return key
    }

    /// Waits until the program has said `words`.
    func says(_ words: String, on loop: Loop) async throws {
        let limit = MonotonicInstant.soon
        while !output.contains(words) {
            try #require(MonotonicInstant.now() < limit, "\(output)")
            try await loop.sleep(until: .after(.milliseconds(50)))
        }
    }
}
