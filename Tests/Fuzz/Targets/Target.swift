/// A parser that is fed with whatever comes: it traps when a promise of its is broken.
package struct Target: Sendable {
    /// As the folder of its corpus.
    package let name: String
    /// Feeds one input, and says whether it came as far as the last promise.
    package let check: @Sendable ([UInt8]) -> Bool

    init(_ name: String, _ check: @escaping @Sendable ([UInt8]) -> Bool) {
        self.name = name
        self.check = check
    }

    /// Every target of Security 14.8, and `record`: what comes from Kafka.
    package static let all: [Target] = [
        .http, .form, .json, .jwt, .jwk, .base64URL, .uri, .cookie, .event, .record, .cursor,
        .yaml,
    ]
}
