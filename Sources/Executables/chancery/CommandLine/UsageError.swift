/// A mistake on the command line, said so that the next try succeeds.
struct UsageError: Error {
    var sentence: String
}
