import Domain
import Persistence
import Postgres
import Runtime

/// `ServerInspection` with this program's failures.
struct DatabaseInspection: Sendable {
    private let server: ServerInspection

    /// Connects to look around.
    init(_ database: DatabaseAddress, on loop: Loop) async throws(CommandFailure) {
        do throws(PostgresError) {
            server = try await ServerInspection(database.settings, on: loop)
        } catch { throw Self.failure(error) }
    }

    func close() { server.close() }

    func settings(_ names: [String]) async throws(CommandFailure) -> [String: String] {
        do throws(PostgresError) { return try await server.settings(names) } catch {
            throw Self.failure(error)
        }
    }

    func facts() async throws(CommandFailure) -> ServerInspection.Facts {
        do throws(PostgresError) { return try await server.facts() } catch {
            throw Self.failure(error)
        }
    }

    func horizonHolders() async throws(CommandFailure) -> [HorizonHolder] {
        do throws(PostgresError) { return try await server.horizonHolders() } catch {
            throw Self.failure(error)
        }
    }

    func durability() async throws(CommandFailure) -> Durability {
        do throws(PostgresError) { return try await server.durability() } catch {
            throw Self.failure(error)
        }
    }

    func rights(of roles: [String]) async throws(CommandFailure) -> [RoleRights] {
        do throws(PostgresError) { return try await server.rights(of: roles) } catch {
            throw Self.failure(error)
        }
    }

    func roleSettings(
        of roles: [String]
    ) async throws(CommandFailure) -> [String: RoleSettings] {
        do throws(PostgresError) { return try await server.roleSettings(of: roles) } catch {
            throw Self.failure(error)
        }
    }

    func projection() async throws(CommandFailure) -> ProjectionFacts {
        do throws(PostgresError) { return try await server.projection() } catch {
            throw Self.failure(error)
        }
    }

    /// Whether the log holds a project, of whatever root secret.
    func hasProjects() async throws(CommandFailure) -> Bool {
        do throws(PostgresError) { return try await !server.firstProjects().isEmpty } catch {
            throw Self.failure(error)
        }
    }

    func partitions() async throws(CommandFailure) -> PartitionReach {
        do throws(PostgresError) { return try await server.partitions() } catch {
            throw Self.failure(error)
        }
    }

    func unfinishedErasures() async throws(CommandFailure) -> [StreamID] {
        do throws(PostgresError) { return try await server.unfinishedErasures() } catch {
            var failure = Self.failure(error)
            if error.state == .insufficientPrivilege {
                failure.remedy = "Name migrator by --user, or a role that inherits log_reader."
            }
            throw failure
        }
    }

    func events(ofSession id: (UInt64, UInt64)) async throws(CommandFailure) -> [SessionEvent] {
        do throws(PostgresError) { return try await server.events(ofSession: id) } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: PostgresError) -> CommandFailure {
        CommandFailure("PostgreSQL: \(error)")
    }
}
