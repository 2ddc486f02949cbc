import Crypto
import Domain
import Issuing
import Runtime
import Testing

@testable import Signing

@Suite("Root secrets") struct RootSecretsTests {
    @Test("of a file with a previous one: it verifies, names stay, new values get a new key")
    func previous() throws {
        let first = RootSecrets.generate()
        let second = try #require(
            RootSecrets(
                RootSecrets(
                    current: SecureRandom.secret(RootSecrets.count),
                    previous: first.current,
                    lookup: first.lookup
                ).joined
            )
        )
        let (old, new) = (RootDigester(first), RootDigester(second))
        let mac = old.mac(.refresh, [1, 2])
        #expect(new.mac(.refresh, [1, 2]) != mac)
        #expect(new.isValid(mac, .refresh, [1, 2]))
        #expect(!new.isValid(mac, .refresh, [1, 3]))
        #expect(!new.isValid(mac, .form, [1, 2]), "labels do not share a key")
        #expect(new.mac(.lookup, [1]) == old.mac(.lookup, [1]))
        #expect(!old.isValid(new.mac(.refresh, [1, 2]), .refresh, [1, 2]))
    }
}
