import Foundation
import Runtime

/// What the kernel says about processes, and which CPU they run on.
enum Machine {
    /// CPU 0 serves, CPU 1 loads; on one CPU everything shares it.
    static let serverCPU = "0"
    static let loadCPU = ThisProcess.coreCount > 1 ? "1" : "0"

    /// Nanoseconds of CPU all threads of a process have used.
    static func cpuNanoseconds(of process: Int32) -> UInt64 {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(0) { sum, thread in
            let text =
                (try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8))
            return sum + (text?.split(separator: " ").first.flatMap { UInt64($0) } ?? 0)
        }
    }

    /// Nanoseconds all CPUs were busy since the start, exact to 10 ms.
    static var busyNanoseconds: UInt64 {
        let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        let ticks = text.prefix { $0 != "\n" }.split(separator: " ").compactMap { UInt64($0) }
        // user, nice, system, then idle and waiting for a disk, then interrupts.
        let busy = ticks.prefix(3).reduce(0, +) + ticks.dropFirst(5).prefix(2).reduce(0, +)
        return busy * 10_000_000
    }

    /// Resident bytes of a process.
    static func residentBytes(of process: Int32) -> Int {
        let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }

    /// A process and all its descendants.
    static func family(of process: Int32) -> [Int32] {
        let path = "/proc/\(process)/task/\(process)/children"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let children = text.split(separator: " ").compactMap { Int32($0) }
        return [process] + children.flatMap(family)
    }

    /// Moves this process, for floors that must run where the server does.
    static func move(to cpu: String) throws {
        let tool = try Subprocess.run(
            "/usr/bin/taskset",
            ["-apc", cpu, "\(ThisProcess.number)"],
            output: .discarded
        )
        tool.waitUntilExit()
    }
}
