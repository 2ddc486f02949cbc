import Configuration
import Persistence
import Runtime

/// PostgreSQL: reachable, durable, of our schema, and with roles that cannot forge.
struct DatabaseCheck: Sendable {
    /// The roles that chancery migrate makes, by what they are for.
    private static let roles: KeyValuePairs<String, RoleRights.Duty> = [
        "token_issuer": .issuing, "event_relay": .publishing, "projector": .projecting,
    ]
    /// What else measured well (Architecture 14), and why.
    private static let advised:
        [(name: String, isGood: @Sendable (Int, String) -> Bool, what: String)] = [
            ("commit_delay", { number, _ in number == 0 }, "0: we group commits ourselves"),
            ("wal_compression", { _, text in text == "lz4" }, "lz4"),
            ("checkpoint_timeout", { number, _ in 900...1800 ~= number }, "15min to 30min"),
            ("max_wal_size", { number, _ in number >= 10_240 }, "10GB or more"),
            (
                "max_connections", { number, _ in number >= 200 },
                "200 or more: an issuer takes two for each worker, its lanes and one"
            ),
            (
                "max_locks_per_transaction", { number, _ in number >= 256 },
                "256 or more: partitions"
            ),
            (
                "max_prepared_transactions", { number, _ in number == 0 },
                "0: a forgotten one stops the relay"
            ),
            ("jit", { _, text in text == "off" }, "off: our statements are short"),
        ]

    let settings: OperatorSettings
    let user: String?

    func diagnoses(on loop: Loop) async -> [Diagnosis] {
        let inspection: DatabaseInspection
        do throws(CommandFailure) {
            inspection = try await DatabaseInspection(try settings.address(user: user), on: loop)
        } catch {
            return [
                .fault(
                    error.sentence,
                    "Is the server up? Section database of \(settings.path) says where it is."
                )
            ]
        }
        defer { inspection.close() }
        do throws(CommandFailure) {
            var found = try await server(inspection)
            found += try await durability(inspection)
            found += try await advice(inspection)
            let schema = await schema(on: loop)
            found += schema.map { $0.of(6) }
            if schema.allSatisfy({ $0.level == .ok }) {
                found += PartitionCheck.diagnoses(try await inspection.partitions())
                found += await ErasureCheck.diagnoses(of: inspection)
            }
            found += try await rights(inspection)
            found += try await roleSettings(inspection)
            return found
        } catch { return [.fault(error.sentence, error.remedy ?? "Look at the server's log.")] }
    }

    private func server(_ inspection: DatabaseInspection) async throws(CommandFailure)
        -> [Diagnosis]
    {
        let facts = try await inspection.facts()
        var found = [
            Diagnosis.ok("PostgreSQL \(facts.versionText) answers at \(settings.database.host)")
                .of(6)
        ]
        found += facts.refusals.map { Diagnosis.fault($0).of(6) }
        found.append(skew(facts.skewMicroseconds))
        found += HorizonCheck.diagnoses(
            try await inspection.horizonHolders(),
            isToldOfAll: facts.isToldOfAll
        )
        let isNamed = try await inspection.durability().hasStandby
        found.append(standby(facts, isNamed: isNamed).of(7))
        return found
    }

    private func skew(_ microseconds: Int64) -> Diagnosis {
        let milliseconds = microseconds / 1000
        let sentence = "the server's clock differs from ours by \(milliseconds) ms"
        switch milliseconds.magnitude {
        case ...1000: return .ok(sentence)
        case ...2000:
            return .warning(sentence, "Both machines need NTP; from 2 s nodes are unready.")
        default: return .fault(sentence, "Both machines need NTP; from 2 s nodes are unready.")
        }
    }

    /// `isNamed`: whether the server's settings wait for a standby, which any role is told.
    private func standby(_ facts: ServerInspection.Facts, isNamed: Bool) -> Diagnosis {
        let count = facts.synchronousStandbys
        if count > 0 { return .ok("\(count) synchronous standby") }
        if settings.database.durability == .singleNode {
            return .warning(
                "no synchronous standby: losing this server loses what it acknowledged",
                "Right for a single node (database.durability says so); not for production."
            )
        }
        guard facts.isToldOfAll || !isNamed else {
            return .unseen(
                "whether a synchronous standby is connected, this role is not told",
                HorizonCheck.whoIsTold
            )
        }
        return .fault(Durability.noStandby)
    }

    private func durability(_ inspection: DatabaseInspection) async throws(CommandFailure)
        -> [Diagnosis]
    {
        let refusals = try await inspection.durability().refusals
        guard refusals.isEmpty else { return refusals.map { Diagnosis.fault($0).of(6) } }
        return [Diagnosis.ok("what is acknowledged is on disk, with checksums").of(6)]
    }

    private func advice(_ inspection: DatabaseInspection)
        async throws(CommandFailure) -> [Diagnosis]
    {
        let values = try await inspection.settings(Self.advised.map(\.name))
        let wrong = Self.advised.filter { rule in
            let value = values[rule.name] ?? ""
            return !rule.isGood(Int(value) ?? -1, value)
        }
        guard !wrong.isEmpty else { return [.ok("the server is set for our load")] }
        return wrong.map { rule in
            .warning("\(rule.name) is \(values[rule.name] ?? "unknown")", "Better: \(rule.what).")
        }
    }

    private func schema(on loop: Loop) async -> [Diagnosis] {
        do throws(CommandFailure) {
            let migrator = Wiring.migrator(try settings.address(user: user), on: loop)
            do throws(MigrationError) {
                let missing = try await migrator.pending()
                guard missing.isEmpty else {
                    let names = missing.map(\.fileName).joined(separator: ", ")
                    return [.fault("the schema lacks \(names)", "Run chancery migrate.")]
                }
                return [.ok("the schema is this program's")]
            } catch {
                return [.fault("\(error)", Self.remedy(for: error))]
            }
        } catch { return [.fault(error.sentence, "Look at \(settings.path).")] }
    }

    private static func remedy(for error: MigrationError) -> String {
        switch error {
        case .unknown: "Run the program that the database was migrated for."
        // Their sentences say what to do.
        case .changed, .unrecorded, .pending, .blocked, .rebuilding:
            "Until then no process of this program starts."
        case .database where error.isRefusedRole:
            "Ask as a role that may read chancery.migrations (--user)."
        case .failed, .database: "Look at the server's log."
        }
    }

    private func rights(_ inspection: DatabaseInspection)
        async throws(CommandFailure) -> [Diagnosis]
    {
        let rights = try await inspection.rights(of: Self.roles.map(\.key))
        let refusals = rights.compactMap { role in
            Self.roles.first { $0.key == role.role }.flatMap { role.refusal(for: $0.value) }
        }
        guard refusals.isEmpty else { return refusals.map { Diagnosis.fault($0).of(5) } }
        return [Diagnosis.ok("no process can forge or change events, or do another's work").of(5)]
    }

    private func roleSettings(_ inspection: DatabaseInspection) async throws(CommandFailure)
        -> [Diagnosis]
    {
        let settings = try await inspection.roleSettings(of: Self.roles.map(\.key))
        let found = Self.roles.compactMap { role, duty -> Diagnosis? in
            guard let own = settings[role], let difference = own.difference(for: duty) else {
                return nil
            }
            guard own.refusal(for: duty) == nil else { return Diagnosis.fault(difference).of(5) }
            return Diagnosis.warning(difference.sentence, difference.remedy)
        }
        guard found.isEmpty else { return found }
        return [Diagnosis.ok("the roles have their time limits and settings").of(5)]
    }
}
