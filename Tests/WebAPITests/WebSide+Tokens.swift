import Domain
import InMemory
import Issuing
import OAuth
import TestSupport

// What the tokens of an answer say, believed.
extension WebSide {
    func claims(of answer: Answer) -> AccessTokenClaims? {
        answer["access_token"]?.string.flatMap { claims(of: $0) }
    }

    func claims(of token: some StringProtocol) -> AccessTokenClaims? {
        side.signer.verifyAccessToken(Array(token.utf8), of: side.project, at: side.clock.now)
    }

    func identity(of answer: Answer) -> IDTokenClaims? {
        answer["id_token"]?.string.flatMap {
            side.signer.verifyIDToken(Array($0.utf8), of: side.project)
        }
    }

    /// How and when the user logged in, as access token and ID token say: one, if they agree.
    func logins(of answer: Answer) -> Set<Authentication?> {
        [claims(of: answer)?.authentication, identity(of: answer)?.authentication]
    }

    /// Whose access token an answer holds.
    func subject(of answer: Answer) -> SubjectID? {
        claims(of: answer).flatMap { SubjectID(text: $0.subject.utf8) }
    }
}
