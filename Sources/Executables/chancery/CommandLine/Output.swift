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

    /// As above, of a list with something beside it: as JSON the object that the admin API answers,
    /// with the list under `member`.
    static func list(
        _ items: [JSON],
        _ columns: [Column],
        under member: String,
        beside others: [JSON.Member],
        asJSON: Bool
    ) {
        guard asJSON else { return list(items, columns, asJSON: false) }
        say(.object([.init(member, .array(items))] + others))
    }

    /// How much of a list cannot be read; nothing where that is nothing, as the admin API has it.
    static func unreadable(_ count: Int) -> [JSON.Member] {
        count > 0 ? [.init("unreadable", .integer(Int64(count)))] : []
    }
}
