/// The numbers a process publishes, in the text format of Prometheus (0.0.4).
///
/// Series are made while wiring, one per value of a closed set of labels, and then only counted:
/// nothing a caller sends can make a new one. Asking twice for a series gives the same one.
package final class Metrics: Sendable {
    enum Instrument: Sendable {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
        case observed(@Sendable () -> Double?)
    }

    struct Family: Sendable {
        let name: String
        let help: String
        let kind: String
        var series: [(labels: String, instrument: Instrument)] = []
    }

    private let families = Guarded<[Family]>([])

    /// Makes an empty registry.
    package init() {}

    /// The counter `name` (ending in `_total`) with these labels.
    package func counter(
        _ name: String,
        _ help: String,
        _ labels: KeyValuePairs<String, String> = [:]
    ) -> Counter {
        let made = Counter()
        let kept = keep(.counter(made), name, help, "counter", labels)
        if case .counter(let counter) = kept { return counter }
        return made
    }

    /// The gauge `name` with these labels.
    package func gauge(
        _ name: String,
        _ help: String,
        _ labels: KeyValuePairs<String, String> = [:]
    ) -> Gauge {
        let made = Gauge()
        let kept = keep(.gauge(made), name, help, "gauge", labels)
        if case .gauge(let gauge) = kept { return gauge }
        return made
    }

    /// The histogram `name` (ending in `_seconds`) with these labels.
    package func histogram(
        _ name: String,
        _ help: String,
        _ labels: KeyValuePairs<String, String> = [:],
        boundsSeconds: [Double] = Histogram.boundsSeconds
    ) -> Histogram {
        let made = Histogram(bounds: boundsSeconds)
        let kept = keep(.histogram(made), name, help, "histogram", labels)
        if case .histogram(let histogram) = kept { return histogram }
        return made
    }

    /// A gauge, or a counter kept elsewhere, that is read when somebody asks.
    package func observe(
        _ name: String,
        _ help: String,
        _ labels: KeyValuePairs<String, String> = [:],
        read: @escaping @Sendable () -> Double?
    ) {
        let kind = name.utf8.suffix(6).elementsEqual("_total".utf8) ? "counter" : "gauge"
        _ = keep(.observed(read), name, help, kind, labels)
    }

    /// All series as text; the caller adds `Content-Type: text/plain; version=0.0.4`.
    package func render() -> [UInt8] {
        var text = ""
        for family in families.current { MetricsText.append(family, to: &text) }
        return Array(text.utf8)
    }

    private func keep(
        _ instrument: Instrument,
        _ name: String,
        _ help: String,
        _ kind: String,
        _ pairs: KeyValuePairs<String, String>
    ) -> Instrument {
        let labels = MetricsText.labels(pairs)
        return families.withLock { families in
            let known = families.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
            let index = known ?? families.count
            if known == nil { families.append(Family(name: name, help: help, kind: kind)) }
            if let series = families[index].series.first(where: { $0.labels == labels }) {
                return series.instrument
            }
            families[index].series.append((labels, instrument))
            return instrument
        }
    }
}
