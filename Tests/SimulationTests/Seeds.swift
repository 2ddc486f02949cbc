/// Which seeds a run takes.
enum Seeds {
    /// Seeds that once found something; they stay.
    static let kept: [UInt64] = [
        0x2, 0x8, 0x9, 0x10, 0x1F, 0x37, 0x42, 0x46, 0x59, 0x5A, 0x75, 0x7B, 0x7C, 0xA1, 0xAA,
        0xAD, 0xEC, 0xED, 0x115, 0x202, 0x450, 0x56A, 0x5A17, 0x75DE, 0x5FBF_C295_87EF_E726,
        0x8BE4_DCA2_9F89_A797, 0xB4A9_1E0B_1F66_C305, 0xC46F_A9D3_D68C_AA3F,
    ]

    /// `SEED=…` replays one, `SEEDS=…` sets how many; else the kept ones, 1–20 and 20 fresh.
    ///
    /// `Tests/Seeds/run` is the one that searches.
    static func list(_ environment: [String: String]) -> [UInt64] {
        if let text = environment["SEED"], let seed = parse(text) { return [seed] }
        let count = environment["SEEDS"].flatMap { UInt64($0) } ?? 20
        let fresh = (0..<min(50, count)).map { _ in UInt64.random(in: 1_000...UInt64.max) }
        return kept + Array(1...max(1, count)) + fresh
    }

    private static func parse(_ text: String) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
}
