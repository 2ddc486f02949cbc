import Domain
import InMemory
import Issuing

/// The people with phones of a run, and what the log says of them before anything goes wrong.
enum PhoneSetUp {
    /// How many there are is drawn apart, so that seeds without phones stay what they were.
    static func make(for clients: Clients) async -> [Phone]? {
        let world = clients.world
        var dice = Dice(seed: world.seed, purpose: 4)
        guard dice.strikes(600) else { return [] }
        let count = dice.strikes(300) ? 2 : 1
        let model = clients.sharedModel()
        let entropy = SeededEntropy(seed: world.seed ^ 0x70)
        let node = clients.installation.issuers[0]
        var phones: [Phone] = []
        for number in 1...count {
            let now = node.clock.now
            let subject = SubjectID(.permanent(at: now, from: entropy))
            let address = Array("phone\(number)@example.com".utf8)
            let deadline = node.clock.deadline(inMilliseconds: 3000)
            let installation = clients.installation
            let key = try? await installation.sealer.key(
                subject.stream,
                of: installation.projectNumber,
                by: deadline
            )
            guard let email = key?.seal(address, as: .email(of: subject)) else { return nil }
            let isIn = await node.run(Subject.self, subject.stream) { _ in
                .register(source: .loginLink, email: email, emailVerified: true, at: now)
            }
            guard isIn else { return nil }
            phones.append(Phone("phone\(number)", of: subject, clients, model))
        }
        return phones
    }
}
