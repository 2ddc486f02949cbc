import Foundation
import Runtime
import TestSupport
import Testing

@Suite("Loop", .timeLimit(.minutes(1))) struct LoopTests {
    private func withLoop(_ body: (Loop) async throws -> Void) async throws {
        let loop = try Loop.running()
        defer { loop.end() }
        try await body(loop)
    }

    @Test("a task spawned from elsewhere runs on the loop") func spawns() async throws {
        try await withLoop { loop in
            let wasCurrent = Guarded(false)
            await loop.spawn {
                wasCurrent.replace(with: loop.isCurrent && Loop.current === loop)
            }.value
            #expect(wasCurrent.current)
            #expect(!loop.isCurrent)
            #expect(Loop.current == nil)
        }
    }

    @Test("an idle loop goes on turning, so that it is not taken for a dead one") func idles()
        async throws
    {
        try await withLoop { loop in
            await loop.spawn {}.value
            let idleSince = MonotonicInstant.now()
            let limit = idleSince.advanced(by: .seconds(20))
            while loop.lastTurn <= idleSince, .now() < limit {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(loop.lastTurn > idleSince)
        }
    }

    @Test("a loop that has not turned for five seconds is taken for a dead one") func stands()
        async throws
    {
        try await withLoop { loop in
            await loop.spawn {}.value
            #expect(loop.isTurning)
            let limit = MonotonicInstant.now().advanced(by: .seconds(20))
            let isHeld = Guarded(true)
            let stands = loop.spawn { while isHeld.current, .now() < limit { usleep(1_000) } }
            while loop.isTurning, .now() < limit { try await Task.sleep(for: .milliseconds(10)) }
            let isTurning = loop.isTurning
            let silence = MonotonicInstant.now().since(loop.lastTurn)
            isHeld.replace(with: false)
            #expect(!isTurning && silence >= .seconds(5))
            await stands.value
            await loop.spawn {}.value
            #expect(loop.isTurning)
        }
    }

    @Test("a task spawned on the loop runs at once, before spawn returns") func immediate()
        async throws
    {
        try await withLoop { loop in
            let order = Guarded<[Int]>([])
            await loop.spawn {
                loop.spawn { order.withLock { $0.append(1) } }
                order.withLock { $0.append(2) }
            }.value
            #expect(order.current == [1, 2])
        }
    }

    @Test("after sleeps, child tasks and yields a task is still on the loop") func stays()
        async throws
    {
        try await withLoop { loop in
            let places = Guarded<[Bool]>([])
            let note: @Sendable () -> Void = { places.withLock { $0.append(loop.isCurrent) } }
            await loop.spawn {
                note()
                try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(2)))
                note()
                await Task.yield()
                note()
                async let child: Void = note()
                await child
                await withTaskGroup { group in group.addTask { note() } }
                note()
            }.value
            #expect(places.current == [true, true, true, true, true, true])
        }
    }

    @Test("posts arrive in order") func posts() async throws {
        try await withLoop { loop in
            let order = Guarded<[Int]>([])
            for number in 0..<1_000 { loop.post { order.withLock { $0.append(number) } } }
            await loop.spawn {}.value
            await loop.spawn { await Task.yield() }.value
            #expect(order.current == Array(0..<1_000))
        }
    }

    @Test("the end of the turn comes after the jobs of the turn, once") func endOfTurn()
        async throws
    {
        try await withLoop { loop in
            let order = Guarded<[String]>([])
            let note: @Sendable (String) -> Void = { text in order.withLock { $0.append(text) } }
            await loop.spawn {
                loop.atEndOfTurn { note("end") }
                loop.atEndOfTurn(first: true) { note("first") }
                loop.post { note("posted") }
                await Task.yield()
                note("job")
            }.value
            await loop.spawn {
                try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(3)))
            }.value
            #expect(order.current.suffix(2) == ["first", "end"])
            #expect(order.current.sorted() == ["end", "first", "job", "posted"])
        }
    }

    @Test("sleep ends at its instant, not before") func sleeps() async throws {
        try await withLoop { loop in
            let start = MonotonicInstant.now()
            await loop.spawn {
                try? await loop.sleep(until: start.advanced(by: .milliseconds(20)))
            }.value
            #expect(MonotonicInstant.now().since(start) >= .milliseconds(20))
        }
    }

    enum Moment: CaseIterable, Sendable { case before, during }

    @Test("a cancelled task does not sleep on", arguments: Moment.allCases)
    func cancelsSleep(_ moment: Moment) async throws {
        try await withLoop { loop in
            let thrown = Guarded(false)
            let start = MonotonicInstant.now()
            let task = loop.spawn {
                if moment == .before { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                do throws(CancellationError) {
                    try await loop.sleep(until: start.advanced(by: .seconds(30)))
                } catch {
                    thrown.replace(with: true)
                }
            }
            if moment == .during { task.cancel() }
            await task.value
            #expect(thrown.current)
            #expect(MonotonicInstant.now().since(start) < .seconds(10))
        }
    }

    @Test("a cancelled task waits out what it must", arguments: Moment.allCases)
    func waitsOut(_ moment: Moment) async throws {
        try await withLoop { loop in
            let start = MonotonicInstant.now()
            let task = loop.spawn {
                if moment == .before { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                await loop.waitOut(until: start.advanced(by: .milliseconds(50)))
            }
            if moment == .during { task.cancel() }
            await task.value
            #expect(MonotonicInstant.now().since(start) >= .milliseconds(50))
        }
    }

    @Test("timers fire in the order of their instants; cancelled ones do not") func timers()
        async throws
    {
        try await withLoop { loop in
            let order = Guarded<[Int]>([])
            await loop.spawn {
                let start = loop.now
                for number in [5, 1, 4, 2, 3] {
                    let instant = start.advanced(by: .milliseconds(number * 2))
                    let timer = loop.schedule(at: instant) {
                        order.withLock { $0.append(number) }
                    }
                    if number == 4 { timer.cancel() }
                }
                try? await loop.sleep(until: start.advanced(by: .milliseconds(15)))
            }.value
            #expect(order.current == [1, 2, 3, 5])
        }
    }

    @Test("a thousand timers keep their order through cancellations") func manyTimers()
        async throws
    {
        try await withLoop { loop in
            let fired = Guarded<[Int]>([])
            await loop.spawn {
                let start = loop.now
                var numbers = SystemRandomNumberGenerator()
                for _ in 0..<1_000 {
                    let number = Int.random(in: 0..<5_000, using: &numbers)
                    let instant = start.advanced(by: .microseconds(number))
                    let timer = loop.schedule(at: instant) {
                        fired.withLock { $0.append(number) }
                    }
                    if number % 3 == 0 { timer.cancel() }
                }
                try? await loop.sleep(until: start.advanced(by: .milliseconds(20)))
            }.value
            #expect(fired.current == fired.current.sorted())
            #expect(fired.current.count > 400)
            #expect(fired.current.allSatisfy { $0 % 3 != 0 })
        }
    }

    @Test("a watch hears readable, and nothing after cancel") func watches() async throws {
        try await withLoop { loop in
            let event = try EventDescriptor()
            let heard = Guarded<[Readiness]>([])
            let watch = Guarded<Watch?>(nil)
            loop.post {
                watch.replace(
                    with: loop.watch(event.number, .readable) { readiness in
                        event.clear()
                        heard.withLock { $0.append(readiness) }
                    }
                )
            }
            event.signal()
            try await wait(until: { heard.current.count == 1 })
            loop.post { watch.current?.cancel() }
            await loop.spawn {}.value
            event.signal()
            await loop.spawn {
                try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(5)))
            }.value
            #expect(heard.current == [.readable])
        }
    }

    @Test("a turn of 60 ms is counted and reported") func stall() async throws {
        try await withLoop { loop in
            let reported = Guarded<Duration?>(nil)
            loop.onStall { reported.replace(with: $0) }
            loop.post { usleep(60_000) }
            try await wait(until: { reported.current != nil })
            // The machine may have held up another one.
            #expect(loop.stallCount >= 1)
            #expect(reported.current ?? .zero >= .milliseconds(60))
        }
    }

    private func wait(until condition: @Sendable () -> Bool) async throws {
        let limit = MonotonicInstant.now().advanced(by: .seconds(20))
        while MonotonicInstant.now() < limit {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("the condition did not come true within 20 s")
    }
}
