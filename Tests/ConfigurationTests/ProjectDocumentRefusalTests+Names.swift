extension ProjectDocumentRefusalTests {
    private static func name(_ sentence: String, _ escape: String) -> Row {
        Row(
            sentence,
            "name: Bank",
            "name: \"Bank\\\(escape)Bank\"",
            "name: must not break its line, nor turn the direction of what is written after it"
        )
    }

    static let names = [
        name("a name that breaks its line", "u2028"),
        name("a name with a control character of eight bits", "u0085"),
        name("a name that turns the words after it round", "u202E"),
    ]
}
