"""What each request of the load was for, when, and what became of it: a line a request.

A line has the digest of the artefact that was used, start, end, kind, outcome, and the digests of
what the artefact rests on. The kind is `once` where the artefact works once. The kind `end` says
that what the digest names has ended, and since when somebody knows. Times are of the one clock
that all processes of a machine have and nobody sets.
"""

import hashlib
import threading
import time
from collections import Counter

# A refresh token works again until so long after its successor was made.
GRACE_SECONDS = 60


def digest(name):
    return hashlib.blake2b(name.encode(), digest_size=8).hexdigest()


class Notebook:
    """The lines of one process; a text file of Python's is not made for several threads."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.file = open(path, "w", encoding="ascii")

    def write(self, request, start, outcome):
        kind = "once" if request.once else request.kind.replace(" ", "-")
        rests = " ".join(map(digest, request.rests))
        line = f"{start:.4f} {time.monotonic():.4f} {kind} {outcome} {rests}"
        with self.lock:
            self.file.write(f"{digest(request.artefact)} {line}\n")

    def write_end(self, *names):
        with self.lock:
            # Inside, so that all that starts later stands below.
            now = f"{time.monotonic():.4f}"
            for name in names:
                self.file.write(f"{digest(name)} {now} {now} end ok\n")

    def close(self):
        self.file.close()


class History:
    """All lines of a run, held against what an artefact may do."""

    def __init__(self):
        self.lines = 0
        self.used, self.refreshed, self.ended = {}, {}, {}
        # What worked though it had started when what it rests on had ended, by kind.
        self.after_end = Counter()

    @classmethod
    def of(cls, folder):
        history = cls()
        paths = sorted(folder.glob("history-*"))
        # All ends before anything else: of one that another process heard of first, the end may
        # stand in a file behind that of who went on.
        for read in (history.read_end, history.read):
            for path in paths:
                with open(path, encoding="ascii") as file:
                    for line in file:
                        read(*line.split())
        return history

    def read_end(self, artefact, start, end, kind, *rest):
        if kind == "end":
            known = self.ended.get(artefact, float("inf"))
            self.ended[artefact] = min(known, float(end))

    def read(self, artefact, start, end, kind, outcome, *rests):
        if kind == "end":
            return
        self.lines += 1
        if outcome != "ok":
            return
        if any(float(start) > self.ended.get(name, float("inf")) for name in rests):
            self.after_end[kind] += 1
        if kind == "once":
            self.used[artefact] = self.used.get(artefact, 0) + 1
        elif kind == "refresh":
            # Who asked first may be told last: the earliest end bounds the first commit.
            starts, first = self.refreshed.get(artefact, (0, float("inf")))
            self.refreshed[artefact] = max(starts, float(start)), min(first, float(end))

    @property
    def doubly_used(self):
        return sum(count > 1 for count in self.used.values())

    @property
    def refreshed_late(self):
        """Refresh tokens that worked when their grace was over."""
        return sum(start > end + GRACE_SECONDS for start, end in self.refreshed.values())
