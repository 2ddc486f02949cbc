extension SigningKeyRing: Aggregate {
    package static var kind: AggregateKind { .signingKey }
    package static var initial: State { State() }

    package static func decide(_ command: Command, in state: State) throws(Rejection) -> [Event] {
        switch command {
        case .stage(let kid, let algorithm, let publicKey, let now):
            if let known = state.key(kid) {
                if case .compromised = known.status { throw .compromised }
                throw .knownKey
            }
            return [.staged(kid: kid, algorithm, publicKey: publicKey, at: now)]

        case .promote(let kid, let emergency, let now):
            return try promote(kid, emergency: emergency, at: now, in: state)

        case .remove(let kid, let now):
            return try remove(kid, at: now, in: state)

        case .compromise(let kid, let issuedBefore):
            guard let key = state.key(kid) else { throw .unknownKey }
            switch key.status {
            case .compromised: return []
            case .staged, .current, .previous, .removed:
                return [.compromised(kid: kid, issuedBefore: issuedBefore.wholeMilliseconds)]
            }
        }
    }

    private static func promote(
        _ kid: String,
        emergency: Bool,
        at now: Instant,
        in state: State
    ) throws(Rejection) -> [Event] {
        guard let key = state.key(kid) else { throw .unknownKey }
        switch key.status {
        case .current: return []
        case .previous, .removed: throw .notStaged
        case .compromised: throw .compromised
        case .staged:
            let promoted = Event.promoted(kid: kid, emergency: emergency)
            let former = state.current(key.algorithm)
            // After one that was given up nothing signs: whoever knows the old keys only is refused
            // as long as this waits.
            if former == nil, state.hadCurrent(key.algorithm) { return [promoted] }
            let ripe = key.stagedAt.adding(milliseconds: stagedMilliseconds)
            guard emergency || now >= ripe else { throw .stagedTooRecently(until: ripe) }
            guard let former else { return [promoted] }
            return [.retired(kid: former.kid, at: now), promoted]
        }
    }

    private static func remove(
        _ kid: String,
        at now: Instant,
        in state: State
    ) throws(Rejection) -> [Event] {
        guard let key = state.key(kid) else { throw .unknownKey }
        switch key.status {
        case .removed: return []
        case .staged, .current: throw .notPrevious
        case .compromised: throw .compromised
        case .previous:
            // Earlier, tokens that are still alive would fail (Security I24).
            let end = key.retiredAt?.adding(milliseconds: retainedMilliseconds)
            if let end, now < end { throw .retiredTooRecently(until: end) }
            return [.removed(kid: kid)]
        }
    }

    package static func evolve(_ state: State, by event: Event) -> State? {
        var next = state
        switch event {
        case .staged(let kid, let algorithm, let publicKey, let at):
            guard state.key(kid) == nil else { return nil }
            next.keys.append(
                Key(
                    kid: kid,
                    algorithm: algorithm,
                    publicKey: publicKey,
                    status: .staged,
                    stagedAt: at
                )
            )
        case .promoted(let kid, _):
            guard let index = state.index(of: kid), state.keys[index].status == .staged,
                state.current(state.keys[index].algorithm) == nil
            else { return nil }
            next.keys[index].status = .current
        case .retired(let kid, let at):
            guard let index = state.index(of: kid), state.keys[index].status == .current else {
                return nil
            }
            next.keys[index].status = .previous
            next.keys[index].retiredAt = at
        case .removed(let kid):
            guard let index = state.index(of: kid), state.keys[index].status == .previous else {
                return nil
            }
            next.keys[index].status = .removed
        case .compromised(let kid, let issuedBefore):
            guard let index = state.index(of: kid) else { return nil }
            if case .compromised = state.keys[index].status { return nil }
            // One that signs has no other end.
            if state.keys[index].status == .current { next.keys[index].retiredAt = issuedBefore }
            next.keys[index].status = .compromised(issuedBefore: issuedBefore)
        }
        return next
    }

    package static func wrap(_ event: Event) -> DomainEvent { .signingKey(event) }

    package static func unwrap(_ event: DomainEvent) -> Event? {
        guard case .signingKey(let own) = event else { return nil }
        return own
    }
}

extension SigningKeyRing.State {
    /// The key with this `kid`, whatever its status; nil when it never was.
    package func key(_ kid: String) -> SigningKeyRing.Key? {
        index(of: kid).map { keys[$0] }
    }

    /// The one key that signs with this algorithm now.
    package func current(_ algorithm: SigningKeyRing.Algorithm) -> SigningKeyRing.Key? {
        place(ofCurrent: algorithm).map { keys[$0] }
    }

    /// Its id, without a copy of the key; nil while none signs.
    package func currentID(_ algorithm: SigningKeyRing.Algorithm) -> String? {
        guard let place = place(ofCurrent: algorithm) else { return nil }
        return keys[place].kid
    }

    // By places: a loop over the elements counts references to all that is in each.
    private func place(ofCurrent algorithm: SigningKeyRing.Algorithm) -> Int? {
        let places = keys.span
        for place in places.indices
        where places[place].algorithm == algorithm && places[place].status == .current {
            return place
        }
        return nil
    }

    /// Whether a key of this algorithm has signed, and does so no more.
    fileprivate func hadCurrent(_ algorithm: SigningKeyRing.Algorithm) -> Bool {
        keys.contains { $0.algorithm == algorithm && $0.retiredAt != nil }
    }

    fileprivate func index(of kid: String) -> Int? {
        keys.firstIndex { $0.kid.utf8.elementsEqual(kid.utf8) }
    }
}
