/// Why an offline-grant ended before its time (Events 8.7, event 711).
package enum RevocationReason: String, Hashable, Sendable, CaseIterable {
    case tokenRevocation = "token_revocation"
    case logout, reuse
    case codeReplay = "code_replay"
    case subjectDisabled = "subject_disabled"
    case clientRemoved = "client_removed"
    case keyDisabled = "key_disabled"
    case superseded, cascade
    case consentWithdrawn = "consent_withdrawn"
    case `operator`, erasure, restore
}
