import Domain
import InMemory
import Issuing
import OAuth
import TestSupport

/// What wire.md promises of a history of requests, checked without asking any decider.
enum SessionModel {
    /// Every promise that was broken, as a sentence each.
    static func violations(_ world: SessionWorld) -> [String] {
        let entries = world.entries
        return singleUse(entries) + identicalRetries(world, entries) + afterRevoke(entries)
            + scopes(entries) + histories(world)
    }

    /// I1: a code is accepted at most once, over all nodes.
    private static func singleUse(_ entries: [SessionWorld.Entry]) -> [String] {
        Dictionary(grouping: entries.filter { $0.act == .redeem }, by: \.presented).compactMap {
            let granted = $0.value.filter { isGranted($0.result) }.count
            return granted > 1 ? "a code was redeemed \(granted) times" : nil
        }
    }

    /// I5: the same token always gets the byte-identical successor, one generation on.
    private static func identicalRetries(
        _ world: SessionWorld,
        _ entries: [SessionWorld.Entry]
    ) -> [String] {
        var successors: [[UInt8]: [UInt8]] = [:]
        var broken: [String] = []
        for entry in entries where entry.act == .refresh {
            guard case .granted(let next?, _) = entry.result else { continue }
            if let known = successors[entry.presented], known != next {
                broken.append("two successors of one refresh token")
            }
            successors[entry.presented] = next
            let digester = world.side.digester
            let old = RefreshToken(reading: entry.presented, digester: digester)
            let new = RefreshToken(reading: next, digester: digester)
            if let old, let new, new.generation != old.generation + 1 {
                broken.append("a refresh token skipped a generation")
            }
        }
        return broken
    }

    /// I4: nothing of a session passes that started after its revocation was acknowledged.
    private static func afterRevoke(_ entries: [SessionWorld.Entry]) -> [String] {
        var broken: [String] = []
        for revoked in entries where revoked.act == .revoke && revoked.result == .revoked {
            for later in entries
            where revoked.concerns(later.session) && later.started > revoked.ended {
                if isGranted(later.result) || later.result == .active {
                    broken.append("\(later.act) passed after an acknowledged revocation")
                }
            }
        }
        return broken
    }

    /// I7: no answer carries more scope than the code did.
    private static func scopes(_ entries: [SessionWorld.Entry]) -> [String] {
        entries.compactMap { entry in
            guard case .granted(_, let text) = entry.result, let scope = Scope(text),
                let full = Scope("openid offline_access"), !scope.isSubset(of: full)
            else { return nil }
            return "scope grew to \(text)"
        }
    }

    /// Every stream folds, and every version follows the one before.
    private static func histories(_ world: SessionWorld) -> [String] {
        let grouped = Dictionary(grouping: world.side.store.allEvents, by: \.stream)
        return grouped.values.compactMap { events in
            guard case .offlineGrant = events.first?.body else { return nil }
            let own = events.compactMap { OfflineGrant.unwrap($0.body) }
            return OfflineGrant.fold(own) == nil ? "a session's events do not follow" : nil
        }
    }

    private static func isGranted(_ result: SessionWorld.Entry.Result) -> Bool {
        if case .granted = result { return true }
        return false
    }
}
