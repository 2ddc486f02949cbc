/// The text form of metrics (Prometheus exposition format 0.0.4).
enum MetricsText {
    static func append(_ family: Metrics.Family, to text: inout String) {
        text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind)\n"
        for (labels, instrument) in family.series {
            switch instrument {
            case .counter(let counter):
                text += "\(family.name)\(braced(labels)) \(counter.value)\n"
            case .gauge(let gauge):
                text += "\(family.name)\(braced(labels)) \(number(gauge.value))\n"
            case .observed(let read):
                guard let value = read() else { continue }
                text += "\(family.name)\(braced(labels)) \(number(value))\n"
            case .histogram(let histogram):
                append(histogram, family.name, labels, to: &text)
            }
        }
    }

    private static func append(
        _ histogram: Histogram,
        _ name: String,
        _ labels: String,
        to text: inout String
    ) {
        let counts = histogram.cumulative
        let prefix = labels.isEmpty ? "" : labels + ","
        for (bound, count) in zip(histogram.bounds, counts) {
            text += "\(name)_bucket{\(prefix)le=\"\(number(bound))\"} \(count)\n"
        }
        let total = counts.last ?? 0
        text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(total)\n"
        text += "\(name)_sum\(braced(labels)) \(number(histogram.sumSeconds))\n"
        text += "\(name)_count\(braced(labels)) \(total)\n"
    }

    static func labels(_ pairs: KeyValuePairs<String, String>) -> String {
        pairs.map { "\($0.key)=\"\(escaped($0.value))\"" }.joined(separator: ",")
    }

    private static func braced(_ labels: String) -> String {
        labels.isEmpty ? "" : "{\(labels)}"
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value == value.rounded(), value.magnitude < 1e15 { return String(Int64(value)) }
        return "\(value)"
    }
}
