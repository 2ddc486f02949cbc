import Domain

/// Erasures that stopped half-way: the user's own key is there, and opens what was to be forgotten.
enum ErasureCheck {
    private static let namedMax = 10
    /// As many as one answer has.
    private static let foundMax = 1000

    static func diagnoses(of inspection: DatabaseInspection) async -> [Diagnosis] {
        do throws(CommandFailure) {
            return [diagnosis(try await inspection.unfinishedErasures())]
        } catch {
            return [
                .unseen(
                    "whether the keys of all erased users are destroyed: \(error.sentence)",
                    error.remedy ?? "Look at the server's log."
                )
            ]
        }
    }

    private static func diagnosis(_ subjects: [StreamID]) -> Diagnosis {
        guard !subjects.isEmpty else { return .ok("the key of every erased user is destroyed") }
        let count = subjects.count < foundMax ? "\(subjects.count)" : "\(foundMax) or more"
        let names = subjects.prefix(namedMax).map(\.description).joined(separator: ", ")
        return .fault(
            "erased users whose key is not destroyed, so that they can be read: \(count); "
                + "the first: \(names)",
            "Repeat each erasure: chancery subjects erase SUB --reason TEXT --final. "
                + "The log of token-issuer says what it waits for."
        )
    }
}
