import Reference

@testable import HTTPServer

/// What we take, another parser takes: the same target, the same fields, the same body.
func compare(_ bytes: [UInt8], isComplete: Bool, body: [UInt8]) {
    var parser = HeadParser()
    guard case .complete(let head, let length)? = try? parser.parse(bytes.span) else { return }
    let (sent, missing) = withoutNearNames(bytes, headLength: length)
    let theirs = Reference(sent)
    precondition(theirs.hasHead, "taken by us alone")
    precondition(theirs.method == head.method.rawValue, "another method")
    let target = Array(head.path.utf8) + (head.query.map { [UInt8(ascii: "?")] + $0 } ?? [])
    // The absolute form names its authority too, and may leave the path out.
    let isSame = theirs.target.suffix(target.count) == target[...]
    let isShort = head.path == "/" && theirs.target.first != UInt8(ascii: "/")
    precondition(isSame || isShort, "another target")
    precondition(theirs.fields.count + missing == head.fields.count, "other fields")
    for (name, value) in theirs.fields {
        let name = String(decoding: name, as: UTF8.self).lowercased()
        guard let known = head.fields.only(named: name) else { continue }
        precondition(known == trimmed(value), "another value of \(name)")
    }
    // After an upgrade the other one leaves the rest of the connection alone.
    guard isComplete, !theirs.isUpgrade else { return }
    precondition(theirs.isComplete, "complete for us alone")
    precondition(theirs.body == body, "another body")
}

/// The bytes without those lines of the head whose name only begins with `Transfer-Encoding`, and
/// how many these were.
///
/// http-parser 2.9.4 notes a transfer coding when that many letters match, and keeps the note when
/// the name goes on: `Transfer-Encoding-Note: x` makes it refuse a body, or beside a
/// Content-Length the head. To us it is a field like any other (RFC 9110 §5.1), and all else of
/// the request is still compared.
private func withoutNearNames(_ bytes: [UInt8], headLength: Int) -> ([UInt8], missing: Int) {
    let name = Array("transfer-encoding".utf8)
    let lines = bytes[..<headLength].split(separator: 0x0A, omittingEmptySubsequences: false)
    let kept = lines.filter { line in
        let begins = line.prefix(name.count).elementsEqual(name) { $0 | 0x20 == $1 }
        return !begins || line.dropFirst(name.count).first == UInt8(ascii: ":")
    }
    return (Array(kept.joined(separator: [0x0A])) + bytes[headLength...], lines.count - kept.count)
}

private func trimmed(_ value: [UInt8]) -> [UInt8] {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    return Array(value.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
}

/// What Debian's http-parser makes of the first request of some bytes.
private struct Reference {
    let hasHead: Bool
    let isComplete: Bool
    let isUpgrade: Bool
    let method: String
    let target: [UInt8]
    let fields: [(name: [UInt8], value: [UInt8])]
    let body: [UInt8]

    init(_ bytes: [UInt8]) {
        let result = UnsafeMutablePointer<reference>.allocate(capacity: 1)
        defer { unsafe result.deallocate() }
        unsafe reference_read(bytes, bytes.count, result)
        func copy(_ text: reference_text) -> [UInt8] {
            unsafe Array(
                UnsafeBufferPointer(start: reference_bytes(result, text), count: text.length)
            )
        }
        hasHead = unsafe result.pointee.has_head == 1
        isComplete = unsafe result.pointee.is_complete == 1
        isUpgrade = unsafe result.pointee.is_upgrade == 1
        method = unsafe hasHead ? String(cString: result.pointee.method) : ""
        target = unsafe copy(result.pointee.url)
        fields = unsafe (0..<result.pointee.field_count).map { index in
            unsafe (copy(reference_name(result, index)), copy(reference_value(result, index)))
        }
        body = unsafe copy(result.pointee.body)
    }
}
