/// Collects the body of one request, or skips it, by its length or its chunks.
struct BodyReader {
    private enum Framing {
        case remaining(Int)
        case chunks(ChunkDecoder)
    }

    private var framing: Framing
    private let keeps: Bool
    private(set) var body: [UInt8] = []

    /// Reads a body of at most `bytesMax`; one announced as longer is refused here.
    ///
    /// - Throws: `.contentTooLarge`.
    init(_ head: RequestHead, bytesMax: Int, keeps: Bool) throws(Status) {
        self.keeps = keeps
        switch head.framing {
        case .length(let length):
            guard length <= bytesMax else { throw .contentTooLarge }
            framing = .remaining(length)
            if keeps { body.reserveCapacity(length) }
        case .chunked:
            framing = .chunks(ChunkDecoder(bodyBytesMax: bytesMax))
        }
    }

    var isComplete: Bool {
        switch framing {
        case .remaining(let count): count == 0
        case .chunks(let decoder): decoder.isDone
        }
    }

    /// How many bytes of an announced length have not come yet; none for chunks, which do not say.
    var missing: Int { if case .remaining(let count) = framing { count } else { 0 } }

    /// Takes what belongs to the body from the start of `bytes`; returns how many that were.
    mutating func read(_ bytes: Span<UInt8>) throws(Status) -> Int {
        switch framing {
        case .remaining(let count):
            let taken = min(count, bytes.count)
            framing = .remaining(count - taken)
            if keeps { body.append(copying: bytes, 0..<taken) }
            return taken
        case .chunks(var decoder):
            framing = .remaining(0)  // Else the decoder would be copied.
            var part = keeps ? body : []
            body = []
            defer { body = part }
            let taken = try decoder.decode(bytes) { range in
                if keeps { part.append(copying: bytes, range) }
            }
            framing = .chunks(decoder)
            return taken
        }
    }
}

extension [UInt8] {
    mutating func append(copying bytes: Span<UInt8>, _ range: Range<Int>) {
        unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
