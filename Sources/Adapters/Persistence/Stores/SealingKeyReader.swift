package import Domain
package import Issuing
package import Runtime

/// Looks sealing keys up for one loop; what a turn asks for goes out in one query.
///
/// Nothing is kept: a key that has been destroyed is so for the next look-up.
package final class SealingKeyReader: Sendable {
    /// Reads the rows of different ids, 64 at most, in any order.
    package typealias Query =
        @Sendable (_ ids: [StreamID], _ deadline: Deadline)
        async throws(StoreError) -> [WrappedSealingKey]

    private struct KeyLookUp: LookUp {
        typealias Answer = WrappedSealingKey?
        let id: StreamID
        var streams: [StreamID] { [id] }
    }

    let loop: Loop
    private let line: LookUpLine<KeyLookUp>
    private let lookUps: LookUps

    /// Asks by `query`, on `loop`.
    package init(on loop: Loop, query: @escaping Query) {
        self.loop = loop
        line = LookUpLine { wanted, deadline async throws(StoreError) in
            let rows = try await query(Array(Set(wanted.map(\.id))), deadline)
            let keys = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
            return { keys[$0.id] }
        }
        lookUps = LookUps([line], on: loop)
    }

    /// The key `id`, also a destroyed one, not older than this call; nil when there is none.
    ///
    /// - Throws: `.unavailable`, whatever the reason.
    package func find(
        _ id: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> WrappedSealingKey? {
        try await lookUps.answer(to: KeyLookUp(id: id), in: line, by: deadline)
    }
}
