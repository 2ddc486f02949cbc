@testable import HTTPServer

extension Target {
    /// No cut changes an answer, and what we take another parser reads in the same way.
    ///
    /// The first two bytes choose where the rest is cut. What is found becomes a row of
    /// GrammarRows.swift and stays in the corpus.
    static let http = Target("http") { data in
        guard data.count >= 2 else { return false }
        let cut = Int(data[0]) << 8 | Int(data[1])
        let bytes = Array(data.dropFirst(2))
        let whole = outcome(bytes, in: [bytes.count])
        precondition(
            outcome(bytes, in: [min(cut, bytes.count), bytes.count]) == whole,
            "a cut matters"
        )
        if bytes.count < 512 {
            precondition(outcome(bytes, in: Array(0...bytes.count)) == whole, "bytes matter")
        }
        compare(bytes, isComplete: whole.isComplete, body: whole.body)
        return whole.isComplete && !whole.body.isEmpty
    }
}

/// What a head and its body came to.
private struct Outcome: Equatable {
    var status: Status?
    var length: Int?
    var path = ""
    var fieldCount = 0
    var bodyStatus: Status?
    var body: [UInt8] = []
    var isComplete = false
}

private func outcome(_ bytes: [UInt8], in pieces: [Int]) -> Outcome {
    var result = Outcome()
    var parser = HeadParser()
    for end in pieces {
        do throws(Status) {
            guard
                case .complete(let head, let length) =
                    try parser.parse(bytes.span.extracting(0..<end))
            else { continue }
            result.length = length
            result.path = head.path
            result.fieldCount = head.fields.count
            check(head)
            let ends = pieces.map { $0 - length }
            read(Array(bytes[length...]), after: head, in: ends, into: &result)
            return result
        } catch {
            result.status = error
            return result
        }
    }
    return result
}

private func read(
    _ rest: [UInt8],
    after head: RequestHead,
    in pieces: [Int],
    into result: inout Outcome
) {
    do throws(Status) {
        var reader = try BodyReader(head, bytesMax: 4_096, keeps: true)
        var used = 0
        for end in pieces where end >= used {
            used += try reader.read(rest.span.extracting(used..<end))
        }
        result.body = reader.body
        result.isComplete = reader.isComplete
        precondition(reader.body.count <= 4_096, "a body beyond its bound")
    } catch {
        result.bodyStatus = error
    }
}

/// What every accepted head promises to those behind it.
private func check(_ head: RequestHead) {
    precondition(head.fields.count(of: "host") == 1, "not one Host")
    precondition(head.fields.count <= HeadParser.fieldsMax, "too many fields")
    let path = Array(head.path.utf8)
    precondition(path.first == 0x2F || path == [0x2A], "a path without a slash")
    precondition(path.allSatisfy { 0x21...0x7E ~= $0 }, "a byte no path has")
    precondition(!head.path.contains("/../") && !head.path.contains("/./"), "a dot segment")
    if case .chunked = head.framing {
        precondition(head.fields.count(of: "content-length") == 0, "two framings")
    }
}
