import Foundation
import Glibc
import Testing

@testable import check

/// How `deploy/test` runs its stages.
@Suite("Stages beside each other", .timeLimit(.minutes(1))) struct CheckStagesTests {
    @Test("one that may run beside another starts with it, and gives way") func beside() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let report = scratch.run([
            scratch.stage("first", "until [ -e seen ]; do sleep 0.1; done"),
            scratch.stage("next", "touch next"),
            scratch.stage(
                "beside",
                "chrt -p $$ > seen; until [ -e next ]; do sleep 0.1; done",
                beside: ["first"]
            ),
        ])
        #expect(report.total.passed == 3 && report.total.failed == 0)
        #expect(scratch.text("seen")?.contains("SCHED_IDLE") == true)
    }

    @Test("one that may run beside another starts when what it needs is done") func needs() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let report = scratch.run([
            scratch.stage("first", "until [ -e needed ]; do sleep 0.1; done"),
            scratch.stage("second", "until [ -e seen ]; do sleep 0.1; done"),
            scratch.stage(
                "needed",
                "sleep 0.5; [ ! -e seen ] && touch needed",
                beside: ["first"]
            ),
            scratch.stage("seen", "touch seen", beside: ["first"], needs: ["needed"]),
        ])
        #expect(report.total.passed == 4 && report.total.failed == 0)
    }

    @Test("one whose need has failed is not run") func needFails() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let report = scratch.run([
            scratch.stage("first", "until [ -e tried ]; do sleep 0.1; done; sleep 0.5"),
            scratch.stage("needed", "touch tried; exit 1", beside: ["first"]),
            scratch.stage("last", "touch last", beside: ["first"], needs: ["needed"]),
        ])
        #expect(report.total.passed == 1 && report.total.failed >= 1)
        #expect(scratch.text("last") == nil)
    }

    @Test("one that is run without those waits for its turn, and for itself") func alone() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let report = scratch.run([
            scratch.stage("first", "sleep 0.3; [ ! -e seen ]"),
            scratch.stage("alone", "chrt -p $$ > seen", beside: ["another"]),
        ])
        #expect(report.total.passed == 2 && report.total.failed == 0)
        // Its policy is ours.
        let isIdle = sched_getscheduler(0) == 5
        #expect(scratch.text("seen")?.contains("SCHED_IDLE") == isIdle)
    }

    @Test("a failure is told in its turn, and ends the run then") func fails() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let report = scratch.run([
            scratch.stage("first", "until [ -e failed ]; do sleep 0.1; done"),
            scratch.stage("beside", "touch failed; echo why >&2; exit 3", beside: ["first"]),
            scratch.stage("last", "touch last"),
        ])
        #expect(report.total.passed == 1 && report.total.failed == 1)
        #expect(scratch.text("beside.log") == "why\n")
        #expect(scratch.text("last") == nil)
    }

    @Test("a failure ends what runs beside it, and nothing else is started") func ends() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let begin = ContinuousClock.now
        let report = scratch.run([
            scratch.stage("first", "until [ -s process ]; do sleep 0.1; done; exit 1"),
            scratch.stage("beside", "echo $$ > process; sleep 50; true", beside: ["first"]),
            scratch.stage("last", "touch last"),
        ])
        #expect(ContinuousClock.now - begin < .seconds(30))
        #expect(report.total.passed == 0 && report.total.failed == 1)
        let process = try #require(scratch.text("process").flatMap { Int32($0.dropLast()) })
        // Killed with all its group it may still wait for a processor to end on: it gives way.
        let limit = begin + .seconds(40)
        while kill(process, 0) == 0, ContinuousClock.now < limit { usleep(20_000) }
        #expect(kill(process, 0) == -1)
        #expect(scratch.text("last") == nil)
    }

    @Test("a stage runs beside earlier ones, whose work it does not need, nor they its")
    func table() {
        for (index, stage) in Stage.all.enumerated() {
            let before = Stage.all[..<index]
            for name in stage.beside {
                let other = before.first { $0.name == name }
                #expect(other != nil, "\(stage.name) beside \(name)")
                #expect(other?.needs.contains(stage.name) == false)
                #expect(!stage.needs.contains(name))
                // It may start as early as that one, where what it needs is done or under way.
                let start = Stage.all.firstIndex { $0.name == name } ?? 0
                for need in Stage.all where stage.needs.contains(need.name) {
                    let first = Stage.all.firstIndex {
                        ([need.name] + need.beside).contains($0.name)
                    }
                    #expect((first ?? .max) < start, "\(stage.name) needs \(need.name)")
                }
            }
            for name in stage.needs { #expect(before.contains { $0.name == name }) }
        }
    }

    @Test("the help of deploy/test lists every stage, in order") func help() throws {
        let help = try #require(SourceTree.text("deploy/test"))
        let list = help.components(separatedBy: "only these:").dropFirst().first
        let words = try #require(list?.components(separatedBy: "#   deploy/test").first)
        let named = words.split { " #\n".contains($0) }.map(String.init)
        #expect(named == Stage.all.map(\.name))
    }

    /// A folder for stages that are one line of shell each.
    private struct Scratch {
        let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory
                .appending(path: "chancery-stages-\(UUID().uuidString.prefix(8).lowercased())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }

        func stage(
            _ name: String,
            _ line: String,
            beside: [String] = [],
            needs: [String] = []
        ) -> Stage {
            Stage(
                name: name,
                purpose: "a stage of a test",
                extent: .asked,
                secondsMax: 40,
                needs: needs,
                beside: beside,
                givesWay: true,
                work: .command(["sh", "-c", "cd \(folder.path); \(line)"])
            )
        }

        func run(_ stages: [Stage]) -> Report {
            let report = Report(skipsFail: false, folder: folder)
            report.run(stages, ProcessInfo.processInfo.environment)
            return report
        }

        func text(_ name: String) -> String? {
            try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
    }
}
