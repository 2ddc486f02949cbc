import OAuth
import Runtime

/// JSON for `--json`: one object or array on standard output.
enum Output {
    static func say(_ value: JSON) {
        Terminal.say(String(decoding: JSONWriter.write(value), as: UTF8.self))
    }

    /// Why a command failed, as standard error has it: the last line, also behind what it said
    /// before.
    static func say(_ failure: CommandFailure) {
        var members = [JSON.Member("message", .string(failure.sentence))]
        if let remedy = failure.remedy { members.append(.init("remedy", .string(remedy))) }
        members.append(.init("exit_status", .integer(Int64(failure.status))))
        if let status = failure.httpStatus {
            members.append(.init("http_status", .integer(Int64(status))))
        }
        if let reason = failure.reason { members.append(.init("reason", .string(reason))) }
        say(.object([.init("error", .object(members))]))
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
