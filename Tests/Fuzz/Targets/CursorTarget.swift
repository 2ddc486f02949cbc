import InMemory

@testable import WebAPI

extension Target {
    /// A cursor that is taken is one that we wrote.
    static let cursor = Target("cursor") { bytes in
        let cursors = FeedCursor(StandInDigester())
        guard let (log, place) = cursors.read(bytes) else { return }
        precondition(cursors.write(log, place) == bytes, "two texts of one cursor")
    }
}
