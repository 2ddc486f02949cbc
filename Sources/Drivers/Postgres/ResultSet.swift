internal import CPostgres

/// One answer of libpq, freed at the end of its life.
@safe struct ResultSet: ~Copyable {
    /// What an answer is.
    enum Kind {
        case rows
        case refused(ServerError, isFatal: Bool)
        /// Not run, because an earlier statement of its transaction failed.
        case aborted
        case synced
        case unexpected
    }

    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe PQclear(pointer) }

    var count: Int { Int(unsafe PQntuples(pointer)) }

    /// Rows inserted, updated, deleted or selected.
    var affected: Int {
        guard let text = unsafe PQcmdTuples(pointer) else { return 0 }
        return Int(unsafe String(cString: text)) ?? 0
    }

    func row(_ index: Int) -> ResultRow { unsafe ResultRow(pointer, Int32(clamping: index)) }

    var kind: Kind {
        switch unsafe PQresultStatus(pointer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .rows
        case PGRES_PIPELINE_SYNC: .synced
        case PGRES_PIPELINE_ABORTED: .aborted
        case PGRES_FATAL_ERROR: refusal
        default: .unexpected
        }
    }

    private var refusal: Kind {
        // Without a state the error is libpq's own: the connection is gone.
        guard let state = unsafe Self.text(cpostgres_sqlstate(pointer)) else { return .unexpected }
        let error = ServerError(
            state: SQLState(state),
            message: unsafe Self.text(cpostgres_message(pointer)) ?? "",
            position: unsafe Self.text(cpostgres_position(pointer)).flatMap { Int($0) }
        )
        let severity = unsafe Self.text(cpostgres_severity(pointer))
        return .refused(error, isFatal: severity != "ERROR")
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}
