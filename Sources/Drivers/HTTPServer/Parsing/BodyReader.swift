/// Collects the body of one request, or skips it, by its length or its chunks.
struct BodyReader {
    /// What is set aside for a body at its head; most bodies are no longer (decision 0210).
    static let firstRoomBytes = 4_096

    private enum Framing {
        case remaining(Int)
        case chunks(ChunkDecoder)
    }

    private var framing: Framing
    private let keeps: Bool
    private let bytesMax: Int
    private(set) var body: [UInt8] = []
    /// How many bytes are set aside for the body so far.
    private(set) var room: Int

    /// Reads a body of at most `bytesMax`; one announced as longer is refused here.
    ///
    /// - Throws: `.contentTooLarge`.
    init(_ head: RequestHead, bytesMax: Int, keeps: Bool) throws(Status) {
        self.keeps = keeps
        switch head.framing {
        case .length(let length):
            guard length <= bytesMax else { throw .contentTooLarge }
            framing = .remaining(length)
            self.bytesMax = length
        case .chunked:
            framing = .chunks(ChunkDecoder(bodyBytesMax: bytesMax))
            self.bytesMax = bytesMax
        }
        room = Self.firstRoom(of: self.bytesMax)
        if keeps, case .length = head.framing { body.reserveCapacity(room) }
    }

    /// What is set aside at the head for a body of at most `bytesMax`.
    static func firstRoom(of bytesMax: Int) -> Int { min(bytesMax, firstRoomBytes) }

    /// How many more bytes must be set aside before `count` more are read; twice the room at least,
    /// so that a body in small pieces asks seldom, and never more than the whole may be.
    func missingRoom(for count: Int) -> Int {
        let needed = min(bytesMax, body.count + count)
        return needed <= room ? 0 : min(bytesMax, max(needed, room * 2)) - room
    }

    /// So many more bytes are set aside.
    mutating func grow(by count: Int) {
        room += count
        body.reserveCapacity(room)  // Else the array would grow by itself, beyond what is counted.
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
