import Signing
import Testing

@Suite struct SystemEntropyTests {
    @Test(arguments: [1, 8, 10, 16, 17, 32])
    func drawsAsManyBytesAsAskedFor(_ count: Int) {
        #expect(SystemEntropy().bytes(count).count == count)
    }

    @Test func handsNoByteOutTwice() {
        let entropy = SystemEntropy()
        let copy = entropy
        var seen: Set<[UInt8]> = []
        for index in 0..<4_000 {
            // A copy draws from the same page.
            #expect(seen.insert((index % 2 == 0 ? entropy : copy).bytes(10)).inserted)
        }
    }
}
