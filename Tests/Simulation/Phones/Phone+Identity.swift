import Domain
import Issuing
import OAuth

// A fresh id token for who holds an access token (WireContract 5.8).
extension Phone {
    private static let identity = "urn:authgear:params:oauth:grant-type:id-token"

    /// What it says of the session's device secret is believed, as an app does: the next exchange
    /// shows it.
    func identify(_ holding: Holding) async {
        guard holding.client.utf8.elementsEqual(owner.utf8), holding.isOwner,
            let access = holding.accessTokens.last
        else { return }
        var plan = plan(.idToken, holding, by: access)
        var fields: [(String, String)] = []
        let isOnDevice = holding.sharesSecret && holding.id == login?.id
        if isOnDevice, let pass = chain?.pass {
            fields.append(("device_secret", Clients.text(pass.secret)))
        }
        let answered = await ask(
            plan,
            Self.identity,
            fields,
            as: holding.client,
            bearer: access.text
        )
        if isOnDevice, let tokens = answered.tokens { chain?.take(tokens) }
        guard world.dice.strikes(200) else { return }
        // Another app that came by the access token.
        plan.isRight = false
        _ = await ask(plan, Self.identity, [], as: secondOwner, bearer: access.text)
    }

    /// The other app that opens sessions: whoever this one is.
    var secondOwner: String { owner.utf8.elementsEqual("bank".utf8) ? "shop" : "bank" }
}
