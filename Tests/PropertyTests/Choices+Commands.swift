import Domain
import TestSupport

/// A step of a history: a command and its time, never before the previous one's.
struct Step<A: Aggregate>: Sendable {
    var command: A.Command
    var at: Instant

    /// Up to twelve commands, microseconds to seconds apart.
    static func history(
        _ make: @escaping @Sendable (inout Choices, Instant) -> A.Command
    ) -> Generator<[Step]> {
        Generator { choices in
            var now = Sample.time(0)
            return (0..<choices.draw(below: 13)).map { _ in
                now = now.adding(microseconds: choices.integer(0...2_000_000))
                return Step(command: make(&choices, now), at: now)
            }
        }
    }
}

extension Choices {
    mutating func subjectCommand(at: Instant) -> Subject.Command {
        switch draw(below: 4) {
        case 0:
            .register(
                source: any(Subject.Source.self),
                email: sealed(),
                emailVerified: bool(),
                at: at
            )
        case 1: .disable(.operator)
        case 2: .enable(at: at)
        default: .erase
        }
    }

    mutating func loginIDCommand() -> LoginID.Command {
        bool()
            ? .claim(by: subject(), kind: .email, value: sealed())
            : .release(by: subject(), any(LoginID.ReleaseReason.self))
    }

    mutating func loginLinkCommand(at: Instant) -> LoginLink.Command {
        switch draw(below: 7) {
        case 0: .request(preciseRequest(at: at))
        case 1: .recordMailSent(generation: integer(0...3), attempt: integer(1...5))
        case 2:
            .recordMailFailed(
                generation: integer(0...3),
                attempt: integer(1...5),
                code: integer(400...599),
                final: bool()
            )
        case 3:
            .approve(
                by: any(LoginLink.Approver.self),
                sameDevice: bool(),
                generation: integer(0...3),
                number: maybe { $0.integer(0...99) },
                at: at
            )
        case 4: .deny(any(LoginLink.DenyReason.self), generation: integer(0...3), at: at)
        case 5: .supersede(by: stream())
        default: .consume(initiator: digest(), at: at)
        }
    }

    /// As a use case gives it: not yet rounded to what is stored.
    private mutating func preciseRequest(at: Instant) -> LoginLink.Request {
        let owner = maybe { $0.subject() }
        var request = request(subject: owner, at: at)
        request.expiresAt = instant()
        return request
    }

    mutating func authorizationCommand(at: Instant) -> Authorization.Command {
        switch draw(below: 5) {
        case 0:
            var request = authorizationRequest(at: at)
            request.expiresAt = instant()
            return .start(request, browser: digest())
        case 1: return .requestLogin(stream(), browser: digest(), at: at)
        case 2: return .authenticate(login(subject: subject()), browser: digest(), at: at)
        case 3:
            return .complete(
                code: maybe { $0.stream() },
                scope: scope(),
                browser: digest(),
                at: at
            )
        default: return .fail(any(Authorization.Failure.self), browser: digest())
        }
    }

    mutating func browserSessionCommand(at: Instant) -> BrowserSession.Command {
        switch draw(below: 5) {
        case 0:
            var session = browserSession(subject: subject(), at: at)
            session.expiresAt = instant()
            return .open(session)
        case 1:
            return .reauthenticate(
                authentication(),
                subject: subject(),
                cookie: digest(),
                at: at
            )
        case 2: return .see(at: at)
        case 3: return .join(BrowserSession.Joined(client: client(), grant: session()))
        default: return .end(any(BrowserSession.EndReason.self))
        }
    }

    mutating func codeCommand(at: Instant) -> AuthorizationCode.Command {
        switch draw(below: 3) {
        case 0:
            var ticket = ticket(subject: subject())
            ticket.expiresAt = instant()
            return .issue(ticket)
        case 1:
            let family: UInt16? = bool() ? integer(1...9) : nil
            return .redeem(presentation(at: at), grant: session(), family: family)
        default: return .recordReplay(presentation(at: at), used: bool())
        }
    }

    private mutating func presentation(at: Instant) -> AuthorizationCode.Presentation {
        AuthorizationCode.Presentation(
            secret: digest(),
            client: client(),
            redirectURI: maybe { $0.redirectURI() },
            verifier: maybe { $0.digest() },
            dpopKey: maybe { $0.key() },
            at: at
        )
    }

