internal import CCurl
package import Runtime

// @unchecked: touched on `loop` alone; each entry posts there.
/// Outgoing transfers: libcurl's multi handle on the epoll of a loop of its own.
///
/// Of its own, because libcurl blocks now and then: ending an SMTP connection waits for the answer
/// to QUIT. At most `transfersMax` transfers run at a time; connections are kept for the next one.
@safe package final class TransferPool: @unchecked Sendable {
    /// How many transfers run at once.
    package static let transfersMax = 64
    /// No fewer than the mails on their way at once: one more would end with QUIT, which blocks.
    package static let connectionsKept = 8

    /// How a transfer ended.
    struct Outcome: Sendable {
        /// `CURLE_OK`, or why not.
        var code: CURLcode
        /// The last status or reply code, 0 without one.
        var response: Int
        /// Bytes of the body that went out.
        var sentCount: Int
    }

    private let loop: Loop
    private var multi: UnsafeMutableRawPointer?
    private var watches: [Int32: Watch] = [:]
    private var timer: LoopTimer?
    /// By the address of the handle.
    private var running: [UInt: Running] = [:]

    @safe private struct Running {
        var transfer: OutgoingTransfer
        var continuation: UnsafeContinuation<Outcome?, Never>
    }

    // Before any other thread uses libcurl: it is not thread-safe itself.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Starts the loop; `close` ends it.
    ///
    /// - Throws: when the process is out of descriptors.
    package init() throws(SystemError) {
        loop = try Loop(name: "transfers")
        unsafe multi = Self.isReady ? curl_multi_init() : nil
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_watch_sockets(multi, Self.socketChanged, context)
        unsafe ccurl_watch_timer(multi, Self.timerChanged, context)
        unsafe ccurl_set_connections(multi, Self.connectionsKept, Self.transfersMax)
        loop.start()
    }

    /// Runs `transfer` to its end or its deadline; nil when too many run already.
    ///
    /// Called from any loop; the caller resumes there.
    func perform(_ transfer: OutgoingTransfer) async -> Outcome? {
        await loop.suspend { continuation in
            loop.post { [self] in unsafe start(transfer, continuation) }
        }
    }

    /// Ends every transfer as aborted and all connections; waits for both, at most
    /// `OutgoingTransfer.replySecondsMax`.
    package func close() {
        loop.post { [self] in
            for ended in running.values {
                unsafe finish(ended.transfer.easy, CURLE_ABORTED_BY_CALLBACK)
            }
            timer?.cancel()
            timer = nil
            unsafe curl_multi_cleanup(multi)
            unsafe multi = nil
            loop.stop()
        }
        loop.join()
    }

    private func start(
        _ transfer: OutgoingTransfer,
        _ continuation: UnsafeContinuation<Outcome?, Never>
    ) {
        guard unsafe multi != nil, running.count < Self.transfersMax else {
            return unsafe continuation.resume(returning: nil)
        }
        running[UInt(bitPattern: unsafe transfer.easy)] = unsafe Running(
            transfer: transfer,
            continuation: continuation
        )
        if unsafe curl_multi_add_handle(multi, transfer.easy) != CURLM_OK {
            unsafe finish(transfer.easy, CURLE_FAILED_INIT)
        }
    }

    private func act(_ socket: Int32, _ events: Int32) {
        var stillRunning: Int32 = 0
        unsafe curl_multi_socket_action(multi, socket, events, &stillRunning)
        var code = CURLE_OK
        // Not inside a callback: a handle must not be removed there.
        while let easy = unsafe ccurl_next_finished(multi, &code) { unsafe finish(easy, code) }
    }

    private func finish(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let ended = running.removeValue(forKey: UInt(bitPattern: easy)) else { return }
        let response = unsafe ccurl_response_code(easy)
        unsafe curl_multi_remove_handle(multi, easy)
        let outcome = Outcome(
            code: code,
            response: response,
            sentCount: unsafe ccurl_sent_bytes(easy)
        )
        unsafe ended.continuation.resume(returning: outcome)
    }

    private func watch(_ socket: Int32, _ what: Int32) {
        var interest: Interest = []
        if what == CURL_POLL_IN || what == CURL_POLL_INOUT { interest.insert(.readable) }
        if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { interest.insert(.writable) }
        if what == CURL_POLL_REMOVE {
            watches.removeValue(forKey: socket)?.cancel()
        } else if let watch = watches[socket] {
            watch.change(to: interest)
        } else {
            watches[socket] = loop.watch(socket, interest) { [weak self] readiness in
                var events: Int32 = 0
                if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
                if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
                if readiness.contains(.hangup) { events |= CURL_CSELECT_IN }
                self?.act(socket, events)
            }
        }
    }

    private func setTimer(_ milliseconds: Int) {
        timer?.cancel()
        timer = nil
        guard milliseconds >= 0 else { return }
        // Also for 0: libcurl must not be entered from its own callback.
        let due = loop.now.advanced(by: .milliseconds(milliseconds))
        timer = loop.schedule(at: due) { [weak self] in
            self?.act(CURL_SOCKET_TIMEOUT, 0)
        }
    }

    private static let socketChanged:
        @convention(c) (
            UnsafeMutableRawPointer?, Int32, Int32, UnsafeMutableRawPointer?,
            UnsafeMutableRawPointer?
        ) -> Int32 = { _, socket, what, context, _ in
            guard let context = unsafe context else { return -1 }
            unsafe Unmanaged<TransferPool>.fromOpaque(context).takeUnretainedValue()
                .watch(socket, what)
            return 0
        }

    private static let timerChanged:
        @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Int32 = {
            _,
            milliseconds,
            context in
            guard let context = unsafe context else { return -1 }
            unsafe Unmanaged<TransferPool>.fromOpaque(context).takeUnretainedValue()
                .setTimer(milliseconds)
            return 0
        }
}
