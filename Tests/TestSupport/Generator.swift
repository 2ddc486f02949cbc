/// Makes values of one kind out of choices; fewer and smaller choices make a simpler value.
package struct Generator<Value: Sendable>: Sendable {
    package let make: @Sendable (inout Choices) -> Value

    package init(_ make: @escaping @Sendable (inout Choices) -> Value) { self.make = make }

    package func map<Other>(_ change: @escaping @Sendable (Value) -> Other) -> Generator<Other> {
        Generator<Other> { change(make(&$0)) }
    }

    /// The value, or none at all.
    package var optional: Generator<Value?> {
        Generator<Value?> { $0.draw(below: 4) == 0 ? nil : make(&$0) }
    }

    /// From `counts.lowerBound` to `counts.upperBound` values.
    package func array(_ counts: ClosedRange<Int>) -> Generator<[Value]> {
        Generator<[Value]> { choices in
            let count = choices.draw(below: UInt64(counts.count))
            return (0..<(counts.lowerBound + Int(count))).map { _ in make(&choices) }
        }
    }

    /// One of several generators.
    package static func any(of generators: [Generator]) -> Generator {
        Generator { choices in
            generators[Int(choices.draw(below: UInt64(generators.count)))].make(&choices)
        }
    }

    /// One of several values; the first is the simplest.
    package static func element(of values: [Value]) -> Generator {
        Generator { values[Int($0.draw(below: UInt64(values.count)))] }
    }
}

extension Generator where Value: CaseIterable {
    /// Any case.
    package static var anyCase: Generator { .element(of: Array(Value.allCases)) }
}

extension Generator where Value == Bool {
    package static var bools: Generator { .element(of: [false, true]) }
}

extension Generator where Value == Int64 {
    package static func integers(_ range: ClosedRange<Int64>) -> Generator {
        Generator { choices in
            let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
            let step = choices.draw(below: span == .max ? .max : span + 1)
            return range.lowerBound &+ Int64(bitPattern: step)
        }
    }
}
