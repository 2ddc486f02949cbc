import Testing

/// An attack that the plan names (Security 4.1 to 4.13), and where the handbook says which test
/// it is.
struct Attack: Sendable, CustomTestStringConvertible {
    enum Place: Hashable, Sendable {
        /// The attack of a row, under its feature.
        case row(String, String)
        /// Nothing can be attacked that the handbook calls not built yet, in these words.
        case notBuilt(String)
    }

    /// In the words of the plan.
    var testDescription: String
    var place: Place

    static let all = issuing + phones + pages + behind

    private static func rows(
        _ section: String,
        _ feature: String,
        _ rows: KeyValuePairs<String, String>
    ) -> [Attack] {
        rows.map { Attack(testDescription: "\(section) \($0)", place: .row(feature, $1)) }
    }

    private static func notBuilt(_ section: String, _ words: KeyValuePairs<String, String>)
        -> [Attack]
    {
        words.map { Attack(testDescription: "\(section) \($0)", place: .notBuilt($1)) }
    }
}

extension Attack {
    private static let issuing =
        rows(
            "4.1",
            "authorization, codes, clients",
            [
                "code of another client; parallel redemption":
                    "a code of another client; parallel redemption",
                "replay, valid client and verifier": "replay of a code, with client and verifier",
                "replay without valid verifier": "replay without the verifier",
                "PKCE downgrade": "PKCE downgrade",
                "mix-up; state and nonce abuse": "mix-up; state and nonce abuse",
                "code in history, logs": "a code in history or logs",
                "request_uri replay, foreign client":
                    "`request_uri` again, by another client, inside a push",
                "assertion replay or wrong audience": "an assertion again, for somebody else",
                "secret guessing": "guessing a secret",
                "disabled client": "a disabled client",
                "redirect URIs": "a redirect URI that is not registered",
            ]
        )
        + rows(
            "4.2",
            "refresh tokens",
            [
                "old generation presented": "an old generation",
                "lost answer": "one token many times at once; a lost answer",
                "wrong client burns the owner's token":
                    "another client burns the owner's token; a failed attempt does",
                "bound token without its key": "a bound token without its key",
                "disabled subject, lost scope": "a disabled user; more scope",
                "endless life": "endless life",
                "spent digests grow for ever": "spent tokens without end",
            ]
        )

    private static let phones =
        rows(
            "4.3",
            "device keys, app2app",
            [
                "challenge flood": "a flood of challenges",
                "wrong purpose; parallel use":
                    "a challenge for another purpose, or of another project, or twice at once",
                "stolen refresh token": "a stolen refresh token",
                "thief binds an own key": "a thief binds a key of its own",
                "key swap on reauthentication, two parallel binds":
                    "another key at a reauthentication; two at once",
                "steering into a hostile app": "steering into a hostile app",
                "unwanted target, scope growth": "an unwanted target; growth of scope",
                "JWT reused for another target":
                    "a JWT for another target, of another kind or time",
                "owner revoked before redemption": "the owner is revoked before the redemption",
            ]
        )
        + rows(
            "4.4",
            "biometric keys",
            [
                "setup with a stolen or old token": "`setup` with a stolen or old token",
                "authenticate as authenticate_app2app or reverse":
                    "a login as an approval, or the reverse",
                "unknown key, wrong signature, guessing":
                    "an unknown key, a wrong signature, guessing",
                "expired or used challenge": "an expired or used challenge",
                "plain app2app where biometric is required":
                    "a plain approval where a finger is wanted",
                "removed key still works; one key for two subjects":
                    "a removed key; one key for two users",
            ]
        )
        + rows(
            "4.9",
            "native SSO",
            [
                "id token of A with secret of B":
                    "the id token of one session with the secret of another",
                "other token as subject_token; client outside the group":
                    "another token as subject token; a missing one; a client outside the group",
                "expired id token": "an id token of a session that has ended",
                "two apps use the secret at once": "two apps use the secret at once",
                "chain lengthens life; stolen secret":
                    "a chain that lengthens life; a stolen secret",
            ]
        )
        + rows(
            "4.10",
            "DPoP",
            [
                "replay": "replay of a proof",
                "bound access token as Bearer, or proof without ath":
                    "a bound token as Bearer, or a proof without `ath`",
                "two headers; other key than dpop_jkt; invalid proof, unbound token":
                    "two headers; another key than `dpop_jkt`; an invalid proof beside what is "
                    + "not bound",
                "pre-made proofs": "proofs made before",
            ]
        )

