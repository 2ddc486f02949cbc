internal import Runtime

/// What a process finds out about its machine before it starts (Security 10, points 3 and 14).
package struct MachineFacts: Hashable, Sendable {
    package static let openFilesMin: UInt64 = 16_384

    package var userID: UInt32
    package var openFilesMax: UInt64
    /// `SWIFT_BACKTRACE`: a crash report prints memory, secrets included.
    package var backtrace: String?

    package init(userID: UInt32, openFilesMax: UInt64, backtrace: String?) {
        self.userID = userID
        self.openFilesMax = openFilesMax
        self.backtrace = backtrace
    }

    /// Those of this process.
    package static var current: Self {
        Self(
            userID: ThisProcess.userID,
            openFilesMax: ThisProcess.openFilesMax,
            backtrace: Environment.value("SWIFT_BACKTRACE")
        )
    }

    /// Why a process must not start with them, one line each, which begins with the setting.
    package var refusals: [String] {
        var lines: [String] = []
        if userID == 0 { lines.append("User: the process runs as root; give it a user of its own") }
        if openFilesMax < Self.openFilesMin {
            lines.append(
                "LimitNOFILE: \(openFilesMax) open files; \(Self.openFilesMin) is the least"
            )
        }
        if backtrace != "enable=no" {
            lines.append(
                "SWIFT_BACKTRACE: must be enable=no, or a crash report prints secrets"
            )
        }
        return lines
    }
}
