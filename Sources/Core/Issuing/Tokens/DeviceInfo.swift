internal import Domain
internal import OAuth

/// What an app says of its phone at any grant (WireContract 5.1): base64url of a JSON object.
///
/// Kept is what a user recognises a session by, sealed under the user's key.
package struct DeviceInfo: Hashable, Sendable {
    static let parameter = "x_device_info"
    private static let bytesMax = 8 * 1024
    /// Of each text; longer ones are cut.
    private static let charactersMax = 80
    /// On one character: scripts in use have two, and more grow over the lines above and below.
    private static let marksMax = 2

    /// Manufacturer and model, such as `Google Pixel 8` or `iPhone15,2`.
    package var device: String?
    /// The application's name.
    package var application: String?

    /// Nil when the request has none, or none of what is kept.
    ///
    /// - Throws: `invalid_request` for a malformed one.
    init?(_ request: RequestParameters) throws(OAuthError) {
        guard let text = try request.optional(Self.parameter) else { return nil }
        guard text.count <= Self.bytesMax, let bytes = Base64URL.decode(text),
            let value = try? JSONReader.read(bytes), value.members != nil
        else { throw OAuthError(.invalidRequest, "x_device_info is malformed") }
        self.init(said: value)
    }

    /// As above, of the object itself: `device_info` in what a phone signs (WireContract 6.2).
    init?(said value: JSON) {
        let android = value["android"]
        let build = android?["Build"]
        let maker = [build?["MANUFACTURER"], build?["MODEL"]].compactMap { Self.cut($0?.string) }
        let apple = value["ios"]?["uname"]?["machine"]?.string
        device = Self.cut(maker.isEmpty ? apple : maker.joined(separator: " "))
        let bundle = value["ios"]?["NSBundle"]
        application = Self.cut(
            android?["ApplicationInfoLabel"]?.string ?? bundle?["CFBundleDisplayName"]?.string
                ?? bundle?["CFBundleName"]?.string
        )
        guard device != nil || application != nil else { return nil }
    }

    /// Reads what `bytes` wrote; nil for anything else.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes) else { return nil }
        // What is shown is decided today: it may have been sealed by other rules.
        device = Self.cut(value["device"]?.string)
        application = Self.cut(value["application"]?.string)
    }

    /// As it is sealed.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            if let application { writer.member("application", application) }
            if let device { writer.member("device", device) }
        }
        return writer.bytes
    }

    /// Fit to be shown: each character is seen and stands where it was written, with two marks on
    /// it at most; not too long, one space between words and none around them, not empty.
    private static func cut(_ text: String?) -> String? {
        var shown = String.UnicodeScalarView()
        // Nothing to stand on but a space: a mark would be drawn over what is before the text.
        var marksLeft = 0
        var needsSpace = false
        for scalar in (text ?? "").unicodeScalars {
            if scalar.isBlank {
                needsSpace = !shown.isEmpty
                marksLeft = 0
            } else if scalar.isMark {
                guard marksLeft > 0 else { continue }
                marksLeft -= 1
                shown.append(scalar)
            } else if scalar.isShown {
                if needsSpace { shown.append(" ") }
                needsSpace = false
                marksLeft = marksMax
                shown.append(scalar)
            }
            guard shown.count < charactersMax else { break }
        }
        var short = shown.prefix(charactersMax)
        if short.last == " " { short.removeLast() }
        return short.isEmpty ? nil : String(String.UnicodeScalarView(short))
    }
}

extension Unicode.Scalar {
    /// Whether it says what it looks like: none that are not seen, either.
    fileprivate var isShown: Bool {
        isShownInLine && !properties.isDefaultIgnorableCodePoint
    }

    /// Whether it is drawn over the character before it.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: !properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    /// Whether it is seen as space: also the pattern of Braille without a dot.
    fileprivate var isBlank: Bool {
        properties.generalCategory == .spaceSeparator || self == "\u{2800}"
    }
}

extension Work {
    /// What the app said of its phone, for this session or biometric key alone, under its user's
    /// key; nil when it said nothing.
    ///
    /// Nil also when the key is gone: then the user is, too, and the append's guard says so.
    mutating func sealed(
        _ info: DeviceInfo?,
        _ subject: SubjectID,
        on stream: StreamID,
        _ sealer: any Sealer
    ) async throws(CommandError<OAuthError>) -> Sealed? {
        guard let info else { return nil }
        let key: (any SealingKey)?
        do { key = try await sealer.existingKey(subject.stream, by: deadline) } catch {
            throw .store(error)
        }
        guard let key else { return nil }
        attributes.seal = subject.stream
        return key.seal(info.bytes, as: .device(on: stream))
    }
}

extension Sealer {
    /// What `sealed(_:_:on:_:)` sealed on `stream`; nil for nothing, or when its user is erased.
    func deviceInfo(
        _ sealed: Sealed?,
        on stream: StreamID,
        of subject: SubjectID,
        by deadline: Deadline
    ) async throws(StoreError) -> DeviceInfo? {
        guard let sealed else { return nil }
        return try await deviceInfos([stream: sealed], of: subject, by: deadline)[stream]
    }

    /// As above, of several streams of one user, whose key is looked up once.
    func deviceInfos(
        _ sealed: [StreamID: Sealed],
        of subject: SubjectID,
        by deadline: Deadline
    ) async throws(StoreError) -> [StreamID: DeviceInfo] {
        guard !sealed.isEmpty, let key = try await existingKey(subject.stream, by: deadline)
        else { return [:] }
        return sealed.reduce(into: [:]) { infos, one in
            let bytes = key.open(one.value, at: .device(on: one.key))
            infos[one.key] = bytes.flatMap(DeviceInfo.init)
        }
    }
}

extension SealedPlace {
    /// Where a session or a biometric key keeps its phone's name; the key is the subject's.
    fileprivate static func device(on stream: StreamID) -> Self {
        Self(stream: stream, member: "device")
    }
}

extension Caller {
    /// The phone, as it signed, else as its request says.
    func device(saidIn jwt: ClientJWT?) -> DeviceInfo? {
        jwt?.payload["device_info"].flatMap { DeviceInfo(said: $0) } ?? device
    }
}
