import Foundation
import Runtime

/// The numbers of README.md, measured on this machine.
@main enum Benchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--floor-server" {
            return try FloorServer.run(
                port: Stack.floorPort,
                count: arguments.last.flatMap { Int($0) } ?? 1_200
            )
        }
        guard let options = Options(arguments) else { return print(Options.usage) }
        Lifecycle.prepare()
        try Machine.move(to: Machine.loadCPU)
        let stack = try Stack(in: "/tmp/chancery-bench-\(ThisProcess.number)")
        let loop = try Loop(name: "bench")
        let failure = Guarded<String?>(nil)
        loop.spawn {
            do {
                try stack.prepare()
                try await Bench(options, stack, on: loop).run()
            } catch { failure.withLock { $0 = "\(error)" } }
            loop.stop()
        }
        loop.run()
        if options.keeps { print("# kept: \(stack.directory)") }
        stack.stop(keeps: options.keeps)
        if let failure = failure.current {
            print("# failed: \(failure)")
            ThisProcess.exit(1)
        }
    }
}
