/// A mistake on the command line, said so that the next try succeeds.
struct UsageError: Error {
    var sentence: String

    /// Refuses an option that was given to a verb that would not look at it.
    static func unless(
        _ isRightVerb: Bool,
        refuse isGiven: Bool,
        _ option: String,
        goesWith verb: String
    ) throws(UsageError) {
        guard isGiven, !isRightVerb else { return }
        throw UsageError(sentence: "\(option) goes with \(verb)")
    }
}
