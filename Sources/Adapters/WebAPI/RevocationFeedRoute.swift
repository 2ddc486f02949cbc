internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth
package import Publishing

/// `GET /revocations`: what was revoked, for services that cannot read Kafka (wire.md 12.1).
package struct RevocationFeedRoute: Route {
    package static var paths: [String] { ["/revocations"] }
    package static var methods: [Method] { [.get] }
    package static var handlerTime: Duration { .seconds(30) }

    private static let waitSecondsMax: Int64 = 25
    private static let pollMilliseconds = 50

    private let feed: any RevocationFeed
    private let signer: any TokenSigner
    private let cursors: FeedCursor
    private let clock: any WallClock
    private let pause: any Pause

    /// `signer` verifies only.
    package init(
        feed: any RevocationFeed,
        signer: any TokenSigner,
        digester: any Digester,
        clock: any WallClock,
        pause: any Pause
    ) {
        self.feed = feed
        self.signer = signer
        cursors = FeedCursor(digester)
        self.clock = clock
        self.pause = pause
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        do throws(OAuthError) {
            try authorize(request, in: project)
            let query = try request.queryParameters()
            let limit = try number("limit", in: query, 1...1000) ?? 500
            let wait = try number("wait", in: query, 0...Self.waitSecondsMax) ?? 0
            let after = try await start(of: query, in: project)
            let page = try await page(of: project, after, Int(limit), waitingSeconds: wait)
            return .json(render(page, after: after, limit: Int(limit)))
        } catch { return .oauth(error) }
    }

    private func authorize(_ request: Request, in project: Project) throws(OAuthError) {
        guard let token = request.credentials("bearer"),
            let claims = signer.verifyAccessToken(token, of: project, at: clock.now)
        else { throw .invalidToken }
        guard claims.scope.contains("revocations.read") else {
            throw .insufficientScope("revocations.read")
        }
    }

    private func number(
        _ name: String,
        in query: TokenRequest,
        _ range: ClosedRange<Int64>
    ) throws(OAuthError) -> Int64? {
        guard let text = try query.optional(name) else { return nil }
        guard 1...4 ~= text.count, text.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw .badFeedParameter
        }
        let value = text.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        guard range ~= value else { throw .badFeedParameter }
        return value
    }

    private func start(
        of query: TokenRequest,
        in project: Project
    ) async throws(OAuthError) -> Int64 {
        guard let text = try query.optional("after") else { return -1 }
        guard let (log, index) = cursors.read(text) else { throw .badFeedParameter }
        if feed.log == nil { _ = await feed.page(of: project.number, after: 0, limit: 1) }
        guard let current = feed.log else { throw .feedUnavailable }
        guard log == current else {
            throw OAuthError(.conflict, "the cursor is of another log, start again")
        }
        return index
    }

    private func page(
        of project: Project,
        _ after: Int64,
        _ limit: Int,
        waitingSeconds wait: Int64
    ) async throws(OAuthError) -> RevocationPage {
        let end = clock.now.adding(seconds: wait)
        while true {
            guard let page = await feed.page(of: project.number, after: after, limit: limit) else {
                throw .feedUnavailable
            }
            if !page.items.isEmpty || clock.now >= end || Task.isCancelled { return page }
            await pause.wait(milliseconds: Self.pollMilliseconds)
        }
    }

    private func render(_ page: RevocationPage, after: Int64, limit: Int) -> [UInt8] {
        let isFull = page.items.count >= limit
        let next = isFull ? page.items.last?.index ?? after : max(after, page.frontier)
        var writer = JSONWriter(reserving: 256 + page.items.count * 320)
        writer.object { writer in
            writer.name("items")
            writer.array { writer in
                for item in page.items { writer.rendered(item.item) }
            }
            if let log = feed.log {
                writer.member("next", verbatim: cursors.write(log, next))
            }
            if let watermark = page.watermark {
                writer.name("watermark")
                writer.object {
                    $0.member("log_index", watermark.index)
                    $0.member("complete_through_at", watermark.completeThrough.milliseconds)
                }
            }
        }
        return writer.bytes
    }
}

extension OAuthError {
    fileprivate static var badFeedParameter: Self {
        Self(.invalidRequest, "a parameter is not valid")
    }

    fileprivate static var feedUnavailable: Self {
        Self(.temporarilyUnavailable, "try again")
    }
}
