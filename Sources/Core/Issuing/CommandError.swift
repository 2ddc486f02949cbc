/// Why a command did not happen: the rules said no, or the log did not answer.
package enum CommandError<Refusal: Error>: Error {
    case refused(Refusal)
    case store(StoreError)
}
