import Foundation
import TestSupport
import Testing

/// What `/metrics` shows, through the wire (Architecture 13).
@Suite("The metrics of a process", .timeLimit(.minutes(3))) struct MetricsTests {
    static let programs: [(program: String, series: [String])] = [
        (
            "token-issuer",
            [
                "build_info{program=\"token-issuer\",version=\"0.1.0\",build=\"", "cache_bytes ",
                "signing_key_age_seconds{state=\"current\"} ", "mail_total{outcome=\"given_up\"} ",
                "grants_opened_total{via=\"code\"} ", "append_conflicts_total{stream=\"consent\"} ",
                "endings_lag_seconds ", "http_held{listener=\"public\"} ", "reload_failed 0",
                "insecure_key_bindings_total ", "ready{program=\"token-issuer\"} ",
            ]
        ),
        (
            "revocation-projector",
            [
                "build_info{program=\"revocation-projector\",version=\"0.1.0\",build=\"",
                "reload_failed 0", "ready{program=\"revocation-projector\"} ",
                "revocation_latency_seconds_count{stage=\"published\"} ",
                "projection_log_index{projection=\"revocation\"} ",
            ]
        ),
    ]

    @Test("name program and version, and what only this process knows", arguments: programs)
    func shown(_ row: (program: String, series: [String])) async throws {
        let stack = try RunningStack.running()
        let process = try await IssuerProcess(row.program, beside: stack, named: "counting")
        defer { process.stop() }
        var admin = Browser(process.adminOrigin)
        var missing: [String] = []
        // The projects, and their keys, are read a moment after it listens.
        try? await Waiting.until("all is shown") {
            let text = try await admin.send("GET", "/metrics", isRepeated: false).text
            missing = row.series.filter { !text.contains("\nchancery_\($0)") }
            return missing.isEmpty
        }
        #expect(missing == [])
    }
}
