extension OfflineGrant {
    /// That the holder of a session let another app in (event 714).
    package struct App2AppApproval: Hashable, Sendable {
        /// A refresh token of the session, by its place.
        package struct ShownToken: Hashable, Sendable {
            package var family: UInt16
            package var generation: UInt32

            package init(family: UInt16, generation: UInt32) {
                self.family = family
                self.generation = generation
            }
        }

        /// The code that the other app redeems.
        package var code: StreamID
        package var target: ClientID
        /// By a key that was bound in the same request.
        package var insecure: Bool
        /// By a biometric key instead of the device key.
        package var biometric: Bool
        /// The refresh token that came with the device key's signature; nil at a biometric key, and
        /// of an approval from before this was recorded.
        package var shown: ShownToken?

        package init(
            code: StreamID,
            target: ClientID,
            insecure: Bool,
            biometric: Bool,
            shown: ShownToken? = nil
        ) {
            self.code = code
            self.target = target
            self.insecure = insecure
            self.biometric = biometric
            self.shown = shown
        }
    }

    /// Whether the token is good was asked before, by `present`.
    static func approve(_ approval: App2AppApproval, in session: Session) throws(Rejection)
        -> [Event]
    {
        if let shown = approval.shown, session.familyIndex(of: shown) == nil { throw .unknown }
        return [.app2appApproved(approval)]
    }
}

extension OfflineGrant.Session {
    /// Where the family is of which such a token went out; nil: of none.
    fileprivate func familyIndex(of token: OfflineGrant.App2AppApproval.ShownToken) -> Int? {
        families.firstIndex { family in
            family.sharedIssue.value.family == token.family && token.generation >= 1
                && token.generation <= family.generation
        }
    }

    /// The current token came back, so that its answer was not lost: its predecessor is dead from
    /// now on (decision 0255).
    ///
    /// False when no such token ever was.
    mutating func noteApproval(_ approval: OfflineGrant.App2AppApproval) -> Bool {
        keep(code: approval.code)
        // A biometric key approves as it opens the session, by none of its tokens.
        guard !approval.biometric else { return true }
        guard let shown = approval.shown else {
            noteUnnamedApproval()
            return true
        }
        guard let index = familyIndex(of: shown) else { return false }
        // Who has the one before may have been given the current one by a retry (decision 0208).
        families[index].approvedGeneration = families[index].generation
        if shown.generation == families[index].generation { families[index].currentUsed = true }
        return true
    }

    private mutating func keep(code: StreamID) {
        guard let codes = approvedCodes else { return }
        approvedCodes = codes.count < OfflineGrant.approvedCodesMax ? codes + [code] : nil
    }

    /// It may have been by any token of the client that opened the session.
    private mutating func noteUnnamedApproval() {
        let client = sharedOpening.value.client
        for index in families.indices where families[index].sharedIssue.value.client == client {
            families[index].approvedGeneration = families[index].generation
        }
    }
}
