/// What the command line asks for.
struct Options {
    var isFull = false
    var seconds = 5.0
    var sessions = 100_000
    var keeps = false
    var names: Set<String> = []

    static let usage = """
        benchmarks [--full] [--seconds N] [--sessions N] [--keep] [LINE]...
          --full       flatness up to 1,000,000 sessions
          --seconds    measured time of a line, default 5
          --sessions   of the largest normal store, default 100,000
          --keep       leave the cluster's directory behind
          LINE         refresh, redeem, introspect, userinfo, discovery, flat, start
        """

    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let word = rest.popFirst() {
            switch word {
            case "--full": isFull = true
            case "--keep": keeps = true
            case "--seconds": seconds = rest.popFirst().flatMap { Double($0) } ?? seconds
            case "--sessions": sessions = rest.popFirst().flatMap { Int($0) } ?? sessions
            case "--help": return nil
            default: names.insert(word)
            }
        }
    }

    func wants(_ name: String) -> Bool { names.isEmpty || names.contains(name) }
}
