extension MailText {
    /// Fewer than a telephone number has.
    private static let digitsMax = 6

    private enum Kind { case letter, digit, point, sign, space }

    /// What an app says of its phone or of itself, and may say for a thief: letters, digits and a
    /// few signs, and nothing that a mail program makes a link of; nil when nothing is left.
    ///
    /// No point stands before a letter, and no word has two: neither a host nor an address. Of the
    /// digits up to the next letter six are left: no telephone number, however it is written.
    static func said(_ text: String?) -> String? {
        var shown = String.UnicodeScalarView()
        var digits = 0
        var (isPointed, hasPoint) = (false, false)
        for scalar in (text ?? "").unicodeScalars {
            let kind = kind(of: scalar)
            if kind == .letter { digits = 0 }
            if kind == .digit { digits += 1 }
            if kind == .digit, digits > digitsMax { continue }
            if kind == .point {
                // What follows decides.
                isPointed = !hasPoint
                continue
            }
            if isPointed, kind != .letter {
                shown.append(".")
                hasPoint = true
            }
            isPointed = false
            if kind == .space { hasPoint = false }
            guard kind == .space else {
                shown.append(scalar)
                continue
            }
            if let last = shown.last, last != " " { shown.append(" ") }
        }
        if shown.last == " " { shown.removeLast() }
        return shown.isEmpty ? nil : String(shown)
    }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar {
        case ".": return .point
        case "-", "_", "(", ")", "'", "+", ",": return .sign
        default: break
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark:
            return .letter
        case .decimalNumber: return .digit
        default: return .space
        }
    }
}
