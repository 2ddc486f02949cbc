package import Domain

/// Counts mails by address, network, client and project.
package struct MailBudget: Sendable {
    /// How long what causes mails is counted: network, client and project.
    static let causeWindowSeconds: Int64 = 3600
    /// How many times what an address may ask for its /48 may: more than of visits, since what
    /// a few phones of a carrier ask for without end keeps all others out for the rest of an hour.
    private static let widerFactor = 16

    private let windows: any RateWindows
    private let digester: any Digester
    private let currentLimits: @Sendable () -> MailLimits

    /// `limits` is asked for at each mail: an operator may change them meanwhile.
    package init(
        windows: any RateWindows,
        digester: any Digester,
        limits: @autoclosure @escaping @Sendable () -> MailLimits
    ) {
        self.windows = windows
        self.digester = digester
        currentLimits = limits
    }

    /// L6: whether this network may still ask for mails; what it asks for counts, also when no mail
    /// goes out.
    package func allows(
        _ address: NetworkAddress,
        in project: ProjectNumber,
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        let (most, hour) = (currentLimits().networkPerHour, Self.causeWindowSeconds)
        var uses = [use("mail-network", project, address.limitKey, hour, most)]
        if let wider = address.widerLimitKey {
            let more = most * Self.widerFactor
            uses.append(use("mail-network", project, wider, hour, more))
        }
        return try await take(uses, at: now, by: deadline)
    }

    /// L6: whether this client or project may cause no more mails, whoever asks; counts nothing.
    package func isExhausted(
        by client: ClientID,
        in project: ProjectNumber,
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        let uses = causes(client, project).filter { $0.maximum > 0 }
        return uses.isEmpty ? false : try await !windows.haveRoom(uses, at: now, by: deadline)
    }

    /// L5: whether this address may get one more, asked for from that network; known or not, it
    /// counts alike (I15), and so does every way to write it (decision 0129).
    ///
    /// `client`: who asks for it. What goes out to the address, and nothing else, counts for the
    /// client and its project, too (L6, decision 0242).
    ///
    /// `mail`: which one it is, the same when its request comes again; it is counted once in a
    /// minute then, and allowed each time. Nil: it is never the same.
    package func allows(
        _ email: EmailAddress,
        for client: ClientID? = nil,
        as mail: [UInt8]? = nil,
        from address: NetworkAddress,
        in project: ProjectNumber,
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        let limits = currentLimits()
        let mailbox = email.mailbox
        // Of an IPv6 address the /48: a home has many /64, and both halves by two of them.
        let asker = mailbox + [0] + (address.widerLimitKey ?? address.limitKey)
        let spans: [(name: String, seconds: Int64, limit: Int)] = [
            ("mail-minute", 60, limits.addressPerMinute),
            ("mail-hour", 3600, limits.addressPerHour),
            ("mail-day", 86_400, limits.addressPerDay),
        ]
        var uses: [WindowUse] = []
        for (name, seconds, limit) in spans {
            let share = MailLimits.networkShare(of: limit)
            uses.append(use(name, project, mailbox, seconds, limit))
            uses.append(use("\(name)-network", project, asker, seconds, share))
        }
        if let client { uses += causes(client, project) }
        guard let mail else { return try await take(uses, at: now, by: deadline) }
        // Once, so that nothing counts with it when it comes again.
        let own = use("mail-own", project, mailbox + [0] + mail, 60, 1)
        uses.append(own)
        // Asked also of one that was counted now: how long it takes must not tell whether the
        // address has had a mail.
        _ = try await take(uses, at: now, by: deadline)
        return try await windows.hasCounted(own, at: now, by: deadline)
    }

    private func causes(_ client: ClientID, _ project: ProjectNumber) -> [WindowUse] {
        let limits = currentLimits()
        let hour = Self.causeWindowSeconds
        return [
            use("mail-client", project, Array(client.text.utf8), hour, limits.clientPerHour),
            use("mail-project", project, [], hour, limits.projectPerHour),
        ]
    }

    private func take(_ uses: [WindowUse], at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        let uses = uses.filter { $0.maximum > 0 }
        return uses.isEmpty ? true : try await windows.take(uses, at: now, by: deadline)
    }

    private func use(
        _ limit: String,
        _ project: ProjectNumber,
        _ value: [UInt8],
        _ seconds: Int64,
        _ maximum: Int
    ) -> WindowUse {
        WindowUse(
            key: digester.mac(
                .lookup,
                Array("limit ".utf8) + Array(limit.utf8) + [0] + project.bytes + value
            ),
            windowSeconds: seconds,
            maximum: maximum
        )
    }
}
