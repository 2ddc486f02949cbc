/// A key that a ring may sign with and this process has no private half of.
package struct UnheldKey: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// Its file is not in the directory.
        case missing
        /// Its file does not open.
        case unusable(KeyFileError)
    }

    package var kid: String
    package var reason: Reason

    package init(kid: String, reason: Reason) {
        self.kid = kid
        self.reason = reason
    }

    /// Whether a process that runs gets over it: by a file that comes back, or by another key.
    package var isPassing: Bool {
        switch reason {
        case .missing: true
        case .unusable(let error): error.isTemporary
        }
    }

    /// What is wrong with the file; the second names it.
    package var finding: String {
        switch reason {
        case .missing: "the file of signing key \(kid) is missing"
        case .unusable(let error): "\(error)"
        }
    }
}
