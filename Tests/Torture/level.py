"""Whether relay and projector have done all that the log has."""

import time

import topics

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
    the topic ends and when that was, and then counts what stands before: level since then.
    """

    def __init__(self, stack):
        self.stack, self.indices, self.since = stack, None, None

    def lag(self):
        """What is behind, in words; empty when nothing is, `since` some moment of this look."""
        for what, count in (("the ledger", behind_ledger), ("the read model", behind_read_model),
                            ("the feed", behind_feed)):
            if number := count(self.stack):
                return f"{what} by {number}"
        if missing := topics.missing_revocations(self.stack):
            return f"{topics.REVOCATIONS} by {len(missing)}"
        if self.indices is None:
            self.indices = topics.Indices(self.stack.facts["KAFKA_BOOTSTRAP"])
        head, ends = self.stack.number(HEAD), self.indices.ends()
        self.since = time.monotonic()
        # Fewer records than numbers: nothing has to be read to know that.
        number = max(head - sum(ends.values()), 0) or self.indices.missing(head, ends)
        return f"{topics.EVENTS} by {number}" if number else ""

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
        self.close()
        return lag

    def close(self):
        if self.indices is not None:
            self.indices.close()
            self.indices = None
