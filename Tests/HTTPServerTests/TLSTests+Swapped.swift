import Foundation
import HTTPServer
import Runtime
import Testing

extension TLSTests {
    @Test("a key is taken as it was checked, whatever stands in its file's place a moment later")
    func swapped() throws {
        let (files, others) = (try Files(), try Files())
        defer {
            files.remove()
            others.remove()
        }
        let key = files.settings.keyFile
        let (right, wrong) = ("\(key).right", "\(key).wrong")
        try FileManager.default.moveItem(atPath: key, toPath: right)
        try FileManager.default.copyItem(atPath: others.settings.keyFile, toPath: wrong)
        unsafe chmod(wrong, 0o644)
        try FileManager.default.linkItem(atPath: right, toPath: key)
        let (isOver, ended) = (Guarded(false), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            while !isOver.current {
                for file in [wrong, right] {
                    unsafe link(file, "\(key).draft")
                    unsafe rename("\(key).draft", key)
                }
            }
            ended.signal()
        }
        defer {
            isOver.replace(with: true)
            ended.wait()
        }
        var reasons: Set<String> = []
        var count = 0
        // Until one has met the wrong file, at least.
        while count < 300 || reasons.isEmpty && count < 100_000 {
            count += 1
            do throws(ServerError) { try files.settings.check() } catch {
                guard case .tls(_, let reason) = error else { continue }
                reasons.insert(reason)
            }
        }
        #expect(reasons == ["others may read or write it; chmod 600"])
    }
}
