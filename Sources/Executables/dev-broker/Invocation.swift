/// What the command line asks for.
struct Invocation {
    static let usage = """
        usage: dev-broker [--port PORT] [--topic NAME:PARTITIONS]... [--no-groups]

          --port PORT               the port of 127.0.0.1 to listen on, 1-65535 (9092)
          --topic NAME:PARTITIONS   a topic, with 1-1000 partitions; given once, it replaces the
                                    topics of Chancery (12 partitions each)
          --no-groups               nobody has a right to a consumer group
          --help                    this text

        Prints "ready 127.0.0.1:PORT" when it listens; SIGINT or SIGTERM ends it. All records are
        in memory and gone when it ends.

        """

    struct Topic: Equatable {
        var name: String
        var partitions: Int32
    }

    enum Mistake: Error, CustomStringConvertible {
        case unknown(String)
        case needsValue(String)
        case badPort(String)
        case badTopic(String)

        var description: String {
            switch self {
            case .unknown(let argument): "unknown argument \(argument)"
            case .needsValue(let option): "\(option) needs a value"
            case .badPort(let text): "\(text) is not a port (1-65535)"
            case .badTopic(let text): "\(text) is not NAME:PARTITIONS (1-1000)"
            }
        }
    }

    private(set) var port: UInt16 = 9092
    private(set) var topics = [
        Topic(name: "chancery.events", partitions: 12),
        Topic(name: "chancery.revocations", partitions: 12),
        Topic(name: "chancery.events.dlq", partitions: 1),
    ]
    private(set) var refusesGroups = false
    private(set) var wantsHelp = false

    init(_ arguments: some Sequence<String>) throws(Mistake) {
        var asked: [Topic] = []
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h":
                wantsHelp = true
            case "--port":
                guard let text = rest.next() else { throw .needsValue(argument) }
                guard let number = Self.number(text), let port = UInt16(exactly: number), port > 0
                else { throw .badPort(text) }
                self.port = port
            case "--topic":
                guard let text = rest.next() else { throw .needsValue(argument) }
                asked.append(try Self.topic(text))
            case "--no-groups":
                refusesGroups = true
            default:
                throw .unknown(argument)
            }
        }
        if !asked.isEmpty { topics = asked }
    }

    private static func topic(_ text: String) throws(Mistake) -> Topic {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let count = number(parts[1]), 1...1000 ~= count
        else { throw .badTopic(text) }
        return Topic(name: String(parts[0]), partitions: count)
    }

    /// Digits and nothing else: `Int32("+5")` would be 5.
    private static func number(_ text: some StringProtocol) -> Int32? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int32(text) : nil
    }
}
