package import Domain

/// Times as RFC 3339 text in UTC with microseconds, `2026-11-21T03:47:34.473000Z`.
package enum RFC3339 {
    /// ASCII bytes; a year outside 0–9999 is written as the nearest one inside.
    package static func text(_ instant: Instant) -> [UInt8] { text(instant, digits: 6) }

    /// As above with milliseconds, `2026-11-21T03:47:34.473Z`: form B of WireContract 1.2.
    package static func milliseconds(_ instant: Instant) -> [UInt8] { text(instant, digits: 3) }

    /// `digits`: of the fraction, 3 or 6; further ones are cut off.
    private static func text(_ instant: Instant, digits: Int) -> [UInt8] {
        let microseconds = min(max(instant.microseconds, earliest), latest)
        let seconds = floored(microseconds, 1_000_000)
        let days = floored(seconds.quotient, 86_400)
        let date = civil(days.quotient)
        let fraction = digits == 3 ? seconds.remainder / 1000 : seconds.remainder
        var text: [UInt8] = []
        text.append(addingCapacity: 21 + digits) {
            $0.append(repeating: UInt8(ascii: "Z"), count: 21 + digits)
        }
        var span = text.mutableSpan
        write(date.year, 0..<4, after: nil, to: &span)
        write(date.month, 5..<7, after: "-", to: &span)
        write(date.day, 8..<10, after: "-", to: &span)
        write(days.remainder / 3600, 11..<13, after: "T", to: &span)
        write(days.remainder / 60 % 60, 14..<16, after: ":", to: &span)
        write(days.remainder % 60, 17..<19, after: ":", to: &span)
        write(fraction, 20..<20 + digits, after: ".", to: &span)
        return text
    }

    /// Reads what `text` writes and nothing else; nil for another form or a day that is not.
    package static func read(_ bytes: Span<UInt8>) -> Instant? {
        guard bytes.count == 27 else { return nil }
        var numbers = [7 of Int64](repeating: 0)
        for index in parts.indices {
            let (range, separator) = parts[index]
            guard let number = number(bytes, range), bytes[range.upperBound] == separator else {
                return nil
            }
            numbers[index] = number
        }
        let days = days(year: numbers[0], month: numbers[1], day: numbers[2])
        let seconds = days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
        let instant = Instant(microseconds: seconds * 1_000_000 + numbers[6])
        // A day that is not, as the 30th of February, is written as another.
        let written = text(instant)
        for index in written.indices where written[index] != bytes[index] { return nil }
        return instant
    }

    /// Where the numbers are, and what follows each.
    private static let parts: [(Range<Int>, UInt8)] = [
        (0..<4, UInt8(ascii: "-")), (5..<7, UInt8(ascii: "-")), (8..<10, UInt8(ascii: "T")),
        (11..<13, UInt8(ascii: ":")), (14..<16, UInt8(ascii: ":")),
        (17..<19, UInt8(ascii: ".")), (20..<26, UInt8(ascii: "Z")),
    ]

    private static func number(_ bytes: Span<UInt8>, _ places: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for place in places {
            guard 0x30...0x39 ~= bytes[place] else { return nil }
            value = value * 10 + Int64(bytes[place] - 0x30)
        }
        return value
    }

    /// Days from 1970-01-01; months and days out of range give some other day.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let era = floored(month <= 2 ? year - 1 : year, 400)
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let ofEra = era.remainder * 365 + era.remainder / 4 - era.remainder / 100 + ofYear
        return era.quotient * 146_097 + ofEra - 719_468
    }

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z.
    private static let earliest: Int64 = -62_167_219_200_000_000
    private static let latest: Int64 = 253_402_300_799_999_999

    /// Year, month and day of a day counted from 1970-01-01 in the Gregorian calendar.
    ///
    /// Counted in eras of 400 years that begin on 1 March, so that the leap day comes last.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let era = floored(day + 719_468, 146_097)
        let ofEra = era.remainder
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * ofYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era.quotient * 400 + (month <= 2 ? 1 : 0)
        return (year, month, ofYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func floored(
        _ value: Int64,
        _ divisor: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The last digits of `value`, as many as there are places.
    private static func write(
        _ value: Int64,
        _ places: Range<Int>,
        after mark: Unicode.Scalar?,
        to text: inout MutableSpan<UInt8>
    ) {
        if let mark { text[places.lowerBound - 1] = UInt8(ascii: mark) }
        var rest = UInt64(bitPattern: value)
        for place in places.reversed() {
            text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
