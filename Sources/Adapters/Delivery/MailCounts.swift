internal import Issuing
internal import Runtime

/// What became of mails that were due, on this node.
struct MailCounts: Sendable {
    private let sent: Counter
    private let unwanted: Counter
    private let putOff: Counter
    private let givenUp: Counter

    init(_ metrics: Metrics) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "chancery_mail_total",
                "Mails that were due, by what became of them.",
                ["outcome": outcome]
            )
        }
        sent = counter("sent")
        unwanted = counter("unwanted")
        putOff = counter("put_off")
        givenUp = counter("given_up")
    }

    func count(_ delivery: MailDispatch.Delivery) {
        switch delivery {
        case .sent: sent.add()
        case .unwanted: unwanted.add()
        case .putOff: putOff.add()
        case .givenUp: givenUp.add()
        }
    }
}
