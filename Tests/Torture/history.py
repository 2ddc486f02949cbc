"""What each request of the load was for, when, and what became of it: a line a request.

A line has the digest of the artefact that was used, start, end, kind and outcome. The kind is
`once` where the artefact works once.
"""

import hashlib
import threading

# A refresh token works again until so long after its successor was made.
GRACE_SECONDS = 60


def digest(artefact):
    return hashlib.blake2b(artefact.encode(), digest_size=8).hexdigest()


class Notebook:
    """The lines of one process; a text file of Python's is not made for several threads."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.file = open(path, "w", encoding="ascii")

    def write(self, line):
        with self.lock:
            self.file.write(line)

    def close(self):
        self.file.close()


class History:
    """All lines of a run, held against what an artefact may do."""

    def __init__(self):
        self.lines = 0
        self.used, self.refreshed = {}, {}

    @classmethod
    def of(cls, folder):
        history = cls()
        for path in sorted(folder.glob("history-*")):
            with open(path, encoding="ascii") as file:
                for line in file:
                    history.read(*line.split())
        return history

    def read(self, artefact, start, end, kind, outcome):
        self.lines += 1
        if outcome != "ok":
            return
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
