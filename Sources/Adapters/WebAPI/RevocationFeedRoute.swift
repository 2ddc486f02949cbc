internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth
package import Publishing

/// `GET /revocations`: what was revoked, for services that cannot read Kafka (WireContract 12.1).
package struct RevocationFeedRoute: Route {
    package static var paths: [String] { ["/revocations"] }
    package static var methods: [Method] { [.get] }
    package static var handlerTime: Duration { .seconds(30) }
    package static var outlivesSuspension: Bool { true }
    package static func slots(_ method: Method) -> Slots { .held }

    private static let waitSecondsMax: Int64 = 25
    /// From then on a wait ends with a newer watermark, too: whom nothing else is told would know
    /// the less the longer it waits (decision 0248).
    private static let claimMilliseconds = 5000
    /// So much earlier that is for some: who were answered by one item would ask at once for ever.
    private static let spreadMilliseconds = 500

    private let feed: any RevocationFeed
    private let access: FeedAccess
    private let cursors: FeedCursor
    private let failures: FailureLimits
    private let pause: any Pause

    package init(
        feed: any RevocationFeed,
        access: FeedAccess,
        digester: any Digester,
        failures: FailureLimits,
        pause: any Pause
    ) {
        self.feed = feed
        self.access = access
        cursors = FeedCursor(digester)
        self.failures = failures
        self.pause = pause
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        do throws(OAuthError) {
            try failures.admit(request)
            try await access.admit(
                request.accessToken(in: project, at: project.settings.projectorOrigin),
                in: project,
                by: request.deadline
            )
            let query = try request.queryParameters()
            let limit = try number("limit", in: query, 1...1000) ?? 500
            let wait = try number("wait", in: query, 0...Self.waitSecondsMax) ?? 0
            let after = try start(of: query)
            let look = Self.look(of: request.id)
            let page = try await page(of: project, after, Int(limit), wait, lookingEvery: look)
            return .json(render(page))
        } catch {
            failures.record(error, request, in: project)
            return .oauth(error)
        }
    }

    private func number(
        _ name: String,
        in query: RequestParameters,
        _ range: ClosedRange<Int64>
    ) throws(OAuthError) -> Int64? {
        guard let text = try query.optional(name) else { return nil }
        guard text.count <= 4, let value = DecimalDigits.read(text), range ~= value else {
            throw .badFeedParameter(name)
        }
        return value
    }

    private func start(of query: RequestParameters) throws(OAuthError) -> FeedCursor.Position? {
        guard let text = try query.optional("after") else { return nil }
        guard let position = cursors.read(text) else {
            throw OAuthError(.invalidRequest, "the cursor is not valid", refusal: "FD-001")
        }
        return position
    }

    /// After how many milliseconds a wait looks by itself: another number for each request, whose
    /// id is drawn.
    private static func look(of request: RequestID) -> Int {
        claimMilliseconds - Int(request.stream.low % UInt64(spreadMilliseconds + 1))
    }

    /// Waiting keeps neither a thread nor a connection; the end of the process ends it with what
    /// there is.
    private func page(
        of project: Project,
        _ after: FeedCursor.Position?,
        _ limit: Int,
        _ waitSeconds: Int64,
        lookingEvery milliseconds: Int
    ) async throws(OAuthError) -> RevocationPage {
        let end = pause.deadline(inMilliseconds: Int(waitSeconds) * 1000)
        let ripe = pause.deadline(inMilliseconds: milliseconds)
        var first: RevocationPage?
        while true {
            let mark = feed.mark
            guard
                let page = await feed.page(of: project.number, after: after?.place, limit: limit)
            else { throw .feedUnavailable }
            // Also while somebody waits a model may be made anew.
            guard after?.isOf(page) ?? true else { throw .otherFeed }
            // Not the time of day, which may be set while somebody waits.
            let now = pause.deadline(inMilliseconds: 0)
            let isOver = now >= end || Task.isCancelled || feed.isEnding
            if isOver || page.count > 0 { return page }
            if now >= ripe, let first, page.claimsMore(than: first) { return page }
            first = first ?? page
            // A watermark alone wakes nobody: while it stands still it is looked at now and then.
            let look = now < ripe ? ripe : pause.deadline(inMilliseconds: milliseconds)
            let limit = min(end, look)
            await feed.news(since: mark, within: .nanoseconds(limit.nanoseconds - now.nanoseconds))
        }
    }

    private func render(_ page: RevocationPage) -> [UInt8] {
        var writer = JSONWriter(reserving: 256 + page.rendered.count)
        writer.object { writer in
            writer.name("items")
            writer.rendered(page.rendered)
            writer.member("next", verbatim: cursors.write(page))
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
    fileprivate static func badFeedParameter(_ name: String) -> Self {
        Self(.invalidRequest, "a parameter is not valid", cause: name, refusal: "FD-003")
    }

    fileprivate static var otherFeed: Self {
        Self(.conflict, "the cursor is of another log, start again", refusal: "FD-002")
    }

    fileprivate static var feedUnavailable: Self {
        Self(
            .temporarilyUnavailable,
            "try again",
            cause: "no database, or no model yet",
            refusal: "FD-004"
        )
    }
}
