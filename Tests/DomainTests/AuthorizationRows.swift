import Domain
import TestSupport

extension AuthorizationTests {
    static let sentAhead: [Scenario<Authorization>] = [
        Scenario(
            "a client pushes a request",
            when: .push(inAMinute, secret: reference),
            then: .success(pushed)
        ),
        Scenario(
            "into a stream of its own",
            given: started,
            when: .push(inAMinute, secret: reference),
            then: .failure(.alreadyStarted)
        ),
        Scenario(
            "the first browser takes it",
            given: pushed,
            when: take(),
            then: .success(started)
        ),
        Scenario(
            "a second one does not",
            given: pushed + started,
            when: take(),
            then: .failure(.alreadyStarted)
        ),
        Scenario(
            "a guessed reference takes nothing",
            given: pushed,
            when: take(stranger),
            then: .failure(.unknown)
        ),
        Scenario(
            "an old reference takes nothing",
            given: pushed,
            when: take(at: Sample.time(60)),
            then: .failure(.expired)
        ),
        Scenario("nobody pushed it", when: take(), then: .failure(.unknown)),
        Scenario(
            "before a browser came nobody logs in",
            given: pushed,
            when: authenticate(),
            then: .failure(.unknown)
        ),
    ]

    static let starting: [Scenario<Authorization>] = [
        Scenario(
            "a request starts",
            when: .start(request, browser: browser),
            then: .success(started)
        ),
        Scenario(
            "a request starts once",
            given: failed,
            when: .start(request, browser: browser),
            then: .failure(.alreadyStarted)
        ),
        Scenario(
            "its browser asks for a link",
            given: started,
            when: .requestLogin(link, browser: browser, at: inTime),
            then: .success([.loginRequested(link)])
        ),
        Scenario(
            "the same link again changes nothing",
            given: waiting,
            when: .requestLogin(link, browser: browser, at: inTime),
            then: .success([])
        ),
        Scenario(
            "a newer link replaces it",
            given: waiting,
            when: .requestLogin(code, browser: browser, at: inTime),
            then: .success([.loginRequested(code)])
        ),
        Scenario(
            "another browser asks for none",
            given: started,
            when: .requestLogin(link, browser: stranger, at: inTime),
            then: .failure(.otherBrowser)
        ),
        Scenario(
            "an old request asks for none",
            given: started,
            when: .requestLogin(link, browser: browser, at: tooLate),
            then: .failure(.expired)
        ),
        Scenario(
            "who is logged in needs none",
            given: authenticated,
            when: .requestLogin(link, browser: browser, at: inTime),
            then: .failure(.ended)
        ),
        Scenario(
            "a completed request needs none",
            given: completed,
            when: .requestLogin(link, browser: browser, at: inTime),
            then: .failure(.ended)
        ),
        Scenario(
            "no request needs none",
            when: .requestLogin(link, browser: browser, at: inTime),
            then: .failure(.unknown)
        ),
    ]

    static let loggingIn: [Scenario<Authorization>] = [
        Scenario(
            "a login is taken",
            given: waiting,
            when: authenticate(),
            then: .success([.authenticated(login)])
        ),
        Scenario(
            "a live browser-session needs no link",
            given: started,
            when: authenticate(),
            then: .success([.authenticated(login)])
        ),
        Scenario(
            "the same login again changes nothing",
            given: authenticated,
            when: authenticate(),
            then: .success([])
        ),
        Scenario(
            "another login does not replace the first",
            given: authenticated,
            when: authenticate(
                Authorization.Login(
                    subject: Sample.subject(77),
                    browserSession: nil,
                    via: .loginLink,
                    authentication: login.authentication
                )
            ),
            then: .failure(.ended)
        ),
        Scenario(
            "the hint's subject logs in",
            given: [.started(asked(expecting: login.subject), browser: browser)],
            when: authenticate(),
            then: .success([.authenticated(login)])
        ),
        Scenario(
            "another subject than the hint's does not",
            given: [.started(asked(expecting: Sample.subject(7)), browser: browser)],
            when: authenticate(),
            then: .failure(.otherSubject)
        ),
        Scenario(
            "another browser logs nobody in",
            given: waiting,
            when: authenticate(browser: stranger),
            then: .failure(.otherBrowser)
        ),
        Scenario(
            "an old request logs nobody in",
            given: waiting,
            when: authenticate(at: tooLate),
            then: .failure(.expired)
        ),
        Scenario(
            "a failed request logs nobody in",
            given: failed,
            when: authenticate(),
            then: .failure(.ended)
        ),
        Scenario("no request logs nobody in", when: authenticate(), then: .failure(.unknown)),
    ]

    static let completing: [Scenario<Authorization>] = [
        Scenario(
            "a code is issued",
            given: authenticated,
            when: complete(),
            then: .success([completion])
        ),
        Scenario(
            "a narrower scope is allowed",
            given: authenticated,
            when: complete(Sample.scope("openid")),
            then: .success([.completed(code: code, scope: Sample.scope("openid"))])
        ),
        Scenario(
            "a wider scope is not",
            given: authenticated,
            when: complete(Sample.scope("openid email profile")),
            then: .failure(.scope)
        ),
        Scenario(
            "nothing is completed without a login",
            given: waiting,
            when: complete(),
            then: .failure(.notAuthenticated)
        ),
        Scenario(
            "another browser completes nothing",
            given: authenticated,
            when: complete(browser: stranger),
            then: .failure(.otherBrowser)
        ),
        Scenario(
            "an old request completes nothing",
            given: authenticated,
            when: complete(at: tooLate),
            then: .failure(.expired)
        ),
        Scenario(
            "one code per request",
            given: completed,
            when: complete(),
            then: .failure(.ended)
        ),
        Scenario(
            "a failed request stays so",
            given: failed,
            when: complete(),
            then: .failure(.ended)
        ),
        Scenario("no request completes", when: complete(), then: .failure(.unknown)),
    ]

    static let failing: [Scenario<Authorization>] = [
        Scenario(
            "the user cancels the login",
            given: waiting,
            when: .fail(.accessDenied, browser: browser),
            then: .success([.failed(.accessDenied)])
        ),
        Scenario(
            "the user refuses consent",
            given: authenticated,
            when: .fail(.accessDenied, browser: browser),
            then: .success([.failed(.accessDenied)])
        ),
        Scenario(
            "another browser cancels nothing",
            given: waiting,
            when: .fail(.accessDenied, browser: stranger),
            then: .failure(.otherBrowser)
        ),
        Scenario(
            "a completed request does not fail",
            given: completed,
            when: .fail(.accessDenied, browser: browser),
            then: .failure(.ended)
        ),
        Scenario(
            "a failed request fails once",
            given: failed,
            when: .fail(.loginRequired, browser: browser),
            then: .failure(.ended)
        ),
        Scenario(
            "no request fails",
            when: .fail(.accessDenied, browser: browser),
            then: .failure(.unknown)
        ),
    ]
}
