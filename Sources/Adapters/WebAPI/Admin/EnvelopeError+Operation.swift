internal import Domain
internal import EventFormat
internal import Issuing
internal import OAuth

extension EnvelopeError {
    /// A body with something wrong in it.
    static func invalid(_ causes: [Cause]) -> Self {
        Self(.validationFailed, "invalid request body", causes: causes)
    }

    /// As below; `absent` says what was not found.
    init(_ error: OperationError, absent: StaticString) {
        if case .notFound = error {
            self.init(.notFound, absent)
        } else {
            self.init(error)
        }
    }

    /// What an operator hears of a command that did not happen, or of which that is not known.
    init(_ error: OperationError) {
        switch error {
        case .notFound: self.init(.notFound, "not found")
        case .conflict(let why):
            self.init(.conflict, why.sentence, cause: "\(why)", causes: why.causes)
        case .invalid(let findings):
            self.init(
                .validationFailed,
                "the project document is invalid",
                causes: findings.lines.map(Self.finding)
            )
        case .store(let why):
            let error = OAuthError(why)
            guard case .corrupt = why else {
                self.init(error)
                return
            }
            // Trying again does not help.
            self.init(
                .unexpectedError,
                "this program cannot go on with a stream of events: its log says which",
                cause: error.cause,
                refusal: error.refusal
            )
        case .keys(.unavailable):
            self.init(.serviceUnavailable, "try again", cause: "keys: unavailable")
        case .keys(.unwritable(let why)):
            self.init(
                .unexpectedError,
                "this node cannot write its keys.directory: its log says why",
                cause: why,
                refusal: "AD-001"
            )
        }
    }

    /// A line `<path>: <what is wrong>`; the path is an operator's own text, so it goes back.
    private static func finding(_ line: String) -> Cause {
        let bytes = Array(line.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[(colon + 1)...].first == UInt8(ascii: " ")
        else { return .general("", line) }
        return .general(
            String(decoding: bytes[..<colon], as: UTF8.self),
            String(decoding: bytes[(colon + 2)...], as: UTF8.self)
        )
    }
}

extension OperationError.Conflict {
    /// What its sentence leaves open: until when, or whose.
    fileprivate var causes: [EnvelopeError.Cause] {
        switch self {
        case .key(.stagedTooRecently(let end)):
            [.general("/kid", "may be promoted from \(end.text) on")]
        case .key(.retiredTooRecently(let end)):
            [.general("/kid", "may be retired from \(end.text) on")]
        case .sharedHost(let host, of: let other):
            [.general("http.hosts", "\(host) is project \(other.text)'s")]
        case .sharedCookie(let cookie, of: let other):
            [
                .general(
                    "http.cookie_prefix",
                    "\(cookie.name) at \(cookie.domain) is project \(other.text)'s: "
                        + "set another prefix"
                )
            ]
        case .unknownHosts(of: let number):
            [.general("http.hosts", "those of project number \(number.value) are not known")]
        case .foreignRoot:
            [.general("keys.directory", "copy that of the machines that serve them to this one")]
        case .unusableFile(let fault):
            [
                .general("/kid", fault),
                .general("/kid", "promote it where its file can be read, or stage another key"),
            ]
        case .signingKey:
            [
                .general("/kid", "first let another sign: keys promote KID --emergency"),
                .general("/final", "or say true (--final): 500 to everybody until one is promoted"),
            ]
        case .key, .document, .user, .tooManyProjects: []
        }
    }

    fileprivate var sentence: StaticString {
        switch self {
        case .key(let rejection): rejection.sentence
        case .document(let rejection): rejection.sentence
        case .user(let rejection): rejection.sentence
        case .sharedHost: "another project answers one of its hosts"
        case .sharedCookie: "another project's web clients get a cookie of that name"
        case .tooManyProjects: "there are too many projects"
        case .unusableFile: "this node cannot read the key's file in its keys.directory"
        case .signingKey: "the key signs now, and nothing would sign in its place"
        case .foreignRoot: "the root secret of this node did not make the projects of its database"
        case .unknownHosts: "another project's events cannot be read here, and so not its hosts"
        }
    }
}

extension Instant {
    fileprivate var text: String { String(decoding: RFC3339.milliseconds(self), as: UTF8.self) }
}

extension SigningKeyRing.Rejection {
    fileprivate var sentence: StaticString {
        switch self {
        case .knownKey: "the key is in the ring already"
        case .unknownKey: "there is no such key"
        case .notStaged: "the key is not staged"
        case .stagedTooRecently: "the key was staged too recently: some may not know it yet"
        case .notPrevious: "the key is not a previous one"
        case .compromised: "the key is compromised"
        case .retiredTooRecently: "tokens that the key signed may still be alive"
        }
    }
}

extension ProjectConfig.Rejection {
    fileprivate var sentence: StaticString {
        switch self {
        case .alreadyExists: "the project exists"
        case .unknown: "there is no such project"
        case .otherProject: "the document is another project's"
        case .changedMeanwhile: "somebody changed it since you looked"
        }
    }
}

extension Subject.Rejection {
    fileprivate var sentence: StaticString {
        switch self {
        case .alreadyRegistered: "the user is registered already"
        case .unknown: "there is no such user"
        case .erased: "the user is erased"
        }
    }
}
