import Foundation

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

extension Runs<Measurement> {
    /// By the ratio where floors were measured, else by CPU.
    init(_ values: [Measurement]) {
        self.init(values) { $0.floors > 0 ? $0.ratio : $0.microseconds }
    }

    /// The median, the least and the most.
    var ratioText: String {
        let least = all.first?.ratio ?? 0
        let most = all.last?.ratio ?? 0
        return String(format: "%.2f (%.2f to %.2f)", median.ratio, least, most)
    }
}

extension Runs<Double> {
    init(_ values: [Double]) { self.init(values) { $0 } }

    var least: Double { all.first ?? 0 }
    var most: Double { all.last ?? 0 }
}
