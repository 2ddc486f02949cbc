import Foundation
import TestSupport

/// One browser with a profile of its own, as one person's device.
struct Chromium: Sendable {
    enum Screen: String, CaseIterable {
        case phone, desktop

        var size: (width: Int, height: Int) {
            switch self {
            case .phone: (390, 844)
            case .desktop: (1280, 800)
            }
        }
    }

    private let driver: WebDriver
    private let session: String

    /// What a headless browser says of its pointer: that it has none.
    private static let mouse =
        "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,"
        + "availablePointerTypes=4"

    /// Opens one; without script when told so, as some people browse, or with a mouse.
    init(
        _ driver: WebDriver,
        _ screen: Screen = .desktop,
        runsScripts: Bool = true,
        hasMouse: Bool = false
    ) async throws {
        self.driver = driver
        let size = screen.size
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--window-size=\(size.width),\(size.height)",
        ]
        var options: [String: Any] = ["args": arguments + (hasMouse ? [Self.mouse] : [])]
        if !runsScripts {
            options["prefs"] = ["profile.managed_default_content_settings.javascript": 2]
        }
        let wanted: [String: Any] = [
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": ["browser": "ALL"],
        ]
        let value = try await driver.send(
            "POST",
            "session",
            ["capabilities": ["alwaysMatch": wanted]]
        )
        session = try Fixture.some((value as? [String: Any])?["sessionId"] as? String)
        try await devTools(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": size.width, "height": size.height,
                "deviceScaleFactor": screen == .phone ? 2 : 1, "mobile": screen == .phone,
            ]
        )
    }

    func close() async { _ = try? await driver.send("DELETE", "session/\(session)") }

    func open(_ url: String) async throws { try await post("url", ["url": url]) }

    var url: String {
        get async throws { try await get("url") as? String ?? "" }
    }

    var title: String {
        get async throws { try await get("title") as? String ?? "" }
    }

    /// What a person reads.
    func text(_ selector: String = "main") async throws -> String {
        try await fresh { try await get("element/\(find(selector))/text") as? String ?? "" }
    }

    func count(_ selector: String) async throws -> Int {
        try await fresh {
            let found = try await post("elements", ["using": "css selector", "value": selector])
            return (found as? [Any])?.count ?? 0
        }
    }

    /// Presses an element, as soon as it takes a press: the driver waits for a moment, and so does
    /// a person (decision 0245).
    func click(_ selector: String) async throws {
        try await fresh { _ = try await post("element/\(find(selector))/click") }
    }

    func type(_ text: String, into selector: String) async throws {
        try await fresh { _ = try await post("element/\(find(selector))/value", ["text": text]) }
    }

    /// Presses keys wherever the focus is, as somebody without a mouse does.
    func press(_ keys: String) async throws {
        let actions = keys.map(String.init).flatMap { key in
            [["type": "keyDown", "value": key], ["type": "keyUp", "value": key]]
        }
        try await post(
            "actions",
            ["actions": [["type": "key", "id": "keyboard", "actions": actions]]]
        )
    }

    /// The name, value or text of what has the focus.
    func focus() async throws -> String {
        try await fresh {
            let element = try await get("element/active")
            let id = try Fixture.some((element as? [String: String])?.values.first)
            let name = try await get("element/\(id)/attribute/name") as? String
            let text = try await get("element/\(id)/text") as? String
            return name.flatMap { $0.isEmpty ? nil : $0 } ?? text ?? ""
        }
    }

    /// Waits until `selector` is there.
    func wait(for selector: String) async throws {
        do {
            try await Waiting.until(selector) { try await count(selector) > 0 }
        } catch is Waiting.InVain {
            let page = try await text("body")
            throw WebDriver.Failure(description: "no \(selector) at \(try await url): \(page)")
        }
    }

    /// Waits until something has the focus, which a page gives a moment after it is loaded.
    func wait(forFocusOn name: String) async throws {
        try await Waiting.until("the focus on \(name)") { try await focus() == name }
    }

    /// Tells the page that it went to the background, or came back.
    func setHidden(_ isHidden: Bool) async throws {
        _ = try await evaluate(
            "(() => { Object.defineProperty(document, 'hidden', "
                + "{ configurable: true, get: () => \(isHidden) }); "
                + "document.dispatchEvent(new Event('visibilitychange')); })()"
        )
    }

    /// From the next page on it takes itself for Chrome on a phone.
    func becomeAndroid() async throws {
        let agent = "Mozilla/5.0 (Linux; Android 14) Chrome/120.0.0.0 Mobile Safari/537.36"
        try await devTools("Emulation.setUserAgentOverride", ["userAgent": agent])
    }

    /// Posts the form although the browser would rather not.
    func clickWithoutValidation(_ selector: String) async throws {
        _ = try await evaluate("document.querySelector('main form').noValidate = true")
        try await click(selector)
    }

    /// The fields of the form with this button, as a page elsewhere could have learnt them.
    func copyOfForm(_ button: String) async throws -> String {
        let fields =
            "new URLSearchParams(new FormData(document.querySelector('\(button)').form, "
            + "document.querySelector('\(button)'))).toString()"
        return try Fixture.some(try await evaluate(fields) as? String)
    }

    /// Posts fields from the page that is open, wherever that is.
    func post(_ fields: String, to target: String) async throws {
        let script =
            "(() => { const form = document.createElement('form'); form.method = 'post'; "
            + "form.action = '\(target)'; for (const [name, value] of "
            + "new URLSearchParams('\(fields)')) { const field = document.createElement('input'); "
            + "field.name = name; field.value = value; form.append(field); } "
            + "document.body.append(form); form.submit(); return true; })()"
        _ = try await evaluate(script)
    }

    /// Picks a radio button whose label covers it.
    func choose(_ selector: String) async throws {
        _ = try await evaluate("document.querySelector(\"\(selector)\").click()")
    }

    func number(_ expression: String) async throws -> Int {
        try Fixture.some(try await evaluate(expression) as? Int)
    }

    func window() async throws -> String { try Fixture.some(try await get("window") as? String) }

    func openTab() async throws {
        let made = try await post("window/new", ["type": "tab"]) as? [String: Any]
        try await post("window", ["handle": try Fixture.some(made?["handle"])])
    }

    func closeTab(backTo handle: String) async throws {
        _ = try await driver.send("DELETE", "session/\(session)/window")
        try await post("window", ["handle": handle])
    }

    private func evaluate(_ expression: String) async throws -> Any? {
        try await post("execute/sync", ["script": "return \(expression)", "args": [Any]()])
    }

    /// Everything the browser complained about.
    func complaints() async throws -> [String] {
        let log = try await driver.send("POST", "session/\(session)/se/log", ["type": "browser"])
        return (log as? [[String: Any]])?.compactMap { $0["message"] as? String } ?? []
    }

    func prefersDark() async throws { try await prefers("color-scheme", "dark") }

    func prefersReducedMotion() async throws { try await prefers("reduced-motion", "reduce") }

    private func prefers(_ what: String, _ value: String) async throws {
        try await devTools(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-\(what)", "value": value]]]
        )
    }

    static var keepsPictures: Bool { pictures != nil }

    /// Where `SCREENSHOTS` says that pictures go.
    private static let pictures = ProcessInfo.processInfo.environment["SCREENSHOTS"].map {
        URL(filePath: $0, directoryHint: .isDirectory)
    }

    /// Keeps a picture where `SCREENSHOTS` says; nothing without it.
    func keepPicture(_ name: String) async throws {
        guard let folder = Self.pictures else { return }
        let text = try await get("screenshot") as? String ?? ""
        let data = try Fixture.some(Data(base64Encoded: text))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: folder.appending(path: "\(name).png"))
    }

    func devTools(_ command: String, _ parameters: [String: Any]) async throws {
        try await post("goog/cdp/execute", ["cmd": command, "params": parameters])
    }

    /// Looks again when the page has gone on between finding an element and using it, or takes no
    /// press yet.
    private func fresh<Answer>(_ use: () async throws -> Answer) async throws -> Answer {
        for _ in 0..<20 {
            do { return try await use() } catch let failure as WebDriver.Failure {
                guard failure.saysPageWentOn || failure.saysNotYet else { throw failure }
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        return try await use()
    }

    private func find(_ selector: String) async throws -> String {
        let found = try await post("element", ["using": "css selector", "value": selector])
        return try Fixture.some((found as? [String: String])?.values.first)
    }

    private func get(_ path: String) async throws -> Any? {
        try await driver.send("GET", "session/\(session)/\(path)")
    }

    @discardableResult
    private func post(_ path: String, _ body: [String: Any]? = nil) async throws -> Any? {
        try await driver.send("POST", "session/\(session)/\(path)", body)
    }
}
