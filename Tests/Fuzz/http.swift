// Fuzzes the parsers of the HTTP server: no input may trap, and no cut may change an answer.
//
// The parser files are compiled into the fuzzer itself:
//
//   swiftc -O -sanitize=fuzzer,address -parse-as-library -swift-version 6 -package-name chancery \
//     -enable-upcoming-feature MemberImportVisibility -o http-fuzzer Tests/Fuzz/http.swift \
//     Sources/Drivers/HTTPServer/Parsing/*.swift \
//     Sources/Drivers/HTTPServer/Message/{ASCII,Fields,Method,RequestHead,Status}.swift
//   ASAN_OPTIONS=detect_leaks=0 ./http-fuzzer -max_total_time=60 -max_len=20000 \
//     Tests/Fuzz/http-corpus
//
// The first two bytes of an input choose where the rest is cut; the linker's warnings are harmless.
// What it finds becomes a row of GrammarRows.swift and stays in the corpus.

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
            read(Array(bytes[length...]), after: head, cutAt: end - length, into: &result)
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
    cutAt cut: Int,
    into result: inout Outcome
) {
    do throws(Status) {
        var reader = try BodyReader(head, bytesMax: 4_096, keeps: true)
        var used = 0
        for end in [min(cut, rest.count), rest.count] where end >= used {
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

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ data: UnsafePointer<UInt8>,
    _ count: Int
) -> CInt {
    guard count >= 2 else { return 0 }
    let cut = Int(data[0]) << 8 | Int(data[1])
    let bytes = Array(UnsafeBufferPointer(start: data + 2, count: count - 2))
    let whole = outcome(bytes, in: [bytes.count])
    precondition(
        outcome(bytes, in: [min(cut, bytes.count), bytes.count]) == whole,
        "a cut matters"
    )
    if bytes.count < 512 {
        precondition(outcome(bytes, in: Array(0...bytes.count)) == whole, "single bytes matter")
    }
    return 0
}
