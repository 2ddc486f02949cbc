import Foundation
import TestSupport
import Testing
import WebAPI

/// What a person must see to use a page: WCAG 2.2, success criteria 1.4.11 and 2.4.13.
@Suite("Contrast of the pages") struct ContrastTests {
    private static let sheet = String(decoding: StaticAsset.style.bytes, as: UTF8.self)

    /// The sets of colours: by light, by dark, by `x_color_scheme=dark`.
    private static func palettes() -> [[String: String]] {
        sheet.components(separatedBy: "--ground: ").dropFirst().map { block in
            let lines = "--ground: \(block.prefix { $0 != "}" })".split(separator: "\n")
            return lines.reduce(into: [:]) { colours, line in
                let parts = line.split(separator: ":").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                if parts.count == 2 { colours[parts[0]] = String(parts[1].dropLast()) }
            }
        }
    }

    /// Relative luminance as WCAG defines it; of an opaque colour alone.
    private static func luminance(_ colour: String) throws -> Double {
        let number = try #require(UInt32(colour.dropFirst(), radix: 16))
        try #require(colour.utf8.count == 7, "\(colour) is seen through")
        let channels = [16, 8, 0].map { shift in
            let channel = Double(number >> UInt32(shift) & 0xFF) / 255
            return channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4)
        }
        return zip(channels, [0.2126, 0.7152, 0.0722]).map { $0 * $1 }.reduce(0, +)
    }

    private static func contrast(_ first: String, _ second: String) throws -> Double {
        let values = try [luminance(first), luminance(second)].sorted()
        return (values[1] + 0.05) / (values[0] + 0.05)
    }

    static let pairs = [
        ("--ring", "--paper", 3.0), ("--ring", "--ground", 3.0), ("--edge", "--paper", 3.0),
        ("--ink", "--paper", 4.5), ("--muted", "--paper", 4.5), ("--muted", "--ground", 4.5),
        ("--accent", "--paper", 4.5), ("--on-accent", "--accent", 4.5),
        ("--danger", "--paper", 4.5), ("--good", "--soft", 4.5),
    ]

    @Test("rings and edges stand out three to one, text four and a half", arguments: pairs)
    func contrast(_ row: (String, String, Double)) throws {
        let palettes = Self.palettes()
        #expect(palettes.count == 3 && palettes[1] == palettes[2])
        for palette in palettes {
            let first = try #require(palette[row.0])
            let second = try #require(palette[row.1])
            #expect(try Self.contrast(first, second) >= row.2, "\(first) on \(second)")
        }
    }

    @Test("what is filled in, chosen or focused is drawn in those colours") func used() throws {
        for rule in ["input[type=\"email\"] {", "button.plain {", ".numbers span {"] {
            let body = try #require(Self.sheet.components(separatedBy: "\n\(rule)").last)
            #expect(body.prefix { $0 != "}" }.contains("var(--edge)"), "\(rule)")
        }
        #expect(Self.sheet.components(separatedBy: "outline: 3px solid var(--ring)").count == 3)
    }

    @Test("where the user's own colours are forced, a picked number differs from the others")
    func forced() throws {
        let forced = try #require(
            Self.sheet.components(separatedBy: "@media (forced-colors: active) {").last
        )
        let rule = try #require(
            forced.components(separatedBy: ".numbers input:checked + span {").last
        )
        let body = rule.prefix { $0 != "}" }
        for part in [
            "forced-color-adjust: none", "background: Highlight", "color: HighlightText",
        ] { #expect(body.contains(part), "\(part)") }
    }
}
