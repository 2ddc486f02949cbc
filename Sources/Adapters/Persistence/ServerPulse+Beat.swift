package import Postgres
package import Runtime

extension ServerPulse {
    /// The pulse of the server that `settings` name; says when commits wait for its standby, and
    /// when they no longer do.
    package convenience init(_ settings: ConnectionSettings, on loop: Loop, log: Log) {
        self.init(
            settings,
            on: loop,
            beat: Statement(PackageResources.beat_sql),
            question: { .waitsForStandby($0) },
            onHoldUp: { isHeldUp in
                if isHeldUp {
                    log.error(
                        "commits wait for the synchronous standby",
                        .field(
                            "next",
                            "bring it back; or say database.durability: single-node for every"
                                + " process, so that it can be started again, then take it out of"
                                + " synchronous_standby_names; end no server process that waits"
                        )
                    )
                } else {
                    log.notice("commits are answered again")
                }
            }
        )
    }
}

extension Statement where Row == Bool {
    fileprivate static func waitsForStandby(_ process: Int32) -> Self {
        Statement(PackageResources.waits_for_standby_sql, [.int4(process)]) {
            row throws(PostgresError) in try row.bool(0)
        }
    }
}
