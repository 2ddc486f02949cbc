package import Configuration
package import Postgres
package import Runtime

extension ConnectionSettings {
    /// The server of a process's section `database`, with the password from its file.
    ///
    /// - Throws: `.configuration` when the file cannot be used.
    package init(
        _ database: DatabaseSettings,
        node: String
    ) throws(Component.StartFailure) {
        self.init(
            host: database.host,
            address: database.address,
            port: database.port,
            database: database.name,
            user: database.user,
            password: try database.passwordPath.map(Secret.inFile),
            protection: database.authoritiesPath.map { .verified(authoritiesPath: $0) } ?? .none,
            applicationName: node
        )
        // One name, one thread, and no other work on it: behind a disk that hangs nobody would
        // come to the database either.
        resolution = NameResolution(on: BlockingExecutor(threads: 1))
    }
}

extension Secret {
    /// The password in a file of ours: 0600, at most 1 KiB, without a newline at its end.
    ///
    /// - Throws: `.configuration`, naming the file.
    package static func inFile(_ path: String) throws(Component.StartFailure) -> Secret {
        do { return try FileReading.password(at: path, bytesMax: 1024) } catch {
            throw Component.StartFailure(.configuration, "\(path): \(error)")
        }
    }
}
