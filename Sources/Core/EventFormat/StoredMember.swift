/// One member of a payload: its name, its form, and who may read it (Events 8).
package struct StoredMember: Hashable, Sendable {
    package enum Form: Hashable, Sendable {
        case text, boolean, integer
        /// Integer milliseconds since 1970.
        case time
        /// Lower-case UUID text.
        case id
        /// An array of texts.
        case texts
        /// `{"id", "kind"}`.
        case parent
        /// A public JWK.
        case key
    }

    package enum Mark: Hashable, Sendable, CaseIterable {
        case published
        /// Stored only.
        case stored
        /// Digest of a secret or of a verifier: stored only.
        case digest
        /// Under a subject's key: stored only.
        case sealed
    }

    package let name: String
    package let form: Form
    package let mark: Mark
    package let isOptional: Bool

    init(_ name: String, _ form: Form, _ mark: Mark = .published, isOptional: Bool = false) {
        self.name = name
        self.form = form
        self.mark = mark
        self.isOptional = isOptional
    }

    static func text(_ name: String) -> Self { Self(name, .text) }
    static func boolean(_ name: String) -> Self { Self(name, .boolean) }
    static func integer(_ name: String) -> Self { Self(name, .integer) }
    static func time(_ name: String) -> Self { Self(name, .time) }
    static func id(_ name: String) -> Self { Self(name, .id) }
    static func texts(_ name: String) -> Self { Self(name, .texts) }
    static func digest(_ name: String) -> Self { Self(name, .text, .digest) }
    static func sealed(_ name: String) -> Self { Self(name, .text, .sealed) }

    static let client = text("client")
    static let scope = texts("scope")
    static let reason = text("reason")
    static let amr = texts("amr")
    static let approval = text("approval").stored.optional
    static let authTime = time("auth_time_at")
    static let expiry = time("expires_at")
    static let parent = Self("parent", .parent)

    /// May be absent.
    var optional: Self { Self(name, form, mark, isOptional: true) }

    /// Not published.
    var stored: Self { Self(name, form, .stored, isOptional: isOptional) }
}
