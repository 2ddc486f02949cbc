/// How far a revocation has come on its way to those who must hear of it.
package enum RevocationStage: String, CaseIterable, Sendable {
    /// The feed has it.
    case applied
    /// Every replica of `chancery.revocations` has it.
    case published
}
