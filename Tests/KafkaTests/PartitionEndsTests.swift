import Kafka
import Testing

@Suite("Where a producer's records ended") struct PartitionEndsTests {
    private typealias Record = (offset: Int64, partition: Int32)

    private static func take(_ records: [Record]) -> (taken: [Bool], offsets: [Int32: Int64]) {
        var ends = PartitionEnds()
        let taken = records.map { ends.take($0.offset, in: $0.partition) }
        return (taken, ends.offsets)
    }

    @Test("is behind the last of each partition") func behind() {
        let (taken, offsets) = Self.take([(0, 0), (1, 0), (7, 3), (5, 0)])
        #expect(taken == [true, true, true, true])
        #expect(offsets == [0: 6, 3: 8])
    }

    @Test("is never before it: that is another log", arguments: [5, 4, 0] as [Int64])
    func falls(_ offset: Int64) {
        let (taken, offsets) = Self.take([(5, 2), (offset, 2), (offset, 1)])
        #expect(taken == [true, false, true])
        #expect(offsets == [1: offset + 1, 2: 6])
    }

    @Test("is not known of a record that an earlier try had published") func unknown() {
        let (taken, offsets) = Self.take([(-1, 0), (3, 0), (-1, 0)])
        #expect(taken == [true, true, true])
        #expect(offsets == [0: 4])
    }
}
