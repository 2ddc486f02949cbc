import Runtime

/// Our other programs: they stand beside this one.
enum Programs {
    static func path(_ name: String) throws(CommandFailure) -> String {
        let own = ThisProcess.program ?? ""
        let folder =
            own.prefix { _ in true }.utf8.lastIndex(of: UInt8(ascii: "/"))
            .map { String(own[..<$0]) } ?? "."
        let path = "\(folder)/\(name)"
        guard Files.exists(path) else {
            throw CommandFailure(
                "\(path) is missing",
                remedy: "deploy/build makes all programs; deploy/dev does that by itself."
            )
        }
        return path
    }
}
