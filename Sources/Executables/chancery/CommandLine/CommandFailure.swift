/// Why a command could not do its work: one line, and what to do about it.
struct CommandFailure: Error {
    var sentence: String
    var remedy: String?
    var status: Int32 = 1
    /// Of a refused request; nil for other failures.
    var httpStatus: Int?
    /// The admin API's name for such a refusal (WireContract 3).
    var reason: String?

    /// What to do where nobody knows whether the server did what it was asked to.
    static let lookFirst = "It may have happened: look, then repeat what is missing."

    init(_ sentence: String, remedy: String? = nil, status: Int32 = 1) {
        self.sentence = sentence
        self.remedy = remedy
        self.status = status
    }
}
