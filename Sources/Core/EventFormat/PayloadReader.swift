internal import Domain
internal import OAuth

/// Takes values of the domain out of a payload and its columns, strictly.
struct PayloadReader {
    /// Nil for a payload that is a tree.
    private let object: CanonicalObject?
    /// Members that do not stand in bytes: those of a tree.
    private let others: JSON?
    let columns: StoredColumns

    /// Reads from bytes; a member they do not have may be among `others`.
    init(_ object: CanonicalObject, others: JSON? = nil, columns: StoredColumns) {
        self.object = object
        self.others = others
        self.columns = columns
    }

    /// Reads from a tree.
    init(_ payload: JSON, columns: StoredColumns) {
        object = nil
        others = payload
        self.columns = columns
    }

    private func value(_ name: String) -> PayloadValue? {
        if let object, let member = object.member(name) { return .standing(object, member) }
        return others?[name].map(PayloadValue.unpacked)
    }

    var occurredAt: Instant { columns.occurredAt }

    /// The subject whose event it is, from its column.
    func subject() throws(FormatError) -> SubjectID {
        guard let subject = columns.subject else { throw .missingColumn("subject_id") }
        return subject
    }

    func has(_ name: String) -> Bool { value(name) != nil }

    /// Nil when the member is absent; `.invalid` when `read` cannot read it.
    func optional<Value>(
        _ name: String,
        _ read: (PayloadValue) -> Value?
    ) throws(FormatError) -> Value? {
        guard let found = value(name) else { return nil }
        guard let value = read(found) else { throw .invalid(name) }
        return value
    }

    func required<Value>(
        _ name: String,
        _ read: (PayloadValue) -> Value?
    ) throws(FormatError) -> Value {
        guard let value = try optional(name, read) else { throw .missing(name) }
        return value
    }

    func text(_ name: String) throws(FormatError) -> String { try required(name, \.string) }

    func optionalText(_ name: String) throws(FormatError) -> String? {
        try optional(name, \.string)
    }

    func bool(_ name: String) throws(FormatError) -> Bool { try required(name, \.bool) }

    func integer<Value: FixedWidthInteger>(_ name: String) throws(FormatError) -> Value {
        try required(name) { $0.integer.flatMap(Value.init(exactly:)) }
    }

    func optionalInteger<Value: FixedWidthInteger>(_ name: String) throws(FormatError) -> Value? {
        try optional(name) { $0.integer.flatMap(Value.init(exactly:)) }
    }

    func time(_ name: String) throws(FormatError) -> Instant {
        Instant(milliseconds: try integer(name))
    }

    func choice<Value: RawRepresentable<String>>(_ name: String) throws(FormatError) -> Value {
        try required(name) { $0.string.flatMap(Value.init(rawValue:)) }
    }

    func stream(_ name: String) throws(FormatError) -> StreamID { try required(name, \.stream) }

    func optionalStream(_ name: String) throws(FormatError) -> StreamID? {
        try optional(name, \.stream)
    }

    func client(_ name: String = "client") throws(FormatError) -> ClientID {
        try required(name) { $0.string.flatMap { ClientID($0.utf8) } }
    }

    func redirectURI() throws(FormatError) -> RedirectURI {
        try required("redirect_uri") { $0.string.flatMap { RedirectURI($0.utf8) } }
    }

    func digest(_ name: String) throws(FormatError) -> TokenDigest {
        try required(name, Self.digest)
    }

    func optionalDigest(_ name: String) throws(FormatError) -> TokenDigest? {
        try optional(name, Self.digest)
    }

    func sealed(_ name: String) throws(FormatError) -> Sealed { try required(name, Self.sealed) }

    func optionalSealed(_ name: String) throws(FormatError) -> Sealed? {
        try optional(name, Self.sealed)
    }

    func scope() throws(FormatError) -> Scope {
        try required("scope") { value in
            guard let tokens = value.strings, tokens.count <= Scope.tokensMax else { return nil }
            let scope = tokens.isEmpty ? Scope.empty : Scope(tokens.joined(separator: " "))
            return scope?.tokens == tokens ? scope : nil
        }
    }

    /// Absent means none.
    func texts(_ name: String) throws(FormatError) -> [String] {
        try optional(name, \.strings) ?? []
    }

    func authentication() throws(FormatError) -> Authentication {
        let methods = try required("amr") { value -> [AuthenticationMethod]? in
            guard let names = value.strings else { return nil }
            let methods = names.compactMap(AuthenticationMethod.init(rawValue:))
            return methods.count == names.count ? methods : nil
        }
        return Authentication(
            methods: methods,
            at: try time("auth_time_at"),
            approval: try approval()
        )
    }

    /// Absent of what is from before it was recorded.
    func approval() throws(FormatError) -> LoginLink.Approval? {
        try optional("approval") { $0.string.flatMap(LoginLink.Approval.init(rawValue:)) }
    }

    /// Session and client or neither.
    func continuation() throws(FormatError) -> Continuation? {
        guard let session = try optionalStream("app_session") else {
            guard !has("app_client") else { throw .missing("app_session") }
            return nil
        }
        return Continuation(
            session: SessionID(session),
            host: try client("app_client"),
            since: try optionalInteger("app_since_at").map { Instant(milliseconds: $0) }
        )
    }

    /// Family and generation or neither.
    func shownToken() throws(FormatError) -> OfflineGrant.App2AppApproval.ShownToken? {
        guard let family: UInt16 = try optionalInteger("family") else {
            guard !has("generation") else { throw .missing("family") }
            return nil
        }
        return OfflineGrant.App2AppApproval.ShownToken(
            family: family,
            generation: try integer("generation")
        )
    }

    func parent() throws(FormatError) -> Parent {
        try required("parent") { value in
            let parent = value.json
            guard let kind = parent?["kind"]?.string.flatMap(Parent.Kind.init(rawValue:)),
                let stream = (parent?["id"]?.string).flatMap({ StreamID(text: $0) })
            else { return nil }
            return Parent(kind: kind, stream: stream)
        }
    }

    /// The bytes that `member(_:json:)` was given.
    func json(_ name: String) throws(FormatError) -> [UInt8] {
        try required(name) { $0.utf8 ?? $0.json.flatMap(CanonicalJSON.write) }
    }

    private static func digest(_ value: PayloadValue) -> TokenDigest? {
        bytes(value).flatMap { TokenDigest(bytes: $0.span) }
    }

    private static func sealed(_ value: PayloadValue) -> Sealed? {
        bytes(value).map(Sealed.init(bytes:))
    }

    private static func bytes(_ value: PayloadValue) -> [UInt8]? {
        value.utf8.flatMap { Base64URL.decode($0) }
    }
}
