import Foundation
import Runtime
package import Testing

/// A PostgreSQL cluster of this test process alone, on a Unix socket in a temporary directory.
///
/// Started by the first test that asks, stopped and removed when the process ends, however it ends:
/// its keeper, a shell, waits for the end of a pipe we hold. After a failed test the files stay and
/// a line on standard error says how to look at them.
package final class PrivateCluster: Sendable {
    /// Why there is none.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// The directory with the socket, the `host` of a connection; any login needs no password.
    package let socketDirectory: String
    /// The port in the socket's name.
    package let port: UInt16 = 5432
    /// Owns everything; for set-up, and for proofs that need more rights than any login has.
    package let superuser = "postgres"

    private let keeper: Process
    private let lifeline: Pipe
    private let isKept = Guarded(false)

    private static let shared = Result { () throws(Unavailable) in try PrivateCluster() }

    /// The cluster of this process.
    package static func running() throws -> PrivateCluster { try shared.get() }

    private init() throws(Unavailable) {
        let binaries = try Self.binaries()
        // Long enough to look at one that was kept.
        StaleFolders.sweep("chancery-pg-", olderThan: 24 * 3600)
        StaleFolders.sweep("chancery-start-", olderThan: 3600)
        StaleFolders.sweep("chancery-standby-", olderThan: 3600)
        StaleFolders.sweep("chancery-relay-", olderThan: 3600)
        let root = FileManager.default.temporaryDirectory
            .appending(path: "chancery-pg-\(UUID().uuidString.prefix(8).lowercased())").path
        socketDirectory = root
        lifeline = Pipe()
        keeper = Process()
        keeper.executableURL = URL(filePath: "/bin/sh")
        keeper.arguments = ["-c", Self.script, "keeper", binaries, root]
        keeper.standardInput = lifeline
        let output = Pipe()
        keeper.standardOutput = output
        do { try keeper.run() } catch {
            throw Unavailable(description: "cannot run /bin/sh: \(error)")
        }
        let answer = Self.firstLine(of: output.fileHandleForReading)
        guard answer == "ready" else {
            throw Unavailable(description: "PostgreSQL did not start: \(answer), see \(root)")
        }
    }

    /// Keeps the files of the cluster beyond the process, and says once where they are.
    package func keep() {
        guard !isKept.replace(with: true) else { return }
        try? lifeline.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8))
        let line = """
            the cluster is kept; to look at it:
              \(Self.asPostgres)\(binariesHint)/pg_ctl -D \(socketDirectory)/data -w start
              psql -h \(socketDirectory) -U \(superuser) -l

            """
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }

    private var binariesHint: String { (try? Self.binaries()) ?? "" }

    /// PostgreSQL refuses to run as root.
    static var asPostgres: String {
        geteuid() == 0 ? "setpriv --reuid postgres --regid postgres --init-groups " : ""
    }

    /// Starts the server and waits: for "keep", and for the end of this process.
    ///
    /// Durable as in production (fsync stays on), small in everything else.
    private static var script: String {
        """
        bin=$1 root=$2
        mkdir -m 0700 "$root" || exit 1
        [ "$(id -u)" = 0 ] && chown postgres: "$root"
        run='\(asPostgres)'
        cd "$root"
        $run "$bin/initdb" -D "$root/data" -U postgres -A trust -E UTF8 --no-locale \
          --data-checksums --no-sync >"$root/initdb.log" 2>&1 </dev/null || exit 1
        cat >>"$root/data/postgresql.conf" <<SETTINGS
        listen_addresses = ''
        unix_socket_directories = '$root'
        unix_socket_permissions = 0700
        max_connections = 300
        shared_buffers = 128MB
        max_locks_per_transaction = 256
        wal_level = replica
        max_wal_senders = 1
        max_wal_size = 1GB
        checkpoint_timeout = 30min
        jit = off
        SETTINGS
        $run "$bin/postgres" -D "$root/data" >"$root/server.log" 2>&1 </dev/null &
        server=$!
        # Nobody may be left to hear that it is ready; then it ends like any other.
        trap : PIPE
        tries=0
        until "$bin/pg_isready" -q -h "$root"; do
          tries=$((tries + 1))
          [ $tries -gt 1200 ] && { kill -QUIT $server; exit 1; }
          kill -0 $server 2>/dev/null || exit 1
          sleep 0.1
        done
        echo ready
        exec >/dev/null
        read -r word
        [ "$word" = keep ] && while read -r _; do :; done
        # Who started us waits until nobody writes to what it reads, and the end takes minutes: a
        # hundred databases are as many thousand files.
        exec 2>/dev/null
        if [ "$word" = keep ]; then
          kill -INT $server
          wait $server
        else
          # At once, without writing what nobody will read.
          kill -QUIT $server
          wait $server
          rm -rf "$root"
        fi
        """
    }

    static func binaries() throws(Unavailable) -> String {
        let paths = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let candidates =
            ["/usr/lib/postgresql/15/bin"] + paths.split(separator: ":").map(String.init)
        let found = candidates.first {
            FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
                && FileManager.default.isExecutableFile(atPath: "\($0)/postgres")
        }
        guard let found else {
            throw Unavailable(description: "no PostgreSQL: apt-get install postgresql-15")
        }
        return found
    }

    static func firstLine(of handle: FileHandle) -> String {
        var line: [UInt8] = []
        while let byte = try? handle.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return line.isEmpty ? "no answer" : String(decoding: line, as: UTF8.self)
    }
}

extension Trait where Self == IssueHandlingTrait {
    /// Keeps the private cluster when a test fails.
    package static var keepsClusterOnFailure: Self {
        .compactMapIssues { issue in
            try? PrivateCluster.running().keep()
            return issue
        }
    }
}
