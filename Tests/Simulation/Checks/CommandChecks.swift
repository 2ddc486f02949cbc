import Domain
import Issuing
import Persistence

// @unchecked: touched by the one thread that runs the simulation.
/// Commands are done wholly and once, or not at all, and are told the truth (Events 3);
/// whoever asks, and whether or not they are still there.
final class CommandChecks: @unchecked Sendable {
    private enum Word { case open, refused, unknown }

    private let database: SimulatedDatabase
    private var seen = 0
    private var rows: [CommandID: Int] = [:]
    private var words: [CommandID: Word] = [:]
    private var found: [(String, String)] = []
    /// Streams that commands took turns at, by node.
    private var entered: [ObjectIdentifier: Set<StreamID>] = [:]
    /// Requests whose client left.
    private(set) var visits: [Visit] = []
    /// Requests that are not over: what they run on.
    private var running: [Int: SimulatedProcess] = [:]
    private var begun = 0

    init(_ database: SimulatedDatabase) { self.database = database }

    // MARK: - Commands

    func hands(over commit: Commit) {
        rows[commit.command] = commit.streams.reduce(0) { $0 + $1.events.count }
        words[commit.command] = .open
    }

    /// `error`: nil when all is done.
    func hears(_ error: StoreError?, about commit: Commit) {
        let isThere = database.isCommitted(commit.command)
        switch error {
        case nil:
            if !isThere { found.append(("I16", "a command was told that it is done, and is not")) }
        case .conflict, .unavailable:
            words[commit.command] = .refused
            if isThere { found.append(("I16", "a command was told that nothing of it is done")) }
        case .outcomeUnknown, .corrupt: words[commit.command] = .unknown
        }
    }

    // MARK: - What a node has read

    /// How far streams are when a node asks the log for them: less is no answer.
    func heads(of streams: [StreamID]) -> [Int32] { streams.map(database.head) }

    /// A node goes by `versions`, as the log's own, of streams that were at `heads` when it asked.
    func goes(by versions: [Int32], whereLogHad heads: [Int32]) {
        guard zip(versions, heads).contains(where: { $0 < $1 }) else { return }
        found.append(("I12", "a node goes by what the log had passed before it was asked"))
    }

    func look(_ broken: (String, String) -> Void) {
        for (invariant, sentence) in found { broken(invariant, sentence) }
        found = []
        while seen < database.commits.count {
            let command = database.commits[seen].command
            seen += 1
            if database.commitCount(of: command.command) > 1 {
                broken("I1", "a command was done twice")
            }
            guard let count = rows[command.command] else { continue }
            if command.rows.count != count { broken("I1", "a part of a command was done") }
            if words[command.command] == .refused {
                broken("I16", "a command is done that was told it is not")
            }
        }
        for visit in visits where visit.rest > Visit.restMax {
            return broken("I16", "a request goes on and on though its client has left")
        }
    }

    // MARK: - Requests

    func begins(at node: SimulatedProcess) -> Int {
        begun += 1
        running[begun] = node
        return begun
    }

    func ends(_ request: Int) { running[request] = nil }

    func watch(_ visit: Visit) { visits.append(visit) }

    /// On nodes that live.
    var areAllOver: Bool { running.values.allSatisfy { !$0.isAlive } }

    // MARK: - Turns

    func enters(_ stream: StreamID, at node: SimulatedProcess) {
        entered[ObjectIdentifier(node), default: []].insert(stream)
    }

    /// In an order of their own: a set has none.
    func turns(at node: SimulatedProcess) -> [StreamID] {
        (entered[ObjectIdentifier(node)] ?? []).sorted { $0.description < $1.description }
    }
}
