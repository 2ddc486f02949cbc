/// Why a command was not confirmed: the rules said no, or the log did not answer.
///
/// It did not happen, unless `store` says `.outcomeUnknown`: then it may have.
package enum CommandError<Refusal: Error>: Error {
    case refused(Refusal)
    case store(StoreError)
}
