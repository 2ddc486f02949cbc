import Domain

/// The other projects of the log, whose ids and hosts a document must leave alone (decision 0124).
///
/// Numbers are dense from 1: the first absent one ends the search.
struct ProjectNeighbours {
    private let documents: any ProjectDocuments

    /// The hosts of documents that a command has read: reading all of them may take longer than a
    /// decision may (decision 0044), and the next attempt finds them here.
    typealias Hosts = [TokenDigest: [String]]

    init(documents: any ProjectDocuments) { self.documents = documents }

    /// The first number that no project has.
    func firstFree(in commands: CommandRunner, by deadline: Deadline)
        async throws(OperationError) -> ProjectNumber
    {
        var next: Int16 = 1
        while let number = ProjectNumber(next) {
            let stream = commands.names.projectConfig(number)
            let config: Loaded<ProjectConfig>
            do throws(StoreError) {
                config = try await commands.store.loadCurrent(
                    ProjectConfig.self,
                    stream,
                    by: deadline
                )
            } catch { throw Self.refusal(error, of: number) }
            if case .absent = config.state { return number }
            next &+= 1
        }
        throw .conflict(.tooManyProjects)
    }

    /// Refuses settings whose id or one of whose hosts another project has, and lets the append
    /// fail when one of those was changed or added meanwhile.
    ///
    /// With more projects than a command guards, the last are compared and not held.
    func refuseShared(
        _ settings: ProjectSettings,
        as own: ProjectNumber,
        knowing hosts: inout Hosts,
        in work: inout Work
    ) async throws(CommandError<OperationError>) {
        var next: Int16 = 1
        while let number = ProjectNumber(next) {
            next &+= 1
            // What is written to is held by its expected version.
            if number == own { continue }
            let other: Loaded<ProjectConfig>
            do throws(StoreError) {
                let stream = work.names.projectConfig(number)
                other = try await work.loadOfAny(ProjectConfig.self, stream)
            } catch {
                switch Self.refusal(error, of: number) {
                case .store(let why): throw .store(why)
                case let refusal: throw .refused(refusal)
                }
            }
            switch other.state {
            case .absent: return work.require(other)
            case .applied(let applied), .suspended(let applied):
                // The last ones are for the first absent number, and for a decision without events.
                if work.guards.count < Commit.guardsMax - 2 { work.require(other) }
                try refuse(settings, beside: applied, &hosts)
            }
        }
    }

    private func refuse(
        _ settings: ProjectSettings,
        beside other: ProjectConfig.Applied,
        _ known: inout Hosts
    ) throws(CommandError<OperationError>) {
        guard settings.id != other.id else { throw .refused(.conflict(.document(.alreadyExists))) }
        let hosts = known[other.digest] ?? documents.hosts(in: other.document)
        known[other.digest] = hosts
        if let shared = settings.allHosts.first(where: hosts.contains) {
            throw .refused(.conflict(.sharedHost(shared, of: other.id)))
        }
    }

    private static func refusal(_ error: StoreError, of number: ProjectNumber) -> OperationError {
        guard case .corrupt = error else { return .store(error) }
        return .conflict(.unknownHosts(of: number))
    }
}
