/// Something that goes wrong.
enum Fault: Int, CaseIterable, Hashable, Sendable {
    // On the way to PostgreSQL.
    case notConnected, requestLost, commitLost, answerLost, slowTransaction, slowAnswer, slowRequest
    /// A transaction of somebody else that holds the relay's fence.
    case idleTransaction
    // On the way to Kafka.
    case brokersAway, batchLost, batchHalved, acknowledgementLost, lateBatch
    case clusterReplaced
    // Processes.
    case issuerKilled, issuerFrozen, relayKilled, relayFrozen, projectorKilled, readerRewound
    case requestCancelled, clientGone
    case clockStep
    /// The network is away for seconds, and what was sent before lies in a buffer: it arrives when
    /// its sender has long given it up.
    case lateRequest
    /// Every clock is wrong by a little of its own, all the time: less than anybody corrects.
    case clocksApart
    /// A client leaves at a drawn await of its request, and hears nothing; the request's task is
    /// cancelled.
    case clientLeaves
    case projectorFrozen
    /// A record on the topic tells of a stream what is not so.
    case forgedHint
    /// The network between one process and PostgreSQL, Kafka or both is away for seconds; the
    /// others have theirs.
    case cutOff
    /// The brokers lose power and come back without what was not on a disk.
    case tailLost

    /// How often it strikes, in a thousand chances, where it is on.
    var perMille: Int {
        switch self {
        case .notConnected, .requestLost, .commitLost, .answerLost: 25
        case .slowTransaction, .slowAnswer, .slowRequest: 30
        case .idleTransaction: 20
        case .brokersAway: 10
        case .batchLost, .batchHalved, .acknowledgementLost, .lateBatch: 40
        case .clusterReplaced, .tailLost: 3
        case .issuerKilled, .issuerFrozen: 3
        case .relayKilled, .relayFrozen: 12
        case .projectorKilled, .projectorFrozen: 6
        case .readerRewound: 30
        case .requestCancelled, .clientGone, .forgedHint: 30
        case .clockStep, .cutOff: 10
        case .lateRequest: 25
        case .clientLeaves: 300
        // No chance: it is so in the whole seed.
        case .clocksApart: 0
        }
    }
}

/// Which chance of which fault: the unit the shrinker takes away.
struct Strike: Hashable, Sendable, CustomStringConvertible {
    var fault: Fault
    var chance: Int

    var description: String { "\(fault) #\(chance)" }
}