    private static let pages =
        rows(
            "4.5",
            "browser sessions, cookies",
            [
                "cookies": "a cookie that is malformed, made up, or of a session that has ended",
                "form posts": "another site posts a form; a form for another purpose",
                "CORS": "another site's script reads an answer",
            ]
        )
        + rows(
            "4.6",
            "login link",
            [
                "scanner opens it": "a scanner opens it",
                "approval of a stranger's login": "approval of a stranger's login",
                "result without approval; stolen by a poller":
                    "a result without approval, or by who polls for another's",
                "several links open": "one link, or one login, many times; several links open",
                "guessing": "guessing",
                "flooding": "mails without end, or to a stranger",
                "poisoned host, header": "a poisoned host or header",
                "lookalike addresses": "lookalike addresses",
            ]
        )
        + rows(
            "4.7",
            "universal links",
            [
                "foreign id, wide path, JSON injection":
                    "JSON injection, a foreign name, a wide path",
                "Android app of client B claims A's path": "another app claims a client's links",
                "fallback as open redirect": "the fallback as an open redirector",
            ]
        )
        + rows(
            "4.8",
            "pre-authenticated URL",
            [
                "leaked URL; trick origin": "a leaked URL; a trick origin",
                "victim put into the attacker's account":
                    "a victim put into the attacker's account",
                "prefetch": "prefetch",
                "parallel use, grant revoked meanwhile":
                    "parallel use; the session revoked meanwhile",
                "permanent cookie": "a cookie that stays",
                "not opted in": "a client that has not opted in",
            ]
        )

    private static let behind =
        rows(
            "4.11",
            "introspection, revocation, logout",
            [
                "foreign caller, scanning": "a foreign caller; a scan",
                "200 though not revoked": "200 though not revoked",
                "unknown or foreign token, wrong hint":
                    "an unknown or foreign token, a wrong hint",
                "end-session CSRF, redirect":
                    "another site, or a look ahead, ends a session; a redirect",
            ]
        )
        + notBuilt(
            "4.11",
            [
                "forged or replayed SET": "the SSF transmitter",
                "forged or replayed logout token": "back-channel logout",
                "stranger's stream": "the SSF transmitter",
                "status index leaks or is reused": "the status list",
            ]
        )
        + rows(
            "4.12",
            "operators, the log",
            [
                "rewritten history": "rewritten history",
                "personal data for ever": "personal data that stays",
                "curious reader; forged cursor": "a curious reader; a forged cursor",
                "operator misuse": "misuse by an operator",
                "admin listener found": "the admin listener is found",
            ]
        )
        + notBuilt(
            "4.12",
            [
                "truncated tail": "the audit trail with its transparency log",
                "a confirmed plan that is stale": "bulk revocation orders",
            ]
        )
        + rows(
            "4.13",
            "PostgreSQL, Kafka, mail",
            [
                "SQL injection": "SQL injection",
                "reorder by an older xid": "an event behind those that were read",
                "replica as authority": "a standby that is taken for the log",
                "T9 writes": "forged records on Kafka",
                "T9 reads": "a reader of Kafka",
                "poison": "a record that nobody can read",
                "replay re-sends mail": "a mail that goes out again",
                "mail relay abuse": "a mail relay that is abused",
            ]
        )
}
