import Configuration
import Issuing

/// What two projects share although a document that takes it is refused by now (decisions 0125 and
/// 0243): those of before keep it, and only a line of a log says so.
struct NeighbourCheck {
    /// The documents in force.
    let documents: [(project: String, bytes: [UInt8])]

    private let reader = ProjectDocument(isInsecureDevelopment: true)

    init(_ documents: [(project: String, bytes: [UInt8])]) { self.documents = documents }

    /// None where there is no other project.
    var diagnoses: [Diagnosis] {
        guard documents.count > 1 else { return [] }
        let shared = sharedHosts + sharedCookies
        // Nothing is known of a document that cannot be read, which is said elsewhere.
        let isWhole = documents.allSatisfy { !reader.hosts(in: $0.bytes).isEmpty }
        guard shared.isEmpty, isWhole else { return shared }
        return [.ok("no two projects share a host or a cookie")]
    }

    private var sharedHosts: [Diagnosis] {
        var holders: [String: String] = [:]
        var found: [Diagnosis] = []
        for (project, bytes) in documents {
            for host in reader.hosts(in: bytes) {
                guard let holder = holders[host], holder != project else {
                    holders[host] = project
                    continue
                }
                found.append(
                    .warning(
                        "projects \(holder) and \(project) have one host: \(host)",
                        "Only one of them answers there: give the other a host of its own."
                    )
                )
            }
        }
        return found
    }

    private var sharedCookies: [Diagnosis] {
        let cookies = documents.compactMap { project, bytes in
            reader.accessCookie(in: bytes).map { (project: project, cookie: $0) }
        }
        var found: [Diagnosis] = []
        for (index, one) in cookies.enumerated() {
            for other in cookies[(index + 1)...] where one.cookie.meets(other.cookie) {
                let (own, their) = (one.cookie.domain, other.cookie.domain)
                let domains = own == their ? own : "\(own) and \(their)"
                found.append(
                    .warning(
                        "projects \(one.project) and \(other.project) write one cookie: "
                            + "\(one.cookie.name) at \(domains)",
                        "Give one of them another http.cookie_prefix, and tell the servers of its "
                            + "web clients."
                    )
                )
            }
        }
        return found
    }
}
