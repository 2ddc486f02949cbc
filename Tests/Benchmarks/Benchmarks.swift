import Foundation
import Runtime

/// The numbers of README.md, measured on this machine.
@main enum Benchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--floor-server" {
            return try FloorServer.run(port: arguments.last.flatMap { UInt16($0) } ?? 21_082)
        }
        if arguments.first == "--floor-producer" {
            return try FloorProducer.run(arguments.dropFirst())
        }
        let options: Options
        do { options = try Options(arguments) } catch {
            print("deploy/bench: \((error as? Options.Mistake)?.sentence ?? "\(error)")")
            print("Try 'deploy/bench --help'.")
            ThisProcess.exit(64)
        }
        guard !options.wantsHelp else { return print(Options.usage) }
        Lifecycle.prepare()
        let report = Report(isJSON: options.isJSON)
        let minutes = (options.secondsExpected / 60).rounded(.up)
        report.note("about \(Int(minutes)) min; nothing else should run on this machine")
        let failure = try run(options, report)
        if let failure { report.note("failed: \(failure)") } else { report.close() }
        let isShort = options.isStrict && !report.short.isEmpty
        ThisProcess.exit(failure == nil && !isShort ? 0 : 1)
    }

    /// Measures; answers why it could not.
    private static func run(_ options: Options, _ report: Report) throws -> String? {
        try Machine.move(to: Machine.loadCPU)
        let stack = try Stack(in: "/tmp/chancery-bench-\(ThisProcess.number)")
        let loop = try Loop(name: "bench")
        let failure = Guarded<String?>(nil)
        loop.spawn {
            do {
                try stack.prepare()
                try await Bench(options, stack, report, on: loop).run()
            } catch { failure.withLock { $0 = "\(error)" } }
            loop.stop()
        }
        loop.run()
        if options.keeps { report.note("kept: \(stack.directory)") }
        stack.stop(keeps: options.keeps)
        return failure.current
    }
}
