/// How a process ends, for those who restart it.
package enum ExitCode: Int32, Sendable {
    /// It was asked to end, and everything ended in order.
    case success = 0
    /// It failed, or was told twice to end.
    case failure = 1
    /// A start might work later (EX_TEMPFAIL): restart it.
    case temporaryFailure = 75
    /// The configuration is wrong (EX_CONFIG): a restart does not help.
    case configuration = 78
}
