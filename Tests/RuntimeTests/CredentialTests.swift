import Foundation
@testable import Runtime
import Testing

/// Files of secrets in `$CREDENTIALS_DIRECTORY` (systemd.exec(5)).
@Suite("Credentials of systemd") struct CredentialTests {
    @Test(
        "may be root's and be read by way of the group; other files may not",
        arguments: [
            (0, 0o440, true, nil), (0, 0o400, true, nil), (7, 0o400, true, nil),
            (7, 0o600, false, nil), (0, 0o400, false, .wrongOwner), (0, 0o440, false, .wrongOwner),
            (0, 0o444, true, .wrongOwner), (0, 0o460, true, .wrongOwner),
            (0, 0o640, true, .wrongOwner), (7, 0o440, true, .wrongMode),
            (7, 0o640, false, .wrongMode), (8, 0o600, true, .wrongOwner),
        ] as [(uid_t, mode_t, Bool, FileReading.Failure?)]
    )
    func rights(_ owner: uid_t, _ mode: mode_t, _ isOne: Bool, _ failure: FileReading.Failure?) {
        do throws(FileReading.Failure) {
            try FileReading.checkRights(owner: owner, mode: mode, reader: 7, isCredential: isOne)
            #expect(failure == nil)
        } catch { #expect(error == failure) }
    }

    @Test("are those that stand in the directory itself") func places() throws {
        let directory = NSTemporaryDirectory() + "credentials-\(UUID().uuidString)"
        let below = directory + "/below"
        try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for (path, credentials, isRight) in [
            (directory + "/kek", directory, geteuid() == 0), (directory + "/kek", nil, false),
            (directory + "/kek", "", false), (directory + "/kek", "/run", false),
            (below + "/kek", directory, false),
        ] as [(String, String?, Bool)] {
            try FileWriting.replace(path, with: [1, 2, 3])
            unsafe chmod(path, 0o440)
            let read = try? FileReading.secret(at: path, bytesMax: 9, credentials: credentials)
            #expect((read != nil) == isRight, "\(path) in \(credentials ?? "none")")
        }
    }
}
