internal import Configuration
internal import Domain
internal import Issuing

/// What keeps a process from serving a project (security.md section 10, 1 and 9).
struct ProjectStart {
    private let project: Project
    private let missing: [String]

    /// `missing`: keys that may sign and whose files are not on this machine.
    init(_ project: Project, missing: [String]) {
        self.project = project
        self.missing = missing
    }

    /// One line each, which begins with the setting.
    func refusals(isInsecureDev: Bool) -> [String] {
        let id = project.settings.id.text
        if isInsecureDev {
            return IssuerOrigin.isForDevelopment(project.issuer)
                ? []
                : [
                    "--insecure-dev: the issuer of project \(id), \(project.issuer), is no name of "
                        + "this machine"
                ]
        }
        let current = project.keys.keys.filter { $0.status == .current }
        if current.isEmpty {
            return ["keys: project \(id) has no active signing key; chancery keys stage, promote"]
        }
        return current.filter { missing.contains($0.kid) }.map {
            "keys.directory: the file of the active key \($0.kid) of project \(id) is missing"
        }
    }
}