    mutating func grantCommand(at: Instant) -> OfflineGrant.Command {
        switch draw(below: 14) {
        case 0:
            var opening = opening(subject: subject(), at: at)
            opening.expiresAt = instant()
            return .open(
                opening,
                refreshToken: maybe { $0.refreshToken() },
                accessToken: accessToken()
            )
        case 1: return .refresh(refresh(at: at))
        case 2:
            return .reauthenticate(
                authentication(),
                by: client(),
                subject: subject(),
                accessToken: accessToken(),
                at: at
            )
        case 3: return .revoke(any(RevocationReason.self))
        case 4: return .revokeAccessToken(token(), by: client(), expiresAt: instant())
        case 5: return .bindDeviceKey(deviceKey(), insecure: bool())
        case 6: return .approveApp2App(app2appApproval())
        case 7: return .present(shown(at: at))
        case 8: return .share(.issueDeviceSecret(digest(), key: maybe { $0.key() }, at: at))
        case 9: return .share(.revokeDeviceSecret(digest(), at: at))
        case 10: return joining(at: at)
        case 11: return .share(.leave(client(), any(OfflineGrant.LeaveReason.self)))
        case 12:
            return bool()
                ? .share(.issueURL(urlIssued(at: at), hint: client()))
                : .share(.mint(accessToken(), at: at))
        default: return .share(.presentDeviceSecret(digest(), at: at))
        }
    }

    private mutating func joining(at: Instant) -> OfflineGrant.Command {
        let join = OfflineGrant.Join(
            client: client(),
            invitation: bool()
                ? .nativeSSO(secret: digest(), invitedBy: client(), isShared: bool())
                : .continue(of: client(), since: maybe { $0.wholeInstant() }),
            parent: parent(),
            scope: scope(),
            at: at
        )
        return .share(
            .join(
                join,
                refreshToken: maybe { $0.refreshToken() },
                accessToken: accessToken()
            )
        )
    }

    private mutating func shown(at: Instant) -> OfflineGrant.Presentation {
        OfflineGrant.Presentation(
            family: integer(0...2),
            generation: integer(0...3),
            presented: digest(),
            dpopKey: maybe { $0.key() },
            graceMilliseconds: integer(0...3000),
            proven: bool(),
            at: at
        )
    }

    private mutating func refresh(at: Instant) -> OfflineGrant.Refresh {
        OfflineGrant.Refresh(
            family: integer(0...2),
            generation: integer(0...3),
            presented: digest(),
            successor: digest(),
            client: client(),
            dpopKey: maybe { $0.key() },
            scope: maybe { $0.scope() },
            allowedScope: scope(),
            rotates: bool(),
            graceMilliseconds: integer(0...3000),
            token: token(),
            tokenExpiresAt: instant(),
            proven: bool(),
            at: at
        )
    }

    mutating func consentCommand() -> Consent.Command {
        bool()
            ? .give(client(), scope()) : .withdraw(by: any(Consent.Withdrawer.self))
    }

    mutating func keyCommand(at: Instant) -> SigningKeyRing.Command {
        switch draw(below: 4) {
        case 0:
            .stage(
                kid: kid(),
                any(SigningKeyRing.Algorithm.self),
                publicKey: publicKey(),
                at: at
            )
        case 1: .promote(kid: kid(), emergency: bool(), at: at)
        case 2: .remove(kid: kid(), at: at.adding(milliseconds: integer(0...9_000_000)))
        default: .compromise(kid: kid(), issuedBefore: instant())
        }
    }

    mutating func biometricCommand(at: Instant) -> BiometricKey.Command {
        switch draw(below: 5) {
        case 0: .enable(registration(subject: subject(), at: at))
        case 1: .claim(kid: kid())
        case 2: .use(any(BiometricKey.Action.self), by: client(), session: session(), at: at)
        case 3: .recordFailure(at: at)
        default: .disable(any(BiometricKey.DisableReason.self))
        }
    }

    mutating func configCommand(at: Instant) -> ProjectConfig.Command {
        switch draw(below: 3) {
        case 0:
            .apply(
                applied(),
                expected: maybe { $0.digest() },
                changed: texts(),
                added: difference(at: at),
                cascaded: difference(at: at)
            )
        case 1: .suspend(reason: text())
        default: .resume
        }
    }
}
