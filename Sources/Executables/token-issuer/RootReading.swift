internal import Domain
internal import Issuing
internal import Runtime
internal import Signing

/// Reads the root secret again while the process runs, so that another one is in use from then on
/// (decision 0205).
///
/// What cannot be used is said once, and what was in use stays.
final class RootReading: Sendable {
    private struct Known {
        var outline: RootSecrets.Outline
        /// What is wrong with the file, as it was said.
        var problem: String?
    }

    let directory: KeyDirectory
    /// Keyed with what was read last.
    let digester: RootDigester
    private let blocking: BlockingExecutor
    private let log: Log
    private let known: Guarded<Known>

    /// `secrets` are what `directory` has now.
    init(
        _ secrets: RootSecrets,
        in directory: KeyDirectory,
        on blocking: BlockingExecutor,
        log: Log
    ) {
        known = Guarded(Known(outline: secrets.outline))
        digester = RootDigester(secrets)
        self.directory = directory
        (self.blocking, self.log) = (blocking, log)
    }

    /// What is in use.
    var outline: RootSecrets.Outline { known.current.outline }

    /// Whether the file is as it was used.
    var isRead: Bool { known.current.problem == nil }

    /// Looks at the file, and takes what it has.
    func read() async {
        let read: Result<RootSecrets, KeyFileError>
        do {
            read = try await blocking.run { [directory] in
                Result { () throws(KeyFileError) in try directory.rootSecrets() }
            }
        } catch { return }  // There are calls enough already; it is looked at again.
        switch read {
        case .success(let found): take(found)
        case .failure(let error): report("\(error)")
        }
    }

    private func take(_ found: RootSecrets) {
        let (before, outline) = (known.current, found.outline)
        guard outline.log == before.outline.log else {
            return report("it is that of another log: the file belongs elsewhere")
        }
        guard outline != before.outline || before.problem != nil else { return }
        // Told when it is in use, not before.
        digester.use(found)
        known.replace(with: Known(outline: outline))
        log.notice(
            "the root secret was read",
            .field("id", outline.id),
            .field("second", outline.second.map { "\($0.id), \($0.standing.rawValue)" } ?? "none")
        )
    }

    private func report(_ problem: String) {
        let isNews = known.withLock { known in
            defer { known.problem = problem }
            return known.problem != problem
        }
        guard isNews else { return }
        log.error(
            "the root secret's file is not used; the one read before is",
            .field("error", problem)
        )
    }
}
