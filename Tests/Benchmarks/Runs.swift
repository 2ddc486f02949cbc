/// The same measured several times; the median stands for all.
struct Runs<Value> {
    /// By rising cost.
    let all: [Value]

    /// At least one value.
    init(_ values: [Value], by cost: (Value) -> Double) {
        all = values.sorted { cost($0) < cost($1) }
    }

    var median: Value { all[all.count / 2] }
}

extension Runs<Double> {
    init(_ values: [Double]) { self.init(values) { $0 } }

    var least: Double { all.first ?? 0 }
    var most: Double { all.last ?? 0 }
}
