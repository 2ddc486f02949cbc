/// That a user proved who they are: how, and when (`amr`, `auth_time`; WireContract 8.3).
package struct Authentication: Hashable, Sendable {
    package var methods: [AuthenticationMethod]
    /// Whole milliseconds.
    package var at: Instant
    /// How the login that it goes back to was approved; nil: from before that was recorded, or
    /// read from a token, which does not say.
    package var approval: LoginLink.Approval?

    /// Rounds `at` down to whole milliseconds, as it is stored.
    package init(
        methods: [AuthenticationMethod],
        at: Instant,
        approval: LoginLink.Approval? = nil
    ) {
        self.methods = methods
        self.at = at.wholeMilliseconds
        self.approval = approval
    }
}

extension Authentication {
    /// `acr` (WireContract 8.4).
    package var context: String {
        methods.contains(.hwk) ? "urn:chancery:acr:device-key" : "urn:chancery:acr:email-link"
    }
}
