/// A piece of work that requests do over and over.
struct HotPath {
    typealias Work = () async throws -> Void

    /// As it stands in the table.
    let name: String
    /// How often it is run to be counted once.
    let repeats: Int
    let run: Work
    /// What is in `run` and not ours, such as a signature: its count is taken off.
    let aside: Work?

    init(_ name: String, repeats: Int = 250, aside: Work? = nil, run: @escaping Work) {
        self.name = name
        self.repeats = repeats
        self.run = run
        self.aside = aside
    }
}
