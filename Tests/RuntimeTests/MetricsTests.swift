import Runtime
import Testing

@Suite("Metrics") struct MetricsTests {
    @Test("the text form is that of Prometheus 0.0.4") func renders() {
        let metrics = Metrics()
        metrics.counter("chancery_a_total", "A.", ["route": "token", "status": "200"]).add(3)
        metrics.gauge("chancery_b", "B.").set(1.5)
        metrics.counter("chancery_a_total", "A.", ["route": "tok\"en\n", "status": "\\"]).add()
        metrics.observe("chancery_c", "C.") { .infinity }
        // Not known now: no sample, which is no 0.
        metrics.observe("chancery_c", "C.", ["of": "nobody"]) { nil }
        let histogram = metrics.histogram("chancery_d_seconds", "D.", boundsSeconds: [0.1, 1])
        histogram.observe(.milliseconds(100))
        histogram.observe(.milliseconds(500))
        histogram.observe(.seconds(-1))
        histogram.observe(.seconds(2))
        let expected = """
            # HELP chancery_a_total A.
            # TYPE chancery_a_total counter
            chancery_a_total{route="token",status="200"} 3
            chancery_a_total{route="tok\\"en\\n",status="\\\\"} 1
            # HELP chancery_b B.
            # TYPE chancery_b gauge
            chancery_b 1.5
            # HELP chancery_c C.
            # TYPE chancery_c gauge
            chancery_c +Inf
            # HELP chancery_d_seconds D.
            # TYPE chancery_d_seconds histogram
            chancery_d_seconds_bucket{le="0.1"} 2
            chancery_d_seconds_bucket{le="1"} 3
            chancery_d_seconds_bucket{le="+Inf"} 4
            chancery_d_seconds_sum 2.6
            chancery_d_seconds_count 4

            """
        #expect(String(decoding: metrics.render(), as: UTF8.self) == expected)
    }

    @Test("asking twice gives the same series") func same() {
        let metrics = Metrics()
        metrics.counter("a_total", "A.", ["x": "1"]).add()
        metrics.counter("a_total", "A.", ["x": "1"]).add()
        #expect(metrics.counter("a_total", "A.", ["x": "1"]).value == 2)
        #expect(metrics.counter("a_total", "A.", ["x": "2"]).value == 0)
    }

    @Test("additions from many tasks are all counted") func concurrent() async {
        let metrics = Metrics()
        let counter = metrics.counter("a_total", "A.")
        let gauge = metrics.gauge("g", "G.")
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 {
                        counter.add()
                        gauge.add(1)
                    }
                }
            }
        }
        #expect(counter.value == 8_000)
        #expect(gauge.value == 8_000)
    }
}
