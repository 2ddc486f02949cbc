internal import HTTPServer

extension Response {
    /// A document with its entity tag, or `304` when the caller has it (RFC 9110 section 13.1.2).
    static func document(_ document: ProjectSnapshot.Document, for request: Request) -> Response {
        guard request.headers.contains("if-none-match") else { return document.response }
        let isKnown = request.headers.all("if-none-match").contains {
            names(document.tag, in: $0)
        }
        return isKnown ? document.unchanged : document.response
    }

    /// `*`, or a list of tags; a weak one fits, too (RFC 9110 section 8.8.3.2).
    private static func names(_ tag: String, in value: [UInt8]) -> Bool {
        value.split(separator: UInt8(ascii: ",")).contains { item in
            var name = item.drop { $0 == 0x20 || $0 == 0x09 }
            while let last = name.last, last == 0x20 || last == 0x09 { name = name.dropLast() }
            if name.elementsEqual("*".utf8) { return true }
            if name.starts(with: "W/".utf8) { name = name.dropFirst(2) }
            return name.elementsEqual(tag.utf8)
        }
    }
}
