import OAuth
import Runtime

/// JSON for `--json`: one object or array on standard output.
enum Output {
    static func say(_ value: JSON) {
        Terminal.say(String(decoding: JSONWriter.write(value), as: UTF8.self))
    }

    /// A column of a list for people: its head, and the member that it shows.
    typealias Column = (head: String, member: String)

    /// What a command lists: all of it as JSON, or these columns.
    static func list(_ items: [JSON], _ columns: [Column], asJSON: Bool) {
        guard !asJSON else { return say(.array(items)) }
        Table.say(
            columns.map(\.head),
            items.map { item in columns.map { item[$0.member]?.shown ?? "" } }
        )
    }
}
