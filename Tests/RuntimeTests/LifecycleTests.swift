import Foundation
import TestSupport
import Testing

@testable import Runtime

@Suite("Lifecycle", .timeLimit(.minutes(1))) struct LifecycleTests {
    private static func run(
        _ components: (Guarded<[String]>) -> [Component],
        afterStarts count: Int,
        _ act: @escaping @Sendable (Lifecycle) -> Void
    ) throws -> (ExitCode, [String]) {
        let order = Guarded<[String]>([])
        let loop = try Loop(name: "main")
        let lifecycle = Lifecycle(on: loop, log: .discarding, components(order))
        Thread.detachNewThread {
            while order.current.count < count { usleep(1_000) }
            act(lifecycle)
        }
        return (lifecycle.run(), order.current)
    }

    private static func component(_ name: String, _ order: Guarded<[String]>) -> Component {
        Component(
            name,
            start: { order.withLock { $0.append("start \(name)") } },
            stop: { order.withLock { $0.append("stop \(name)") } }
        )
    }

    @Test("components start in order and stop in reverse") func order() async throws {
        let (code, order) = try await onThread {
            try Self.run(
                { order in [Self.component("a", order), Self.component("b", order)] },
                afterStarts: 2
            ) { lifecycle in
                lifecycle.end(.temporaryFailure)
                lifecycle.end(.success)
            }
        }
        #expect(code == .temporaryFailure)
        #expect(order == ["start a", "start b", "stop b", "stop a"])
    }

    @Test("a failed start stops what had started and gives its code") func failure() async throws {
        let (code, order) = try await onThread {
            try Self.run(
                { order in
                    [
                        Self.component("a", order),
                        Component(
                            "b",
                            start: { () async throws(Component.StartFailure) in
                                throw Component.StartFailure(.configuration, "issuer is not https")
                            }
                        ),
                        Self.component("c", order),
                    ]
                },
                afterStarts: 1
            ) { _ in }
        }
        #expect(code == .configuration)
        #expect(order == ["start a", "stop a"])
    }

    /// The codes that components fail with, nil for one that starts, and that of the check.
    static let checks: [([ExitCode?], ExitCode)] = [
        ([nil, nil], .success), ([.temporaryFailure, nil], .temporaryFailure),
        ([.temporaryFailure, .configuration], .configuration),
        ([.configuration, .temporaryFailure, nil], .configuration),
    ]

    @Test("a check asks every component, and wrong is more than later", arguments: checks)
    func check(_ row: (codes: [ExitCode?], code: ExitCode)) async throws {
        let (code, order) = try await onThread {
            let order = Guarded<[String]>([])
            let components = row.codes.enumerated().map { index, code in
                Component(
                    "\(index)",
                    start: { () async throws(Component.StartFailure) in
                        order.withLock { $0.append("start \(index)") }
                        if let code { throw Component.StartFailure(code, "no") }
                    },
                    stop: { order.withLock { $0.append("stop \(index)") } }
                )
            }
            let loop = try Loop(name: "main")
            return (Lifecycle.check(on: loop, log: .discarding, components), order.current)
        }
        #expect(code == row.code)
        let started = row.codes.indices.filter { row.codes[$0] == nil }
        let starts = row.codes.indices.map { "start \($0)" }
        #expect(order == starts + started.reversed().map { "stop \($0)" })
    }

    @Test("where no signal can be heard nothing is started") func deaf() async throws {
        let said = SaidLog()
        let (code, order) = try await onThread {
            let order = Guarded<[String]>([])
            let loop = try Loop(name: "main")
            let lifecycle = Lifecycle(on: loop, log: said.log, [Self.component("a", order)])
            lifecycle.openSignals = {
                errno = EMFILE
                return -1
            }
            return (lifecycle.run(), order.current)
        }
        #expect(code == .temporaryFailure)
        #expect(order.isEmpty)
        #expect(said.end().contains("signals cannot be heard"))
    }

    @Test("between the word and the end there is the notice") func notice() async throws {
        let (words, took) = try await onThread {
            let words = Guarded<[String]>([])
            let ended = Guarded(MonotonicInstant.now())
            let isStarted = Guarded(false)
            let loop = try Loop(name: "main")
            let lifecycle = Lifecycle(
                on: loop,
                log: .discarding,
                notice: .milliseconds(300),
                [
                    Component(
                        "a",
                        start: { isStarted.replace(with: true) },
                        retire: { words.withLock { $0.append("retire") } },
                        stop: { words.withLock { $0.append("stop") } }
                    )
                ]
            )
            Thread.detachNewThread {
                while !isStarted.current { usleep(1_000) }
                ended.replace(with: .now())
                lifecycle.end(.success)
            }
            _ = lifecycle.run()
            return (words.current, MonotonicInstant.now().since(ended.current))
        }
        #expect(words == ["retire", "stop"])
        #expect(took >= .milliseconds(300))
    }

    @Test("a reload that fails is said, asks the others still, and counts until one succeeds")
    func reload() async throws {
        let said = SaidLog()
        let states = try await onThread {
            let asked = Guarded<[String]>([])
            let states = Guarded<[String]>([])
            let isBroken = Guarded(true)
            let loop = try Loop(name: "main")
            let metrics = Metrics()
            let lifecycle = Lifecycle(
                on: loop,
                log: said.log,
                [
                    Component(
                        "a",
                        reload: { () async throws(Component.ReloadFailure) in
                            asked.withLock { $0.append("a") }
                            if isBroken.current { throw Component.ReloadFailure("a.pem: no key") }
                        }
                    ),
                    Component("b", reload: { asked.withLock { $0.append("b") } }),
                ]
            )
            RuntimeMetrics.publish(lifecycle, to: metrics)
            Thread.detachNewThread {
                for count in [2, 4] {
                    lifecycle.reload()
                    while asked.current.count < count { usleep(1_000) }
                    // What follows the last component is done in the same turn.
                    let isDone = Guarded(false)
                    loop.post { loop.spawn { isDone.replace(with: true) } }
                    while !isDone.current { usleep(1_000) }
                    let text = String(decoding: metrics.render(), as: UTF8.self)
                    states.withLock { $0.append(String(text.suffix(2).first ?? " ")) }
                    isBroken.replace(with: false)
                }
                lifecycle.end(.success)
            }
            _ = lifecycle.run()
            return states.current
        }
        let text = said.end()
        #expect(states == ["1", "0"])
        #expect(text.components(separatedBy: #""msg":"reloaded""#).count == 2)
        #expect(text.contains(#""component":"a","error":"a.pem: no key""#))
    }

    @Test("a reload asked for during one is not forgotten") func reloadsAgain() async throws {
        let count = try await onThread {
            let count = Guarded(0)
            let loop = try Loop(name: "main")
            let ending = Guarded<Lifecycle?>(nil)
            let lifecycle = Lifecycle(
                on: loop,
                log: .discarding,
                [
                    Component(
                        "a",
                        reload: {
                            let turn = count.withLock { count in
                                count += 1
                                return count
                            }
                            // What it read is old when this is asked for, twice or once.
                            if turn == 1 {
                                ending.current?.reload()
                                ending.current?.reload()
                            }
                            try? await loop.sleep(until: .now().advanced(by: .milliseconds(20)))
                            if turn == 2 { ending.current?.end(.success) }
                        }
                    )
                ]
            )
            ending.replace(with: lifecycle)
            lifecycle.reload()
            _ = lifecycle.run()
            ending.replace(with: nil)
            return count.current
        }
        #expect(count == 2)
    }

    @Test("the service manager is told again what it could not take") func toldAgain() async throws
    {
        let words = try await onThread {
            let words = Guarded<[String]>([])
            let loop = try Loop(name: "main")
            let notice = Duration.seconds(1)
            let lifecycle = Lifecycle(on: loop, log: .discarding, notice: notice, [])
            lifecycle.tell = { word in
                words.withLock { words in
                    words.append(word)
                    return words.count { $0 == word } > 1
                }
            }
            Thread.detachNewThread {
                let limit = MonotonicInstant.now().advanced(by: .seconds(20))
                while words.current.count < 2, MonotonicInstant.now() < limit { usleep(1_000) }
                lifecycle.end(.success)
            }
            _ = lifecycle.run()
            return words.current
        }
        #expect(words == ["READY=1", "READY=1", "STOPPING=1", "STOPPING=1"])
    }

    @Test("a first signal behind an end of its own is no second one") func ownEnd() async throws {
        let (code, order) = try await onThread {
            let order = Guarded<[String]>([])
            let loop = try Loop(name: "main")
            let slow = Component(
                "slow",
                start: {},
                stop: {
                    order.withLock { $0.append("stopping") }
                    let limit = MonotonicInstant.now().advanced(by: .seconds(20))
                    while !order.current.contains("told"), MonotonicInstant.now() < limit {
                        try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(1)))
                    }
                    order.withLock { $0.append("stopped") }
                }
            )
            let lifecycle = Lifecycle(on: loop, log: .discarding, [slow])
            lifecycle.onSignal = { order.withLock { $0.append("told") } }
            Thread.detachNewThread {
                lifecycle.end(.temporaryFailure)
                let limit = MonotonicInstant.now().advanced(by: .seconds(20))
                while order.current.isEmpty, MonotonicInstant.now() < limit { usleep(1_000) }
                loop.post { lifecycle.handle(SIGTERM) }
            }
            return (lifecycle.run(), order.current)
        }
        #expect(code == .temporaryFailure)
        #expect(order == ["stopping", "told", "stopped"])
    }

    func onThread<Answer: Sendable>(
        _ body: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }
}
