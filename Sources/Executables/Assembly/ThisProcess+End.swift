internal import Runtime

extension ThisProcess {
    /// Ends it with a last word, which is a complaint unless all went well.
    static func end(_ text: String, _ code: ExitCode) -> Never {
        if code == .success { Terminal.say(text) } else { Terminal.complain(text) }
        exit(code.rawValue)
    }
}
