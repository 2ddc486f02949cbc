extension Unicode.Scalar {
    /// Whether it can be shown in a line, to people and on terminals (Security 4.12): no
    /// control, no end of a line, nothing that turns the direction of writing.
    package var isShownInLine: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            false
        default: true
        }
    }
}
