internal import CLinux

/// What the linker called the file of this program: of the same bytes it is the same.
package enum BuildID {
    /// The first twelve hexadecimal digits; nil when it was linked without `--build-id`.
    package static let short: String? = own().map { id in
        id.prefix(6).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The id in a segment of notes, whose parts stand at multiples of `alignment`; nil where none
    /// is.
    package static func find(in notes: [UInt8], alignment: Int) -> [UInt8]? {
        let step = max(4, alignment)
        func padded(_ size: Int) -> Int { (size + step - 1) / step * step }
        var rest = notes[...]
        // Sizes of a name and of what follows it, and a type: 3 is NT_GNU_BUILD_ID.
        while rest.count >= 12 {
            let words = stride(from: 0, to: 12, by: 4).map { word(of: rest.dropFirst($0)) }
            let begin = padded(12 + words[0])
            let end = begin + words[1]
            guard end <= rest.count else { return nil }
            let name = rest.dropFirst(12).prefix(words[0])
            if words[2] == 3, name.elementsEqual("GNU\0".utf8) {
                return Array(rest.prefix(end).dropFirst(begin))
            }
            rest = rest.dropFirst(padded(end))
        }
        return nil
    }

    /// Four bytes, the lowest first, as on every machine that we are built for.
    private static func word(of bytes: ArraySlice<UInt8>) -> Int {
        bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func own() -> [UInt8]? {
        var number: Int32 = 0
        while true {
            var (size, alignment) = (0, 0)
            guard let start = unsafe clinux_notes(number, &size, &alignment) else { return nil }
            let notes = unsafe Array(UnsafeBufferPointer(start: start, count: size))
            if let id = find(in: notes, alignment: alignment) { return id }
            number += 1
        }
    }
}
