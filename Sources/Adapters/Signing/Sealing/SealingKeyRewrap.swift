package import Domain
package import Issuing

/// Wraps anew what the former key encryption key wrapped (decision 0206).
package struct SealingKeyRewrap: Sendable {
    /// What a pass over all keys came to.
    package struct Outcome: Hashable, Sendable {
        /// Those that the former one, or nobody knows which, wrapped as they were found.
        package var found = 0
        /// Of those: wrapped anew here, not at another node meanwhile.
        package var wrapped = 0
        /// Of those: opened by neither key encryption key.
        package var unopened = 0
        /// One that is not opened.
        package var firstUnopened: StreamID?

        package init() {}
    }

    private let sealer: EnvelopeSealer
    private let pages: any WrappedKeyPages
    private let pause: any Pause

    /// Wraps with the key encryption key of `sealer`; others have their turn between two pages.
    package init(_ sealer: EnvelopeSealer, _ pages: any WrappedKeyPages, pause: any Pause) {
        self.sealer = sealer
        self.pages = pages
        self.pause = pause
    }

    /// Goes over all keys once, a page at a time, each by a deadline of its own.
    ///
    /// Who is interrupted begins anew: what was done is passed over.
    /// - Throws: when a page cannot be read or written; those before it are done.
    package func run(by deadline: @Sendable () -> Deadline) async throws(StoreError) -> Outcome {
        var outcome = Outcome()
        var last: StreamID?
        while true {
            let version = sealer.keyVersion
            let page = try await pages.page(otherThan: version, after: last, by: deadline())
            guard let end = page.last else { return outcome }
            let found = page.filter { $0.kekVersion != version }
            let keys = found.compactMap { row in
                sealer.rewrapped(row).map { RewrappedKey(found: row, anew: $0) }
            }
            if !keys.isEmpty { outcome.wrapped += try await pages.replace(keys, by: deadline()) }
            outcome.found += found.count
            outcome.unopened += found.count - keys.count
            if keys.count < found.count, outcome.firstUnopened == nil {
                let opened = Set(keys.map(\.found.id))
                outcome.firstUnopened = found.first { !opened.contains($0.id) }?.id
            }
            last = end.id
            await pause.wait(milliseconds: 5)
        }
    }
}
