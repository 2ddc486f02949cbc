import Domain

/// The other projects of the log, whose ids, hosts and cookies a document must leave alone
/// (decisions 0124 and 0243).
///
/// Numbers are dense from 1: the first absent one ends the search.
struct ProjectNeighbours {
    private let documents: any ProjectDocuments

    /// What documents claim that a command has read: reading all of them may take longer than a
    /// decision may (decision 0044), and the next attempt finds them here.
    typealias Known = [TokenDigest: ProjectClaims]

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

    /// Refuses an id and claims of which another project has something, and lets the append fail
    /// when one of those was changed or added meanwhile.
    ///
    /// With more projects than a command guards, the last are compared and not held.
    func refuseShared(
        _ claims: ProjectClaims,
        of id: ProjectID,
        as own: ProjectNumber,
        knowing known: inout Known,
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
                try refuse(claims, of: id, beside: applied, &known)
            }
        }
    }

    private func refuse(
        _ claims: ProjectClaims,
        of id: ProjectID,
        beside other: ProjectConfig.Applied,
        _ known: inout Known
    ) throws(CommandError<OperationError>) {
        guard id != other.id else { throw .refused(.conflict(.document(.alreadyExists))) }
        let theirs = known[other.digest] ?? ProjectClaims(of: other.document, by: documents)
        known[other.digest] = theirs
        if let shared = claims.hosts.first(where: theirs.hosts.contains) {
            throw .refused(.conflict(.sharedHost(shared, of: other.id)))
        }
        if let shared = theirs.cookie, claims.cookie?.meets(shared) == true {
            throw .refused(.conflict(.sharedCookie(shared, of: other.id)))
        }
    }

    private static func refusal(_ error: StoreError, of number: ProjectNumber) -> OperationError {
        guard case .corrupt = error else { return .store(error) }
        return .conflict(.unknownHosts(of: number))
    }
}
