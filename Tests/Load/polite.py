"""A well-behaved client in a process of its own: a fixed rate, whether answers come or not."""

import collections
import math
import multiprocessing
import selectors
import socket
import time

CONNECTIONS = 16
# An answer that has not come so long after whoever measures asked for it never comes: a handler
# has 5 s and a write 10 (Security 7.2).
PATIENCE_SECONDS = 15
# Statuses that no server sends.
BROKEN, OTHER_BODY = "broken connections", "other bodies"


class Fare:
    """How the client fared in one stretch of time."""

    def __init__(self, times, statuses, owed):
        times.sort()
        self.answers, self.owed = len(times), owed
        # In milliseconds; of nothing it is not good.
        self.p99 = times[int((len(times) - 1) * 0.99)] * 1000 if times else math.inf
        self.failures = {status: n for status, n in statuses.items() if status != 200}

    @property
    def failed(self):
        return sum(self.failures.values())

    @property
    def words(self):
        kinds = ", ".join(f"{n} of {kind}" for kind, n in sorted(self.failures.items(), key=str))
        return (f"p99 {self.p99:.0f} ms of {self.answers} requests, {self.failed} failed"
                + (f" ({kinds})" if kinds else "")
                + (f", {self.owed} never answered" if self.owed else ""))


class Connection:
    """One keep-alive connection, one request in flight; it connects again when it is closed."""

    def __init__(self, port, selector):
        self.port, self.selector = port, selector
        self.socket, self.input = None, b""
        # Of the request in flight: its number, and the only body that is right.
        self.number, self.expected = None, b""

    def send(self, number, question):
        request, self.expected = question
        self.number, self.input = number, b""
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=5)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(self.socket, selectors.EVENT_READ, self)
        self.socket.sendall(request)

    def received(self):
        """The status, once the answer is whole, or what was wrong with it."""
        try:
            data = self.socket.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.close()
            return BROKEN
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
        status = int(head[9:12])
        return OTHER_BODY if status == 200 and body != self.expected else status

    def close(self):
        if self.socket is not None:
            self.selector.unregister(self.socket)
            self.socket.close()
            self.socket = None


class Client:
    """Its requests have numbers, from 0 on; each is due at a time of its own."""

    def __init__(self, port, questions, rate):
        self.questions, self.rate = questions, rate
        self.selector = selectors.DefaultSelector()
        self.connections = [Connection(port, self.selector) for _ in range(CONNECTIONS)]
        self.idle = collections.deque(self.connections)
        self.begin, self.due, self.sent = time.monotonic(), 0, 0
        # The stretch that is told next: from this number on, and up to the mark once it is asked
        # for. So a late answer is of the stretch in which its request was due.
        self.first, self.mark, self.deadline = 0, math.inf, math.inf
        self.times, self.statuses = [], collections.Counter()

    def due_at(self, number):
        return self.begin + number / self.rate

    def run(self, pipe):
        self.selector.register(pipe, selectors.EVENT_READ, None)
        while True:
            self.send()
            pause = self.due_at(self.due) - time.monotonic()
            for key, _ in self.selector.select(max(0, pause)):
                if key.data is not None:
                    self.receive(key.data)
                    continue
                word, value = pipe.recv()
                if word == "end":
                    return
                if word == "ask":
                    self.questions = value
                else:
                    self.mark = self.due
                    self.deadline = time.monotonic() + PATIENCE_SECONDS
            if self.mark < math.inf and (not self.owed or time.monotonic() > self.deadline):
                pipe.send(self.tell())

    def send(self):
        """What is due, as far as connections are free."""
        now = time.monotonic()
        while self.due_at(self.due) <= now:
            self.due += 1
        while self.sent < self.due and self.idle:
            connection, number = self.idle.popleft(), self.sent
            self.sent += 1
            try:
                connection.send(number, self.questions[number % len(self.questions)])
            except OSError:
                connection.close()
                self.end(connection, BROKEN)
                return  # That may have taken seconds: look who asks.

    def receive(self, connection):
        status = connection.received()
        # One that closes while nothing is asked of it has failed nobody.
        if status is not None and connection.number is not None:
            self.end(connection, status)

    def end(self, connection, status):
        number, connection.number = connection.number, None
        self.idle.append(connection)
        self.statuses[status] += 1
        if self.first <= number < self.mark:
            self.times.append(time.monotonic() - self.due_at(number))

    def is_owed(self, connection):
        return connection.number is not None and connection.number < self.mark

    @property
    def owed(self):
        """How many requests before the mark have no answer."""
        return max(0, self.mark - self.sent) + sum(map(self.is_owed, self.connections))

    def tell(self):
        """How it fared up to the mark; begins anew, without what stood in line meanwhile."""
        fare = Fare(self.times, self.statuses, self.owed)
        for connection in filter(self.is_owed, self.connections):
            connection.close()
            connection.number = None
            self.idle.append(connection)
        self.first = self.sent = self.due
        self.mark = self.deadline = math.inf
        self.times, self.statuses = [], collections.Counter()
        return fare


def serve(pipe, port, questions, rate):
    Client(port, questions, rate).run(pipe)


class Polite:
    """Use it in a `with`; `measure` says how it fared since the last call.

    A question is a request and the only body that is right, of status 200.
    """

    def __init__(self, port, questions, rate):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=serve, args=(other, port, questions, rate), daemon=True
        )

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        try:
            self.pipe.send(("end", None))
        except OSError:
            pass  # It has ended by itself, which `measure` has said.
        self.process.join(5)
        self.process.kill()

    def ask(self, questions):
        """These from now on."""
        self.pipe.send(("ask", questions))

    def measure(self):
        """How it fared since the last call, once all that is due is answered or given up."""
        try:
            self.pipe.send(("measure", None))
            if self.pipe.poll(PATIENCE_SECONDS * 4):
                return self.pipe.recv()
        except (OSError, EOFError):
            pass
        return Fare([], {"the good client itself": 1}, 0)
