/// Takes the chunked coding off a body, however its bytes arrive (RFC 9112 §7.1).
///
/// Chunk extensions are skipped within bounds; trailers are checked like fields and discarded, but
/// none may speak of the body's length, which whoever is between us may believe (RFC 9110 §6.5.1).
struct ChunkDecoder {
    static let sizeDigitsMax = 8
    static let extensionBytesPerLineMax = 64
    static let extensionBytesMax = 1_024
    static let trailersMax = 16
    static let trailerBytesMax = 4_096

    private enum State {
        case size
        case `extension`
        case sizeLineFeed
        case data
        case dataCarriageReturn
        case dataLineFeed
        case trailer
        case trailerLineFeed
        case done
    }

    private let bodyBytesMax: Int
    private var state = State.size
    private var size = 0
    private var digits = 0
    private var extensionBytes = 0
    private var lineExtensionBytes = 0
    private var decoded = 0
    private var trailer: [UInt8] = []
    private var trailers = 0
    private var trailerBytes = 0

    /// Refuses a body longer than `bodyBytesMax` when a chunk announces it.
    init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

    var isDone: Bool { state == .done }

    /// Reads `bytes`, giving data to `append`; returns how many it took, all unless done.
    mutating func decode(
        _ bytes: Span<UInt8>,
        append: (Range<Int>) -> Void
    ) throws(Status) -> Int {
        var index = 0
        while index < bytes.count, state != .done {
            if state == .data {
                let count = min(size, bytes.count - index)
                append(index..<index + count)
                size -= count
                index += count
                if size == 0 { state = .dataCarriageReturn }
            } else {
                try take(bytes[index])
                index += 1
            }
        }
        return index
    }

    private mutating func take(_ byte: UInt8) throws(Status) {
        switch state {
        case .size: try takeSize(byte)
        case .extension: try takeExtension(byte)
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw .badRequest }
            try beginChunk()
        case .dataCarriageReturn:
            guard byte == ASCII.carriageReturn else { throw .badRequest }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw .badRequest }
            (state, digits, lineExtensionBytes) = (.size, 0, 0)
        case .trailer: try takeTrailer(byte)
        case .trailerLineFeed:
            guard byte == ASCII.lineFeed else { throw .badRequest }
            try endTrailer()
        case .data, .done: break
        }
    }

    private mutating func takeSize(_ byte: UInt8) throws(Status) {
        if let digit = ASCII.hexadecimal(byte) {
            guard digits < Self.sizeDigitsMax else { throw .badRequest }
            digits += 1
            size = size << 4 | Int(digit)
            return
        }
        guard digits > 0 else { throw .badRequest }
        switch byte {
        case ASCII.carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .extension
        default: throw .badRequest
        }
    }

    private mutating func takeExtension(_ byte: UInt8) throws(Status) {
        if byte == ASCII.carriageReturn {
            state = .sizeLineFeed
            return
        }
        guard 0x20...0x7E ~= byte || byte == ASCII.tab else { throw .badRequest }
        lineExtensionBytes += 1
        extensionBytes += 1
        guard lineExtensionBytes <= Self.extensionBytesPerLineMax,
            extensionBytes <= Self.extensionBytesMax
        else { throw .badRequest }
    }

    private mutating func beginChunk() throws(Status) {
        if size == 0 {
            state = .trailer
            return
        }
        decoded += size  // At most 2^32 each, refused below: cannot overflow.
        guard decoded <= bodyBytesMax else { throw .contentTooLarge }
        state = .data
    }

    private mutating func takeTrailer(_ byte: UInt8) throws(Status) {
        trailerBytes += 1
        guard trailerBytes <= Self.trailerBytesMax else { throw .badRequest }
        if byte == ASCII.carriageReturn {
            state = .trailerLineFeed
        } else {
            guard byte >= 0x20 && byte != 0x7F || byte == ASCII.tab else { throw .badRequest }
            trailer.append(byte)
        }
    }

    private mutating func endTrailer() throws(Status) {
        guard !trailer.isEmpty else {
            state = .done
            return
        }
        let line = try FieldLine(trailer.span, 0..<trailer.count)
        guard !ASCII.equal(trailer.span, line.name, "content-length"),
            !ASCII.equal(trailer.span, line.name, "transfer-encoding")
        else { throw .badRequest }
        trailers += 1
        guard trailers <= Self.trailersMax else { throw .badRequest }
        trailer.removeAll()
        state = .trailer
    }
}
