import Issuing
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("Request limits") struct RequestLimitsTests {
    private func limits(_ clock: Guarded<UInt64>, _ rate: RequestLimit.Rate) -> RequestLimits {
        RequestLimits([.page: rate], metrics: Metrics()) { clock.current }
    }

    @Test("are those of the design where an operator sets no others") func standard() {
        let rates: [RequestLimit: RequestLimit.Rate] = [
            .failedRequest: .init(perMinute: 60),  // L1
            .refresh: .init(perMinute: 60, burst: 10),  // L2
            .challenge: .init(perMinute: 60),  // L3
            .challengePerNode: .init(perMinute: 120_000, burst: 2_000),
            .page: .init(perMinute: 120),  // L4
            .pagePerClient: .init(perMinute: 6_000),
            .failedLink: .init(perMinute: 20),  // L7
            .failedClientAuthentication: .init(perMinute: 20),  // L9
            .admin: .init(perMinute: 60),  // L10
            .account: .init(perMinute: 60),  // L11
        ]
        #expect(rates.count == RequestLimit.allCases.count)
        for (limit, rate) in rates { #expect(limit.standard == rate, "\(limit)") }
        let mails = MailLimits()
        #expect(mails.addressPerMinute == 2)  // L5
        #expect(mails.addressPerHour == 10 && mails.addressPerDay == 40)
        #expect(mails.networkPerHour == 50)  // L6
        #expect(mails.clientPerHour == 1_000 && mails.projectPerHour == 5_000)
    }

    @Test("a burst passes, then one each interval") func burst() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 60, burst: 3))
        for _ in 0..<3 { #expect(limits.take(.page, [1]) == nil) }
        #expect(limits.take(.page, [1]) == 1)
        clock.withLock { $0 += 1_000_000_000 }
        #expect(limits.take(.page, [1]) == nil)
        #expect(limits.take(.page, [1]) != nil)
        #expect(limits.take(.page, [2]) == nil)
    }

    @Test("other rates hold from the next request on; what was counted stays") func replaced() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 60, burst: 1))
        #expect(limits.take(.page, [1]) == nil)
        #expect(limits.take(.page, [1]) == 1)
        limits.replace(rates: [.page: .init(perMinute: 60, burst: 2)])
        #expect(limits.take(.page, [1]) == nil)
        #expect(limits.take(.page, [1]) == 1)
        limits.replace(rates: [.page: .init(perMinute: 0)])
        #expect(limits.take(.page, [1]) == nil)
    }

    @Test("a refused request costs nothing") func refusedIsFree() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 60, burst: 1))
        #expect(limits.take(.page, [1]) == nil)
        for _ in 0..<100 { #expect(limits.take(.page, [1]) == 1) }
        clock.withLock { $0 += 1_000_000_000 }
        #expect(limits.take(.page, [1]) == nil)
    }

    @Test("two projects' clients of one name are counted each by itself") func projects() throws {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 60, burst: 1))
        for number: Int16 in [1, 257] {
            let key = RequestLimits.key("web".utf8, of: Sample.number(number))
            #expect(limits.take(.page, key) == nil && limits.take(.page, key) == 1)
        }
    }

    @Test(
        "keys are told apart by each of their bytes, and by how many there are",
        arguments: [1, 7, 8, 9, 18, 31, 32, 33, 40, 76]
    )
    func keys(count: Int) {
        let limits = limits(Guarded(1_000_000_000), .init(perMinute: 60, burst: 1))
        let key = [UInt8](repeating: 0, count: count)
        var keys = [key, key + [0], Array(key.dropLast())]
        for place in key.indices {
            var other = key
            other[place] = 1
            keys.append(other)
        }
        for key in keys { #expect(limits.take(.page, key) == nil, "\(key)") }
        for key in keys { #expect(limits.take(.page, key) == 1, "\(key)") }
    }

    @Test("looking counts nothing") func check() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 60, burst: 1))
        for _ in 0..<10 { #expect(limits.check(.page, [1]) == nil) }
        #expect(limits.take(.page, [1]) == nil)
        #expect(limits.check(.page, [1]) == 1)
    }

    @Test("those let in together that all fail are all counted, up to twice what may be at once")
    func failedTogether() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 20))
        for _ in 0..<200 { #expect(limits.check(.page, [1]) == nil) }
        for _ in 0..<200 { limits.charge(.page, [1]) }
        #expect(limits.check(.page, [1]) == 63)
        clock.withLock { $0 += 3_000_000_000 }
        #expect(limits.check(.page, [1]) == 60)
        #expect(limits.check(.page, [2]) == nil)
        clock.withLock { $0 += 60_000_000_000 }
        #expect(limits.check(.page, [1]) == nil)
    }

    @Test("one after the other, failures count like requests") func failures() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 60, burst: 2))
        limits.charge(.page, [1])
        #expect(limits.check(.page, [1]) == nil)
        limits.charge(.page, [1])
        #expect(limits.check(.page, [1]) == 1)
        clock.withLock { $0 += 1_000_000_000 }
        #expect(limits.check(.page, [1]) == nil)
    }

    @Test("0 is no limit") func off() {
        let limits = limits(Guarded(1), .init(perMinute: 0))
        for _ in 0..<1000 { #expect(limits.take(.page, [1]) == nil) }
        for _ in 0..<1000 { limits.charge(.page, [1]) }
        #expect(limits.check(.page, [1]) == nil)
    }

    @Test("an operator's numbers a minute, by name; what they leave out stays") func numbers() {
        let rates = RequestLimit.rates(perMinute: ["page": 7, "refresh": 90, "admin": 0, "x": 1])
        #expect(
            rates == [
                .page: .init(perMinute: 7), .refresh: .init(perMinute: 90, burst: 10),
                .admin: .init(perMinute: 0),
            ]
        )
        let limits = RequestLimits(rates, metrics: Metrics(), clock: { 1 })
        for _ in 0..<1000 { #expect(limits.take(.admin, [1]) == nil) }
        for _ in 0..<7 { #expect(limits.take(.page, [1]) == nil) }
        #expect(limits.take(.page, [1]) != nil)
        for _ in 0..<60 { #expect(limits.take(.challenge, [1]) == nil) }
        #expect(limits.take(.challenge, [1]) != nil)
    }

    @Test("a node makes 2 000 challenges a second") func node() {
        let limits = RequestLimits(metrics: Metrics(), clock: { 1 })
        for _ in 0..<2_000 { #expect(limits.take(.challengePerNode, []) == nil) }
        #expect(limits.take(.challengePerNode, []) != nil)
    }

    @Test("development multiplies by a hundred, except link posts") func development() {
        let limits = RequestLimits(
            [.page: .init(perMinute: 1), .failedLink: .init(perMinute: 1)],
            isForDevelopment: true,
            metrics: Metrics(),
            clock: { 1 }
        )
        for _ in 0..<100 { #expect(limits.take(.page, [1]) == nil) }
        #expect(limits.take(.page, [1]) != nil)
        #expect(limits.take(.failedLink, [1]) == nil)
        #expect(limits.take(.failedLink, [1]) != nil)
    }

    @Test("a flood of keys shares one bucket and leaves the known ones alone") func flood() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 60, burst: 2))
        for key in 0..<UInt32(RequestLimits.keysMax) {
            _ = limits.take(.page, [UInt8](bigEndian: key))
        }
        #expect(limits.take(.page, [UInt8](bigEndian: 7)) == nil)
        #expect(limits.take(.page, [1, 2]) == nil)
        #expect(limits.take(.page, [3, 4]) == nil)
        #expect(limits.take(.page, [5, 6]) != nil)
        clock.withLock { $0 += 60_000_000_000 }
        for key: UInt8 in 0..<10 { #expect(limits.take(.page, [9, key]) == nil) }
    }

    @Test("a flood of keys leaves a node its challenges, and they leave others their buckets")
    func floodedNode() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = limits(clock, .init(perMinute: 60, burst: 2))
        for key in 0..<UInt32(RequestLimits.keysMax) {
            _ = limits.take(.page, [UInt8](bigEndian: key))
        }
        for key: UInt8 in 0..<3 { _ = limits.take(.page, [9, key]) }
        #expect(limits.take(.page, [8, 8]) != nil)
        for _ in 0..<2_000 { #expect(limits.take(.challengePerNode, []) == nil) }
        #expect(limits.take(.challengePerNode, []) != nil)
        #expect(limits.take(.challenge, [8, 8]) == nil)
        #expect(limits.take(.page, [UInt8](bigEndian: 7)) == nil)
    }

    @Test("past the room for keys, who has not been seen yet is looked up where it is counted")
    func checkOfSharedBucket() {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = RequestLimits([.page: .init(perMinute: 60)], metrics: Metrics()) {
            clock.current
        }
        for key in 0..<UInt32(RequestLimits.keysMax) {
            _ = limits.take(.page, [UInt8](bigEndian: key))
        }
        for key: UInt8 in 0..<25 { _ = limits.take(.failedLink, [9, key]) }
        #expect(limits.check(.failedLink, [8, 8]) != nil)
        #expect(limits.check(.failedRequest, [8, 8]) == nil)
        #expect(limits.check(.page, [UInt8](bigEndian: 7)) == nil)
        clock.withLock { $0 += 60_000_000_000 }
        #expect(limits.check(.failedLink, [8, 8]) == nil)
    }

    @Test("a full table is swept once a second, whatever that frees") func sweeps() {
        let start: UInt64 = 1_000_000_000
        let clock = Guarded(start)
        let limits = limits(clock, .init(perMinute: 60, burst: 2))
        for key in 0..<UInt32(RequestLimits.keysMax) {
            _ = limits.take(.page, [UInt8](bigEndian: key))
        }
        clock.replace(with: start + 200_000_000)
        #expect(limits.take(.page, [1, 2]) == nil)  // Sweeps, in vain: they share one bucket.
        clock.replace(with: start + 1_100_000_000)
        #expect(limits.take(.page, [3, 4]) == nil)
        #expect(limits.take(.page, [5, 6]) != nil)
        clock.replace(with: start + 1_200_000_000)
        #expect(limits.take(.page, [5, 6]) == nil)
    }
}

extension [UInt8] {
    fileprivate init(bigEndian value: UInt32) {
        self = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
