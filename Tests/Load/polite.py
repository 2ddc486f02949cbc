"""A well-behaved client in a process of its own: a fixed rate, whether answers come or not."""

import multiprocessing
import selectors
import socket
import time
from collections import deque

CONNECTIONS = 16


class Connection:
    """One keep-alive connection, one request in flight; it connects again when it is closed."""

    def __init__(self, port, selector):
        self.port, self.selector = port, selector
        self.socket, self.input, self.due = None, b"", None

    def send(self, request, due):
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=5)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(self.socket, selectors.EVENT_READ, self)
        self.due, self.input = due, b""
        self.socket.sendall(request)

    def received(self):
        """The status, once the answer is whole; 0 when the connection broke."""
        try:
            data = self.socket.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.close()
            return 0
        self.input += data
        head, separator, body = self.input.partition(b"\r\n\r\n")
        if not separator:
            return None
        lower = head.lower()
        length = lower.partition(b"content-length:")[2].split(b"\r\n")[0]
        if len(body) < int(length or 0):
            return None
        # The server says so before a connection's last request: 100,000 of them, or an hour.
        if b"\r\nconnection: close" in lower:
            self.close()
        return int(head[9:12])

    def close(self):
        self.selector.unregister(self.socket)
        self.socket.close()
        self.socket = None


def serve(pipe, port, requests, rate):
    """Sends `requests` in turn at `rate`; a word on the pipe asks for what came since the last."""
    selector = selectors.DefaultSelector()
    selector.register(pipe, selectors.EVENT_READ, None)
    idle = deque(Connection(port, selector) for _ in range(CONNECTIONS))
    waiting, answers, statuses = deque(), [], {}
    begin, count = time.monotonic(), 0

    def ended(connection, status, now):
        statuses[status] = statuses.get(status, 0) + 1
        answers.append(now - connection.due)
        idle.append(connection)

    while True:
        now = time.monotonic()
        while begin + count / rate <= now:
            waiting.append(begin + count / rate)
            count += 1
        while waiting and idle:
            connection = idle.popleft()
            try:
                connection.send(requests[count % len(requests)], waiting.popleft())
            except OSError:
                if connection.socket is not None:
                    connection.close()
                ended(connection, 0, time.monotonic())
        pause = begin + count / rate - time.monotonic()
        for key, _ in selector.select(max(0, pause)):
            if key.data is None:
                if pipe.recv() == "end":
                    return
                pipe.send((answers, statuses))
                answers, statuses = [], {}
                continue
            status = key.data.received()
            if status is not None:
                ended(key.data, status, time.monotonic())


class Polite:
    """Use it in a `with`; `measure` says how it fared since the last call."""

    def __init__(self, port, requests, rate):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=serve, args=(other, port, requests, rate), daemon=True
        )

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.pipe.send("end")
        self.process.join(5)
        self.process.kill()

    def measure(self):
        """Answers, milliseconds at the 99th percentile, and what was not 200: counts by status.

        Status 0 is a connection that broke.
        """
        self.pipe.send("measure")
        answers, statuses = self.pipe.recv()
        answers.sort()
        p99 = answers[int((len(answers) - 1) * 0.99)] * 1000 if answers else float("inf")
        return len(answers), p99, {status: n for status, n in statuses.items() if status != 200}
