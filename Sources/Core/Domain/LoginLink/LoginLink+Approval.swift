extension LoginLink {
    /// How near to whoever asked for a login its link was approved (WireContract 7.3).
    package enum Approval: String, Hashable, Sendable, CaseIterable {
        /// From any device, by one tap.
        case anyDevice = "any_device"
        /// From another device, by the number that the first one showed.
        case number
        /// On the device that asked.
        case sameDevice = "same_device"
    }
}

extension LoginLink.Mode {
    /// Whether a login that was approved so may count at a client of this policy, whichever client
    /// asked for it (decision 0240).
    package func accepts(_ approval: LoginLink.Approval) -> Bool {
        switch self {
        case .automatic: true
        case .confirm: approval != .anyDevice
        case .deny: approval == .sameDevice
        }
    }
}

extension LoginLink.Request {
    /// Approved from another device, or on the one that asked.
    mutating func approved(by approver: LoginLink.Approver, sameDevice: Bool) {
        // An app has no cookie of the browser that asked: it is the same device by its key.
        isByKey = approver == .native && sameDevice
        switch (sameDevice, mode) {
        case (true, _): approval = .sameDevice
        case (false, .confirm): approval = .number
        // Where another device may not approve, none has.
        case (false, .automatic), (false, .deny): approval = .anyDevice
        }
    }
}

extension LoginLink.State {
    /// The login that the link has become, for the client that asked for it.
    package func login(at now: Instant) -> Authentication {
        Authentication(methods: [.otp], at: now, approval: request?.approval)
    }

    /// The same, as the browser that waits has it: what a key approved is the key's alone, and the
    /// browser may be anybody's (decisions 0108 and 0240).
    package func browsersLogin(at now: Instant) -> Authentication {
        var login = login(at: now)
        if request?.isByKey == true { login.approval = .anyDevice }
        return login
    }
}
