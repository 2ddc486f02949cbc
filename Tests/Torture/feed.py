"""A service that reads the revocation feed through the whole run, at either projector.

It keeps its cursor and what it was told, as WireContract 12.1 has it: no number comes twice or below one
seen before, none at or below a watermark that was complete, and no watermark goes back. A failover
ends its cursor (decision 0249): then it reads all of it again.
"""

import multiprocessing
import random
import signal
import time

from topics import Findings
from wire import Broken, Node

LIMIT, WAIT_SECONDS, TOKEN_SECONDS = 200, 2, 900
END_SECONDS = 60


class Reader:
    """What one caller of the feed has, by its cursor."""

    def __init__(self):
        self.found, self.pages, self.restarts = Findings(), 0, 0
        self.begin()

    def begin(self):
        """From the beginning: what an earlier model told is told again, or has expired."""
        self.indices, self.cursor, self.newest = {}, None, -1
        self.complete, self.through = -1, 0

    def take(self, page):
        """One page."""
        self.pages += 1
        for item in page["items"]:
            self.take_item(item)
        self.cursor = page["next"]
        if mark := page.get("watermark"):
            index, through = mark["log_index"], mark["complete_through_at"]
            if index < self.complete or through < self.through:
                self.found.add("reordered", f"the feed's watermark goes back to {index}")
            self.complete, self.through = index, through

    def take_item(self, item):
        key, index = item["key"], item["log_index"]
        if self.indices.get(key) == index:
            self.found.add("duplicated", f"{key} comes twice in the feed")
        elif index <= self.newest:
            self.found.add("reordered", f"{index} comes after {self.newest} in the feed")
        if index <= self.complete:
            self.found.add("lost", f"{index} comes in the feed, complete up to {self.complete}")
        self.newest = max(self.newest, index)
        self.indices[key] = index

    def prove(self, stack, ended):
        """Everything that ended came, and all that the read model has."""
        failovers = int(stack.rows("SELECT chancery.timeline()")[0][0]) - 1
        if self.restarts > failovers:
            self.found.add("foreign", f"{failovers} failovers end {self.restarts} cursors")
        missing = sorted(ended - {key.replace("-", "") for key in self.indices})
        if missing:
            self.found.add("lost", f"ended, not in the feed: {missing[:3]}", len(missing))
        for key, index in stack.rows("SELECT key, log_index FROM revocation.revocations"
                                     f" WHERE log_index <= {self.complete}"):
            if self.indices.get(key) != int(index):
                self.found.add("lost", f"not in the feed: {key} of {index}")
        return self.found


class Feed:
    """A process that reads until it is told to stop, and then to the end, of each projector."""

    def __init__(self, stack, ports):
        self.stop, self.results = multiprocessing.Event(), multiprocessing.Queue()
        self.child = multiprocessing.Process(
            target=run, daemon=True, args=(stack, ports, self.stop, self.results))
        self.child.start()

    def end(self):
        """The reader, with all that it was told."""
        self.stop.set()
        reader = self.results.get(timeout=END_SECONDS + 60)
        self.child.join(10)
        return reader


def run(stack, ports, stop, results):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nodes = [Node(port, f"localhost:{ports[0]}", timeout=8) for port in ports]
    reader, drawn, token = Reader(), random.Random(), Token(stack)
    while not stop.is_set():
        if not read(drawn.choice(nodes), reader, token, WAIT_SECONDS):
            time.sleep(0.2)
    # Each has nothing more.
    deadline = time.monotonic() + END_SECONDS
    for node in nodes:
        before = None
        while before != reader.cursor or reader.through == 0:
            if time.monotonic() > deadline:
                reader.found.add("lost", f"the feed at {node.port} does not come to its end")
                return results.put(reader)
            before = reader.cursor
            if not read(node, reader, token, 0):
                before = None
                time.sleep(0.2)
    results.put(reader)


def read(node, reader, token, seconds):
    """One page; answers whether there was one."""
    target = f"/revocations?limit={LIMIT}&wait={seconds}"
    if reader.cursor:
        target += f"&after={reader.cursor}"
    try:
        answer = node.send("GET", target, headers=token.headers())
    except OSError:
        return False
    if answer.status == 200:
        reader.take(answer.json)
        return True
    if answer.status == 401:
        token.drop()
    elif answer.status == 409 and reader.cursor:
        reader.begin()
        reader.restarts += 1
    elif answer.is_known:
        reader.found.add("foreign", f"the feed: {answer.words}")
    return False


class Token:
    """What the reader shows; another one when it is old."""

    def __init__(self, stack):
        self.stack, self.value, self.since = stack, None, 0

    def headers(self):
        if self.value is None or time.monotonic() > self.since + TOKEN_SECONDS:
            form = {"grant_type": "client_credentials", "scope": "revocations.read"}
            answer = self.stack.node(random.randrange(2), timeout=8).send(
                "POST", "/oauth2/token", form, self.stack.api)
            if answer.status != 200:
                raise Broken(answer.words)
            self.value, self.since = answer.json["access_token"], time.monotonic()
        return {"Authorization": f"Bearer {self.value}"}

    def drop(self):
        self.value = None
