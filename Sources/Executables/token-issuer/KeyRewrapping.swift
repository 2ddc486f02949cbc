internal import Assembly
internal import Domain
internal import Issuing
internal import Runtime
internal import Signing

/// While a former key encryption key opens what it wrapped: wraps that anew, files and users' keys,
/// until there is none (decision 0206).
struct KeyRewrapping: Sendable {
    /// Other issuers may still wrap by the former one, until they were started anew, too.
    private static let lookInterval = Duration.seconds(3600)
    private static let retryInterval = Duration.seconds(60)
    /// Less than a statement may take.
    private static let pageMilliseconds = 2_500

    private let directory: KeyDirectory
    private let rewrap: SealingKeyRewrap
    private let blocking: BlockingExecutor
    private let clock: SystemClock
    private let log: Log
    private let files: Gauge
    private let rows: Gauge
    private let unopened: Gauge

    /// Nil where no former key is named.
    init?(
        _ directory: KeyDirectory,
        _ rewrap: SealingKeyRewrap,
        _ blocking: BlockingExecutor,
        _ clock: SystemClock,
        _ metrics: Metrics,
        log: Log
    ) {
        guard directory.encryption.second?.standing == .former else { return nil }
        (self.directory, self.rewrap, self.blocking) = (directory, rewrap, blocking)
        (self.clock, self.log) = (clock, log)
        let gauge = { (kind: String) in
            metrics.gauge(
                "chancery_former_keys",
                "What the last look found that the key encryption key had not wrapped.",
                ["kind": kind]
            )
        }
        (files, rows, unopened) = (gauge("file"), gauge("row"), gauge("unopened"))
        tell(nil, nil)
    }

    /// Not a number where nothing is known.
    private func tell(_ resealed: Int?, _ outcome: SealingKeyRewrap.Outcome?) {
        files.set(resealed.map { Double($0) } ?? .nan)
        rows.set(outcome.map { Double($0.found - $0.unopened) } ?? .nan)
        unopened.set(outcome.map { Double($0.unopened) } ?? .nan)
    }

    func run(on loop: Loop) async {
        while !loop.isStopping {
            let isClear = await look()
            let pause = isClear ? Self.lookInterval : Self.retryInterval
            try? await loop.sleep(until: loop.now.advanced(by: pause))
        }
    }

    /// Whether nothing was found that the former one wrapped.
    private func look() async -> Bool {
        let (resealed, outcome) = (await reseal(), await rewrapped())
        tell(resealed, outcome)
        guard resealed == 0, let outcome, outcome.found == outcome.unopened else { return false }
        if outcome.unopened == 0 {
            log.notice("nothing is wrapped by the former key encryption key")
        }
        return true
    }

    /// How many key files were sealed anew; nil when it is not known what they are sealed by.
    private func reseal() async -> Int? {
        let resealed: Result<[String]?, KeyFileError>
        do {
            resealed = try await blocking.run { [directory] in
                Result { () throws(KeyFileError) in try directory.reseal() }
            }
        } catch { return nil }
        switch resealed {
        case .success(let names):
            for name in names ?? [] {
                log.notice("a key file was sealed anew", .field("file", "\(name).key"))
            }
            return names?.count
        case .failure(let error):
            log.warning("key files were not sealed anew", .field("error", "\(error)"))
            return nil
        }
    }

    private func rewrapped() async -> SealingKeyRewrap.Outcome? {
        do throws(StoreError) {
            let outcome = try await rewrap.run { [clock] in
                clock.deadline(inMilliseconds: Self.pageMilliseconds)
            }
            if outcome.wrapped > 0 {
                log.notice("sealing keys were wrapped anew", .field("count", outcome.wrapped))
            }
            if let first = outcome.firstUnopened {
                log.error(
                    "sealing keys open under neither key encryption key",
                    .field("count", outcome.unopened),
                    .field("first", "\(first)")
                )
            }
            return outcome
        } catch {
            log.warning("sealing keys were not wrapped anew", .field("error", "\(error)"))
            return nil
        }
    }
}
