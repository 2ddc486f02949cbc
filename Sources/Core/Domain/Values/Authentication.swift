/// That a user proved who they are: how, and when (`amr`, `auth_time`; WireContract 8.3).
package struct Authentication: Hashable, Sendable {
    package var methods: [AuthenticationMethod]
    /// Whole milliseconds.
    package var at: Instant

    /// Rounds `at` down to whole milliseconds, as it is stored.
    package init(methods: [AuthenticationMethod], at: Instant) {
        self.methods = methods
        self.at = at.wholeMilliseconds
    }
}

extension Authentication {
    /// `acr` (WireContract 8.4).
    package var context: String {
        methods.contains(.hwk) ? "urn:chancery:acr:device-key" : "urn:chancery:acr:email-link"
    }
}
