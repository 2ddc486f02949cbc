"""Whether relay and projector have done all that the log has."""

import time

import topics
from followers import Indices, Keys

HEAD = "SELECT coalesce(max(log_index) + 1, 0) FROM es.ledger"


def behind_ledger(stack):
    return stack.number(
        "SELECT count(*) FROM es.events e WHERE NOT EXISTS"
        " (SELECT FROM es.ledger l WHERE l.stream_id = e.stream_id AND l.version = e.version)")


def behind_read_model(stack):
    """Sessions that the read model lacks, or shows at another version than the log."""
    return stack.number(
        "SELECT count(*) FROM (SELECT stream_id, max(version) AS version FROM es.events"
        " WHERE type BETWEEN 701 AND 799 GROUP BY stream_id) e"
        " LEFT JOIN revocation.sessions s ON s.sid = e.stream_id"
        " WHERE s.sid IS NULL OR s.version <> e.version")


def behind_feed(stack):
    """What the feed does not call read, and what is not told to Kafka."""
    return stack.number(
        "SELECT count(*) FROM es.ledger WHERE log_index >"
        " (SELECT coalesce(max(frontier), -1) FROM revocation.progress)"
    ) + stack.number("SELECT count(*) FROM revocation.outbox")


class Level:
    """Asks PostgreSQL, then what Kafka has of it; a topic is read on from where it was read to.

    To read a million records takes this reader longer than all else may take. So it notes where
    the topics end and when that was, and then counts what stands before: level since then. And it
    keeps what it has read of a cluster, or each look would take the time of those it looks at.
    """

    def __init__(self, stack):
        self.stack, self.cluster, self.since = stack, None, None
        self.indices = self.keys = None

    def lag(self):
        """What is behind, in words; empty when nothing is, `since` some moment of this look."""
        self.follow()
        # Fewer records than numbers: nothing has to be read to know that.
        number = self.stack.number(HEAD) - sum(self.indices.ends().values())
        if number > 0:
            return f"{topics.EVENTS} by {number}"
        for what, count in (("the ledger", behind_ledger), ("the read model", behind_read_model),
                            ("the feed", behind_feed)):
            if number := count(self.stack):
                return f"{what} by {number}"
        # First: what comes to the model meanwhile is in its topic before it.
        head, revoked = self.stack.number(HEAD), topics.revoked(self.stack)
        ends = self.indices.ends(), self.keys.ends()
        self.since = time.monotonic()
        if number := self.keys.missing(revoked, ends[1]):
            return f"{topics.REVOCATIONS} by {number}"
        if number := self.indices.missing(head, ends[0]):
            return f"{topics.EVENTS} by {number}"
        return ""

    def follow(self):
        """Reads the cluster that has the address now."""
        cluster = topics.cluster(self.stack)
        if cluster == self.cluster:
            return
        self.close()
        bootstrap = self.stack.facts["KAFKA_BOOTSTRAP"]
        self.indices = Indices(bootstrap)
        self.keys = Keys(bootstrap)
        self.cluster = cluster

    def wait(self, seconds):
        """Until nothing is behind; answers what still is when the time is over, in words."""
        deadline, lag = time.monotonic() + seconds, "everything"
        while time.monotonic() < deadline:
            try:
                lag = self.lag()
            except (RuntimeError, topics.KafkaException) as error:
                lag = f"no answer: {error}"
                self.close()
            if not lag and self.since > deadline:
                lag = f"{self.since - deadline:.1f} s too late"
            if not lag:
                break
            time.sleep(0.5)
        return lag

    def close(self):
        for follower in (self.indices, self.keys):
            if follower is not None:
                follower.close()
        self.cluster = self.indices = self.keys = None
