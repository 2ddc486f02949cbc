import Domain
import TestSupport

extension LoginLinkTests {
    static let sending: [Scenario<LoginLink>] = [
        Scenario("a link is requested", when: .request(request), then: .success(open)),
        Scenario(
            "a link is requested once",
            given: denied,
            when: .request(request),
            then: .failure(.alreadyRequested)
        ),
        Scenario(
            "a mail is recorded",
            given: open,
            when: .recordMailSent(generation: 1, attempt: 2),
            then: .success([.mailSent(generation: 1, attempt: 2)])
        ),
        Scenario(
            "a mail that arrives after the approval is a fact, too",
            given: approved,
            when: .recordMailSent(generation: 1, attempt: 1),
            then: .success([.mailSent(generation: 1, attempt: 1)])
        ),
        Scenario(
            "a mail of an older generation is a fact, too",
            given: resent,
            when: .recordMailFailed(generation: 1, attempt: 1, code: 421, final: false),
            then: .success([.mailFailed(generation: 1, attempt: 1, code: 421, final: false)])
        ),
        Scenario(
            "a mail of no generation is none",
            given: open,
            when: .recordMailSent(generation: 2, attempt: 1),
            then: .failure(.unknown)
        ),
        Scenario(
            "a mail of no link is none",
            when: .recordMailFailed(generation: 1, attempt: 1, code: 550, final: true),
            then: .failure(.unknown)
        ),
    ]

    static let ending: [Scenario<LoginLink>] = [
        Scenario(
            "the holder of the link denies it",
            given: open,
            when: .deny(.user, generation: 1, at: inTime),
            then: .success([.denied(.user)])
        ),
        Scenario(
            "denied is denied",
            given: denied,
            when: .deny(.user, generation: 1, at: inTime),
            then: .success([])
        ),
        Scenario(
            "an older mail's link denies nothing",
            given: resent,
            when: .deny(.user, generation: 1, at: inTime),
            then: .failure(.oldGeneration)
        ),
        Scenario(
            "an expired link denies nothing",
            given: open,
            when: .deny(.user, generation: 1, at: tooLate),
            then: .failure(.expired)
        ),
        Scenario(
            "what is approved is not denied",
            given: approved,
            when: .deny(.user, generation: 1, at: inTime),
            then: .failure(.ended)
        ),
        Scenario(
            "what is consumed is not denied",
            given: consumed,
            when: .deny(.user, generation: 1, at: inTime),
            then: .failure(.ended)
        ),
        Scenario(
            "what is superseded is not denied",
            given: superseded,
            when: .deny(.user, generation: 1, at: inTime),
            then: .failure(.ended)
        ),
        Scenario(
            "no link denies nothing",
            when: .deny(.user, generation: 1, at: inTime),
            then: .failure(.unknown)
        ),
        Scenario(
            "a newer link takes the place of an open one",
            given: open,
            when: .supersede(by: Sample.stream(9)),
            then: .success([.superseded(by: Sample.stream(9))])
        ),
        Scenario(
            "an approved one stays as it is",
            given: approved,
            when: .supersede(by: Sample.stream(9)),
            then: .success([])
        ),
        Scenario(
            "a consumed one stays as it is",
            given: consumed,
            when: .supersede(by: Sample.stream(9)),
            then: .success([])
        ),
        Scenario(
            "a denied one stays as it is",
            given: denied,
            when: .supersede(by: Sample.stream(9)),
            then: .success([])
        ),
        Scenario(
            "superseded is superseded",
            given: superseded,
            when: .supersede(by: Sample.stream(8)),
            then: .success([])
        ),
        Scenario(
            "no link is superseded",
            when: .supersede(by: Sample.stream(9)),
            then: .failure(.unknown)
        ),
    ]

    static let consuming: [Scenario<LoginLink>] = [
        Scenario(
            "the browser that asked completes its login",
            given: approved,
            when: .consume(initiator: initiator, at: inTime),
            then: .success([consumption])
        ),
        Scenario(
            "another browser learns nothing",
            given: approved,
            when: .consume(initiator: Sample.digest(9), at: inTime),
            then: .failure(.otherInitiator)
        ),
        Scenario(
            "not even that it is over",
            given: consumed,
            when: .consume(initiator: Sample.digest(9), at: tooLate),
            then: .failure(.otherInitiator)
        ),
        Scenario(
            "an approval does not outlive its link",
            given: approved,
            when: .consume(initiator: initiator, at: tooLate),
            then: .failure(.expired)
        ),
        Scenario(
            "nothing is consumed before an approval",
            given: open,
            when: .consume(initiator: initiator, at: inTime),
            then: .failure(.pending)
        ),
        Scenario(
            "an expired link is not pending",
            given: open,
            when: .consume(initiator: initiator, at: tooLate),
            then: .failure(.expired)
        ),
        Scenario(
            "an approval is consumed once",
            given: consumed,
            when: .consume(initiator: initiator, at: inTime),
            then: .failure(.ended)
        ),
        Scenario(
            "a denied link is not consumed",
            given: denied,
            when: .consume(initiator: initiator, at: inTime),
            then: .failure(.ended)
        ),
        Scenario(
            "a superseded link is not consumed",
            given: superseded,
            when: .consume(initiator: initiator, at: inTime),
            then: .failure(.ended)
        ),
        Scenario(
            "no link is not consumed",
            when: .consume(initiator: initiator, at: inTime),
            then: .failure(.unknown)
        ),
    ]
}
