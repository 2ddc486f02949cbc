extension Log {
    /// One named value of a log line.
    ///
    /// Adapters add constructors for their identifiers.
    package struct Field: Sendable {
        enum Value: Sendable {
            case text(String)
            case number(Int64)
            case flag(Bool)
            case milliseconds(Duration)
            case hexadecimal([UInt8])
        }

        let name: StaticString
        let value: Value

        /// A text, cut after 1 024 bytes, control characters escaped.
        package static func field(_ name: StaticString, _ text: String) -> Self {
            Self(name: name, value: .text(text))
        }

        /// A whole number; one beyond 64 bits is clamped.
        package static func field(_ name: StaticString, _ number: some BinaryInteger) -> Self {
            Self(name: name, value: .number(Int64(clamping: number)))
        }

        /// True or false.
        package static func field(_ name: StaticString, _ flag: Bool) -> Self {
            Self(name: name, value: .flag(flag))
        }

        /// A length of time, written as milliseconds with three decimals.
        package static func field(_ name: StaticString, _ duration: Duration) -> Self {
            Self(name: name, value: .milliseconds(duration))
        }

        /// Bytes in hexadecimal, at most 32 of them: identifiers, never secrets.
        package static func field(_ name: StaticString, hexadecimal bytes: [UInt8]) -> Self {
            Self(name: name, value: .hexadecimal(Array(bytes.prefix(32))))
        }

        /// A failed system call, as field `error`.
        package static func error(_ error: SystemError) -> Self {
            field("error", error.description)
        }
    }
}
