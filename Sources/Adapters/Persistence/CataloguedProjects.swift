internal import Domain
internal import Issuing

/// What a catalogue has read of the log: the projects it serves, and those that it cannot.
struct CataloguedProjects: Sendable {
    /// Why a project cannot be used as the log has it.
    struct Finding: Equatable {
        /// Of the document; nil while the project's events cannot be read.
        var digest: TokenDigest?
        var line: String
        /// It is the public origin: another project has it, or it cannot be one.
        var isAboutOrigin = false
    }

    /// What a project has that another one has, too.
    struct Shared {
        var hosts: [String]
        /// Those of the others; documents from before that was refused share them (decision 0243).
        var cookies: [(cookie: AccessCookie, other: ProjectID)]
    }

    private(set) var byNumber: [Project] = []
    private(set) var byHost: [String: Project] = [:]
    /// Every project of the log, also one that cannot be served.
    private(set) var numbers: [ProjectID: ProjectNumber] = [:]
    /// One that was served before is served as it was.
    private var findings: [ProjectNumber: Finding] = [:]
    /// How often PostgreSQL became another one (decision 0110).
    private(set) var server = 0
    /// The projects that it was seen to have.
    private var seen: Set<ProjectNumber> = []
    /// The projects that were read of it whole.
    private(set) var ofThisServer: Set<ProjectNumber> = []
    /// Where a pass begins: behind what the one before it had time for.
    private(set) var first: Int16 = 1
    /// Whether the numbers were once read to their end.
    private(set) var isRead = false

    /// Nil while every project of the log is served.
    var problem: String? {
        guard isRead else { return "the projects are not read yet" }
        return unserved.first ?? (byNumber.isEmpty ? "there is no project yet" : nil)
    }

    /// Projects that are not served at all, and why: a line each.
    var unserved: [String] { unservedNumbers.compactMap(line) }

    /// Those of them whose id is known, in the order of their numbers.
    var unservedIDs: [ProjectID] {
        unservedNumbers.compactMap { number in numbers.first { $0.value == number }?.key }
    }

    /// Projects whose origin is refused, served or not: a line each.
    var withOtherOrigin: [String] {
        findings.filter { $0.value.isAboutOrigin }.keys.sorted().compactMap(line)
    }

    /// Projects that may come or come back: those that are not served, and the next one.
    var awaited: [ProjectNumber] {
        let last = max(byNumber.last?.number.value ?? 0, findings.keys.max()?.value ?? 0)
        return unservedNumbers + [ProjectNumber(last &+ 1)].compactMap(\.self)
    }

    private var unservedNumbers: [ProjectNumber] {
        findings.keys.filter { number in !byNumber.contains { $0.number == number } }.sorted()
    }

    private func line(_ number: ProjectNumber) -> String? {
        let id = numbers.first { $0.value == number }?.key.text
        return findings[number].map { "project \(id ?? "number \(number.value)"): \($0.line)" }
    }

    func project(_ number: ProjectNumber) -> Project? { byNumber.first { $0.number == number } }

    mutating func beginServer() {
        server += 1
        first = 1
        seen = []
        ofThisServer = []
    }

    mutating func saw(_ id: ProjectID, as number: ProjectNumber, at server: Int) {
        guard server == self.server else { return }
        seen.insert(number)
        numbers = numbers.filter { $0.value != number }
        // Of two projects with one id the later, also when the elder is read again.
        if let other = numbers[id], other > number, seen.contains(other) { return }
        numbers[id] = number
    }

    /// Keeps what is wrong with a project; answers whether that is news.
    mutating func note(_ finding: Finding, of number: ProjectNumber) -> Bool {
        defer { findings[number] = finding }
        return findings[number] != finding
    }

    /// What was wrong before the document of this digest is over.
    mutating func settle(_ number: ProjectNumber, at digest: TokenDigest) {
        if findings[number]?.digest != digest { findings[number] = nil }
    }

    /// The document of a project can be read.
    mutating func settle(_ number: ProjectNumber) { findings[number] = nil }

    /// A pass had no time, or no log, for this one.
    mutating func stop(before number: ProjectNumber, from server: Int) {
        if server == self.server { first = number.value }
    }

    /// There is no project of this number, and so none of a later one; what a failover lost is
    /// forgotten.
    ///
    /// One that was seen meanwhile stays. Of a pass that began at another server nothing follows.
    mutating func end(at number: ProjectNumber, from server: Int) {
        guard server == self.server else { return }
        isRead = true
        first = 1
        findings = findings.filter { $0.key < number }
        numbers = numbers.filter { $0.value < number || seen.contains($0.value) }
        byNumber.removeAll { $0.number >= number && !seen.contains($0.number) }
        findHosts()
    }

    /// Serves `project` from now on; nil when it is no news, else what it shares.
    mutating func install(_ project: Project, from server: Int) -> Shared? {
        guard server == self.server else { return nil }
        // Of two who read at the same time, the one that read earlier may come later.
        let known = self.project(project.number)
        guard
            ofThisServer.insert(project.number).inserted
                || !(known?.isNewer(than: project) ?? false)
        else { return nil }
        byNumber.removeAll { $0.number == project.number }
        let others = byNumber.map(\.settings)
        byNumber.append(project)
        byNumber.sort { $0.number < $1.number }
        findHosts()
        return Shared(of: project.settings, with: others)
    }

    private mutating func findHosts() {
        // Of two projects with one host, which no append lets in, the elder keeps it; of two with
        // one id the later, which was made in the place of the other.
        byHost = byNumber.reduce(into: [:]) { hosts, project in
            for host in project.settings.hosts {
                let holder = hosts[host]?.settings.id
                if holder == nil || holder == project.settings.id { hosts[host] = project }
            }
        }
    }
}

extension CataloguedProjects.Shared {
    fileprivate init(of settings: ProjectSettings, with others: [ProjectSettings]) {
        let taken = others.flatMap(\.hosts)
        hosts = settings.hosts.filter(taken.contains)
        cookies = []
        guard let own = settings.accessCookie else { return }
        for other in others where other.id != settings.id {
            guard let cookie = other.accessCookie, own.meets(cookie) else { continue }
            cookies.append((cookie, other.id))
        }
    }
}

extension Project {
    /// Whether the other one was read before this: streams only grow.
    fileprivate func isNewer(than other: Project) -> Bool {
        configuration.version > other.configuration.version || keysVersion > other.keysVersion
    }
}
