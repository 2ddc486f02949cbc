import Runtime
import Testing

@Suite("Port blocks") struct PortBlockTests {
    @Test("blocks taken beside each other share no port") func apart() throws {
        let blocks = try (0..<8).map { _ in try PortBlock.anyFree() }
        #expect(Set(blocks.flatMap(\.usable)).count == 8 * 39)
    }

    @Test("a block whose port somebody listens at is not taken", arguments: [0, 7, 38, 39])
    func taken(_ offset: UInt16) throws {
        let first = try emptyBlock()
        let listener = try Sockets.listen(at: .loopback(port: first + offset))
        #expect(PortBlock.take(first) == nil)
        Sockets.close(listener)
        #expect(PortBlock.take(first) != nil)
    }

    @Test("a port that is in use on ::1 alone is not free") func sixth() throws {
        let first = try emptyBlock()
        let address = try #require(SocketAddress("[::1]:\(first)"))
        guard let listener = try? Sockets.listen(at: address) else { return }  // No IPv6 here.
        defer { Sockets.close(listener) }
        #expect(!PortBlock.isFree(first))
        // Somebody else's is a place that the machine has.
        #expect(PortBlock.places(first) == [.loopback(port: first), address])
    }

    @Test("a block is taken for as long as somebody holds it") func held() throws {
        var block: PortBlock? = try PortBlock.anyFree()
        let first = try #require(block?.first)
        #expect(PortBlock.take(first) == nil)
        block = nil
        #expect(PortBlock.take(first)?.first == first)
    }

    @Test(
        "a block lies below the kernel's range, else above it, else anywhere",
        arguments: [
            (32_768...60_999, 10_240, 32_720), (1024...50_000, 50_040, 65_480),
            (10_250...65_535, 10_240, 65_480), (10_280...65_535, 10_240, 10_240),
        ] as [(ClosedRange<UInt16>, UInt16, UInt16)]
    )
    func outside(_ row: (ClosedRange<UInt16>, UInt16, UInt16)) {
        let firsts = PortBlock.firsts(outside: row.0)
        #expect(firsts.first == row.1)
        #expect(firsts.last == row.2)
    }

    @Test("this machine's blocks lie outside its kernel's range") func here() throws {
        let path = "/proc/sys/net/ipv4/ip_local_port_range"
        let bytes = try FileReading.bytes(at: path, bytesMax: 64)
        let ends = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
        let lower = try #require(UInt16(ends[0]))
        let upper = try #require(UInt16(ends[1]))
        let block = try PortBlock.anyFree()
        #expect(block.usable.upperBound < lower || block.first > upper || lower < 10_280)
    }

    @Test("the highest ports make no block", arguments: [0, 65_496, 65_535])
    func ends(_ first: UInt16) { #expect(PortBlock.take(first) == nil) }

    /// The first port of a block that was free a moment ago.
    private func emptyBlock() throws -> UInt16 { try PortBlock.anyFree().first }
}
