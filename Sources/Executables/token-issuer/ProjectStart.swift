internal import Domain
internal import Issuing
internal import Signing

/// What keeps a process from serving a project (Security 10, points 1 and 9).
struct ProjectStart {
    private let project: Project
    private let unheld: [UnheldKey]

    /// `unheld`: keys that may sign and whose files cannot be used on this machine.
    init(_ project: Project, unheld: [UnheldKey]) {
        self.project = project
        self.unheld = unheld
    }

    /// One line each, which begins with the setting.
    ///
    /// A key that is not there is a reason for `--check` alone: a process that is to serve starts,
    /// unready, because only one that runs can make another (decision 0187).
    func refusals(isInsecureDev: Bool, isCheck: Bool) -> [String] {
        let id = project.settings.id.text
        // Which issuers that is for, the reading of their documents says.
        if isInsecureDev { return [] }
        if isCheck, !project.keys.keys.contains(where: { $0.status == .current }) {
            return ["keys: project \(id) has no active signing key; chancery keys stage, promote"]
        }
        let signing = project.signingKeys
        return
            unheld
            .filter { key in signing.contains { $0.kid == key.kid } }
            .filter { isCheck || !$0.isPassing }
            .map { "keys.directory: project \(id) signs with \($0.kid): \($0.finding)" }
    }
}
