internal import Runtime

/// The TLS context new connections use; replaced whole at a reload.
final class TLSStore: Sendable {
    private let settings: TLSSettings
    private let context: Guarded<TLSContext>

    init(_ settings: TLSSettings) throws(ServerError) {
        self.settings = settings
        context = Guarded(try TLSContext(settings))
    }

    var current: TLSContext { context.current }

    /// Reads the files again; on an error the old context stays.
    func reload() throws(ServerError) {
        context.replace(with: try TLSContext(settings))
    }
}
