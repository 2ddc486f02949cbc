import Foundation

/// A PostgreSQL server of one test that is in recovery, until it is promoted.
///
/// It takes connections that only read, as a standby does. Stopped and removed when this goes.
package final class PrivateStandby: Sendable {
    /// The directory with the socket, the `host` of a connection; any login needs no password.
    package let socketDirectory: String
    private let keeper: Process
    private let lifeline: Pipe
    private let answers: FileHandle

    /// Starts one, and waits until it answers.
    package init() throws {
        let root = FileManager.default.temporaryDirectory
            .appending(path: "chancery-standby-\(UUID().uuidString.prefix(8).lowercased())").path
        socketDirectory = root
        lifeline = Pipe()
        keeper = Process()
        keeper.executableURL = URL(filePath: "/bin/sh")
        keeper.arguments = ["-c", Self.script, "keeper", try PrivateCluster.binaries(), root]
        keeper.standardInput = lifeline
        let output = Pipe()
        keeper.standardOutput = output
        answers = output.fileHandleForReading
        try keeper.run()
        try expect("in recovery: t")
    }

    deinit { try? lifeline.fileHandleForWriting.close() }

    /// Makes it the primary, and waits until it is.
    package func promote() throws {
        try lifeline.fileHandleForWriting.write(contentsOf: Data("promote\n".utf8))
        try expect("in recovery: f")
    }

    private func expect(_ wanted: String) throws {
        let answer = PrivateCluster.firstLine(of: answers)
        guard answer == wanted else {
            throw PrivateCluster.Unavailable(description: "\(answer), see \(socketDirectory)")
        }
    }

    private static var script: String {
        """
        bin=$1 root=$2
        mkdir -m 0700 "$root" || exit 1
        [ "$(id -u)" = 0 ] && chown postgres: "$root"
        run='\(PrivateCluster.asPostgres)'
        cd "$root"
        $run "$bin/initdb" -D "$root/data" -U postgres -A trust -E UTF8 --no-locale --no-sync \
          >"$root/initdb.log" 2>&1 </dev/null || exit 1
        cat >>"$root/data/postgresql.conf" <<SETTINGS
        listen_addresses = ''
        unix_socket_directories = '$root'
        fsync = off
        SETTINGS
        $run touch "$root/data/standby.signal"
        $run "$bin/postgres" -D "$root/data" >"$root/server.log" 2>&1 </dev/null &
        server=$!
        trap : PIPE
        tries=0
        until "$bin/pg_isready" -q -h "$root"; do
          tries=$((tries + 1))
          [ $tries -gt 600 ] && { kill -QUIT $server; exit 1; }
          kill -0 $server 2>/dev/null || exit 1
          sleep 0.1
        done
        look() {
          psql -XAtq -h "$root" -U postgres \\
            -c "SELECT 'in recovery: ' || left(pg_is_in_recovery()::text, 1)"
        }
        look
        if read -r word; then
          $run "$bin/pg_ctl" -D "$root/data" promote >>"$root/server.log" 2>&1
          look
          read -r word
        fi
        exec >/dev/null 2>&1
        kill -QUIT $server
        wait $server
        rm -rf "$root"
        """
    }
}
