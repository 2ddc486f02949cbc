import InMemory
import OAuth
import TestSupport
import Testing

/// Lost answers, and pages that are open, while one root secret replaces another (decision 0205).
@Suite("While the root secret is replaced") struct ReplacedRootTests {
    /// What a node has read.
    enum Step: CaseIterable {
        case before, staged, promoted, retired

        func reach(_ web: WebSide) {
            switch self {
            case .before: web.side.digester.use([1])
            case .staged: web.side.digester.use([1], second: [2])
            case .promoted: web.side.digester.use([2], second: [1])
            case .retired: web.side.digester.use([2])
            }
        }

        /// Whether one made what the other can make again.
        func shares(_ other: Step) -> Bool {
            let made = Set<Step>([.before, .staged]).contains(self)
            return made ? other != .retired : other != .before
        }
    }

    private static let pairs = Step.allCases.flatMap { first in
        Step.allCases.map { (first, $0) }
    }

    @Test(
        "a refresh whose answer was lost gets the same again, on a node a step away",
        arguments: pairs
    )
    func refreshed(_ first: Step, _ second: Step) async throws {
        let web = try await WebSide()
        first.reach(web)
        let session = try await NativeSSOTests.session(web)
        let token = session["refresh_token"]?.string
        let answer = try await NativeSSOTests.refresh(web, token, client: "app")
        second.reach(web)
        let again = try await NativeSSOTests.refresh(web, token, client: "app")
        let shown = Array(try #require(token).utf8)
        let isActive = try await web.side.isActive(shown, asked: "app")
        guard first.shares(second) else {
            #expect(again.error == "invalid_grant" && !isActive)
            // It is no reuse: the session and its newest token are as good as before.
            let newest = answer["refresh_token"]?.string
            return #expect(
                try await NativeSSOTests.refresh(web, newest, client: "app").status == 200
            )
        }
        #expect(again["refresh_token"]?.string == answer["refresh_token"]?.string)
        #expect(again["device_secret"]?.string == answer["device_secret"]?.string)
        #expect(isActive)
    }

    @Test("an ID token of before signs another app in until the former one is retired")
    func signedOn() async throws {
        let web = try await WebSide()
        Step.before.reach(web)
        let session = try await NativeSSOTests.session(web)
        for step in [Step.staged, .promoted] {
            step.reach(web)
            #expect(
                try await NativeSSOTests.send(web, try NativeSSOTests.form(session)).status == 200
            )
        }
        Step.retired.reach(web)
        let late = try await NativeSSOTests.send(web, try NativeSSOTests.form(session))
        #expect(late.error == "invalid_grant")
        let newer = try await NativeSSOTests.refresh(
            web,
            session["refresh_token"]?.string,
            client: "app",
            secret: session["device_secret"]?.string
        )
        #expect(try await NativeSSOTests.send(web, try NativeSSOTests.form(newer)).status == 200)
    }

    @Test(
        "a button of an open page may be pressed, and pressed again, on a node a step away",
        arguments: pairs
    )
    func pressed(_ first: Step, _ second: Step) async throws {
        let web = try await WebSide()
        first.reach(web)
        let side = try await ContinuationTests.Side(web)
        let start = try await side.authorize()
        let page = try await side.page(after: start)
        let code = try await side.press("continue", on: page, after: start)
        #expect(try code.code().hasPrefix("ac_"))
        second.reach(web)
        let again = try await web.expectNothingRecorded {
            try await side.press("continue", on: page, after: start)
        }
        guard first.shares(second) else { return #expect(again.status >= 400) }
        #expect(again.field("Location") == code.field("Location"))
    }

    @Test(
        "a button of an open account page may be pressed, and pressed again, a step away",
        arguments: pairs
    )
    func ended(_ first: Step, _ second: Step) async throws {
        let web = try await WebSide()
        first.reach(web)
        let side = try await SettingsSide.openedByApp(web).0
        let other = try await NativeSSOTests.session(web)
        let form = try #require(try await side.forms()[try side.sid(other)])
        second.reach(web)
        let answer = try await side.post(form)
        guard first.shares(second) else {
            return #expect(answer.status != 303 || answer.field("Location") != ["/settings"])
        }
        #expect(answer.status == 303 && answer.field("Location") == ["/settings"])
        first.reach(web)
        #expect(try await side.post(form).status == 303)
    }
}
