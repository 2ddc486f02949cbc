package import Domain
internal import EventFormat
package import Issuing

extension OpenedStream {
    /// As the log has it: the stored types of the event that opened it and of its newest; nil for
    /// a type that opens nothing.
    package init?(_ stream: StreamID, opening: Int16, at position: Int64, newest: Int16) {
        guard let type = StoredType(rawValue: opening), StoredType.openings.contains(type) else {
            return nil
        }
        let last = StoredType(rawValue: newest)
        self.init(
            stream,
            type.kind,
            at: position,
            isOver: last.map(StoredType.endings.contains) ?? false,
            isUntouched: newest == opening
        )
    }
}
