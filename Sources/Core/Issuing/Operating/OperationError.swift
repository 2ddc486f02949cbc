/// Why an operator's command did not happen.
package enum OperationError: Error, Hashable {
    case notFound
    /// The state has moved since the operator looked, or does not allow it; says what.
    case conflict(String)
    case invalid(ProjectFindings)
    case store(StoreError)
    case keys(KeyVaultError)
}

extension CommandError where Refusal == OperationError {
    /// The one error an operator hears.
    package var operation: OperationError {
        switch self {
        case .refused(let refusal): refusal
        case .store(let why): .store(why)
        }
    }
}
