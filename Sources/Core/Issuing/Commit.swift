package import Domain

/// One command's events over one or several streams: all are taken, or none (Events 3).
package struct Commit: Sendable {
    package static let eventsMax = 64
    package static let streamsMax = 64
    package static let guardsMax = 64

    package var command: CommandID
    package var project: ProjectNumber
    package var attributes: EventAttributes
    package var streams: [StreamAppend]
    package var guards: [StreamGuard]
    package var priority: CommandRequest.Priority

    package init(
        command: CommandID,
        project: ProjectNumber,
        attributes: EventAttributes,
        streams: [StreamAppend],
        guards: [StreamGuard],
        priority: CommandRequest.Priority = .usual
    ) {
        self.command = command
        self.project = project
        self.attributes = attributes
        self.streams = streams
        self.guards = guards
        self.priority = priority
    }

    /// Whether all that it rests on was read from `server`.
    package func isOf(_ server: Int) -> Bool {
        // By places: a loop over the elements counts references to all that is in each.
        let streams = streams.span
        return streams.indices.allSatisfy { streams[$0].guardian.isOf(server) }
            && guards.allSatisfy { $0.isOf(server) }
    }

    /// Whether the log takes so much in one command.
    package var isWithinBounds: Bool {
        let streams = streams.span
        let eventCount = streams.indices.reduce(0) { $0 + streams[$1].events.count }
        return 1...Self.eventsMax ~= eventCount && streams.count <= Self.streamsMax
            && guards.count <= Self.guardsMax
    }
}
