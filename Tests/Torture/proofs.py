"""What must be zero at the end: each proof counts what contradicts it."""

import time
from collections import Counter

import topics
from canaries import Canaries
from history import History
from level import behind_ledger, behind_read_model
from progress import say

RELAY, PROJECTOR = "event-relay", "revocation-projector"
# Of two only one has the lead; the other is alive, and ready or not as it sees fit.
STANDBYS = (RELAY, PROJECTOR)
ZEROS = ("lost", "duplicated", "reordered", "double-spent", "after-revoke")
# Not part of the line (Security 14): what the log does not have, and what the load saw refused
# that should have worked.
FOREIGN, REFUSED = "foreign", "refused"
# What a rebuild makes again: not what revoked tokens that have expired since, which goes.
READ_MODEL = {"revocations": "r.expires_at > now()", "sessions": "true"}
# Ends that the read model still has; it keeps them for an hour and a little more.
RECENT = "occurred_at > now() - interval '1 hour'"
# Ends that are recorded after the answer, and those by an operator's order, with its event.
FOLLOWED, ORDERS = ("logout", "cascade"), {"subject_disabled": 104, "erasure": 106}
PAYLOAD = "convert_from(payload, 'UTF8')::json"
# What happens once: the event that says so, and what it may name only once.
ONCE = (
    ("links approved twice", 306, "stream_id"),
    ("links consumed twice", 309, "stream_id"),
    ("requests taken twice", 402, "stream_id"),
    ("requests with two codes", 405, "stream_id"),
    ("codes redeemed twice", 602, "stream_id"),
    ("codes that gave one session", 602, f"{PAYLOAD}->>'grant'"),
    ("sessions opened twice", 701, "stream_id"),
    ("approvals of one code", 714, f"{PAYLOAD}->>'code'"),
    ("fingers registered twice", 801, "stream_id"),
    ("logins by finger that gave one session", 802, f"{PAYLOAD}->>'grant'"),
    ("URLs opened twice", 902, "stream_id"),
    ("URLs that gave one token", 902, f"{PAYLOAD}->>'jti'"),
    ("challenges, proofs and app-session tokens used twice", 1101, "stream_id"),
)
# What else people are told of, by the type of its event, and what they know it by.
KEPT = {
    **dict.fromkeys((104, 105, 106, 401, 402, 601, 707, 716, 901, 902), "stream_id::text"),
    712: f"{PAYLOAD}->>'jti'", 714: f"{PAYLOAD}->>'code'", 801: f"{PAYLOAD}->>'kid'",
    804: "(SELECT convert_from(k.payload, 'UTF8')::json->>'kid' FROM es.events AS k"
         " WHERE k.stream_id = e.stream_id AND k.type = 801)",
}
# What comes of something that works once: the event, what names its source there, the source's
# event, and how that names it.
SOURCES = (
    ("sessions without their code", "type = 701 AND {p}->>'via' IN ('code', 'app2app')",
     "stream_id", 602, "({p}->>'grant')::uuid"),
    ("sessions without their finger", "type = 701 AND {p}->>'via' = 'biometric'",
     "stream_id", 802, "({p}->>'grant')::uuid"),
    ("web tokens without their URL", "type = 703 AND {p}->>'via' = 'pre_authenticated_url'",
     "({p}->>'jti')::uuid", 902, "({p}->>'jti')::uuid"),
    ("codes of apps without their approval", "type = 601 AND {p}->>'via' LIKE 'app2app%'",
     "stream_id", 714, "({p}->>'code')::uuid"),
)


def plain(text):
    """An id as the log and the tokens both name it."""
    return text.replace("-", "")


def ended(stack, when="true"):
    """The sessions whose end is in the log, and its reason."""
    return {plain(sid): reason for sid, reason in stack.rows(
        f"SELECT stream_id, {PAYLOAD}->>'reason' FROM es.events WHERE type = 711 AND {when}")}


def wait_until_cascaded(stack, told, seconds):
    """Waits until the log has what ended with another session; issuers write it some time later."""
    deadline = time.monotonic() + seconds
    cascaded = {plain(sid) for one in told for sid, reason in one.ended if reason == "cascade"}
    while cascaded - ended(stack).keys() and time.monotonic() < deadline:
        time.sleep(0.5)


class Verdict:
    """The zeros that are none, and why."""

    def __init__(self, stack, told, reader):
        self.stack, self.told, self.reader = stack, told, reader
        self.zeros = dict.fromkeys((*ZEROS, FOREIGN, REFUSED), 0)
        self.words = []
        self.is_rebuilt = True
        self.repeated = 0
        self.acked = 0
        self.requests = 0

    def add(self, kind, count, what):
        self.zeros[kind] += count
        if count:
            self.words.append(f"{kind} {count}: {what}")

    def take(self, found):
        for kind, count in found.counts.items():
            self.zeros[kind] += count
        self.words += found.words

    def reach(self):
        for one in self.told:
            for kind, what in one.wrong:
                self.add(kind, 1, what)
        for step in (self.acknowledged, self.log, self.history, self.ledger, self.read_model,
                     self.events, self.revocations, self.feed, self.rebuilt, self.canaries):
            start = time.monotonic()
            step()
            say(f"{step.__name__.replace('_', ' ')}: looked at in {time.monotonic() - start:.1f} s")
        return self

    def events(self):
        found, self.repeated = topics.prove_events(self.stack)
        self.take(found)

    def revocations(self):
        self.take(topics.prove_revocations(self.stack))

    def feed(self):
        self.take(self.reader.prove(
            self.stack, {plain(sid) for one in self.told for sid, _ in one.ended}))

    def canaries(self):
        self.take(Canaries(set().union(*(one.secrets for one in self.told))).search(self.stack))

    def acknowledged(self):
        """Everything a client was told happened is in the log."""
        recorded = {
            (plain(stream), plain(jti)) for stream, jti in self.stack.rows(
                "SELECT stream_id, convert_from(payload, 'UTF8')::json->>'jti'"
                " FROM es.events WHERE type IN (703, 704, 705)")
        }
        issued = {(plain(s), plain(j)) for one in self.told for s, j in one.issued}
        missing = issued - recorded
        self.add("lost", len(missing), f"issued, not in the log: {sorted(missing)[:3]}")
        self.ended = ended(self.stack)
        revoked = {(plain(sid), reason) for one in self.told for sid, reason in one.ended}
        missing = {one for one in revoked - self.ended.items() if not self.ended_by_order(*one)}
        self.add("lost", len(missing),
                 f"ended, not in the log with this reason: {sorted(missing)[:3]}")
        self.acked = len(issued) + len(revoked) + self.left() + self.kept()

    def ended_by_order(self, sid, reason):
        """Whether an operator's order about the user was first at what ends with a login.

        Nothing works from the answer on; what rests on it may be recorded half a minute later.
        """
        kind = ORDERS.get(self.ended.get(sid))
        if kind is None or reason not in FOLLOWED:
            return False
        subject = self.stack.rows(
            f"SELECT subject_id FROM es.events WHERE stream_id = '{sid}' AND version = 1")[0][0]
        return any((kind, plain(subject)) in one.kept for one in self.told)

    def left(self):
        """Every end of a client in a session is in the log; answers how many were told."""
        found = {(plain(sid), client): int(count) for sid, client, count in self.stack.rows(
            f"SELECT stream_id, {PAYLOAD}->>'client', count(*) FROM es.events WHERE type = 710"
            " GROUP BY 1, 2")}
        told = Counter((plain(sid), client) for one in self.told for sid, client in one.left)
        missing = told - Counter(found)
        self.add("lost", missing.total(), f"left, not in the log: {sorted(missing)[:3]}")
        return told.total()

    def kept(self):
        """All else that was acknowledged is in the log; answers how much that was."""
        told = set().union(*(one.kept for one in self.told))
        found = {(kind, plain(name)) for kind, column in KEPT.items() for name, in self.stack.rows(
            f"SELECT {column} FROM es.events AS e WHERE type = {kind}")}
        missing = told - found
        self.add("lost", len(missing), f"acknowledged, not in the log: {sorted(missing)[:3]}")
        return len(told)

    def log(self):
        """Streams have no holes; what can be used once was used once."""
        self.count("reordered", "streams with holes", (
            "SELECT count(*) FROM (SELECT stream_id FROM es.events GROUP BY stream_id"
            " HAVING count(*) <> max(version) OR min(version) <> 1) x"))
        for what, kind, name in ONCE:
            self.count("double-spent", what, (
                f"SELECT count(*) - count(DISTINCT {name}) FROM es.events WHERE type = {kind}"))
        for what, *parts in SOURCES:
            result, name, kind, source = (str(part).format(p=PAYLOAD) for part in parts)
            self.count("double-spent", what, (
                f"SELECT count(*) FROM (SELECT {name} FROM es.events WHERE {result} EXCEPT"
                f" SELECT {source} FROM es.events WHERE type = {kind}) x"))
        self.count("double-spent", "answers to a challenge that spent none", (
            "SELECT count(*) FROM (SELECT DISTINCT command_id FROM es.events"
            " WHERE type IN (707, 714, 801, 802) EXCEPT SELECT command_id FROM es.events"
            f" WHERE type = 1101 AND {PAYLOAD}->>'purpose' = 'challenge') x"))
        self.count("double-spent", "refresh tokens with two successors", (
            "SELECT count(*) FROM (SELECT stream_id, p->>'family', p->>'generation' FROM"
            " (SELECT stream_id, convert_from(payload, 'UTF8')::json AS p FROM es.events"
            " WHERE type = 704) e WHERE p->>'rotated' = 'true'"
            " GROUP BY 1, 2, 3 HAVING count(*) > 1) x"))

    def history(self):
        """What clients saw: one success for what works once, none after its grace or its end."""
        history = History.of(self.stack.folder)
        self.add("double-spent", history.doubly_used, "worked twice, by the history")
        self.add("double-spent", history.refreshed_late, "refreshed after the grace")
        self.add("after-revoke", history.after_end.total(),
                 f"worked after its end, by the history: {dict(history.after_end)}")
        self.requests = history.lines

    def ledger(self):
        """The published order has every event, once, without a hole."""
        self.add("lost", behind_ledger(self.stack), "not in the ledger")
        self.count("lost", "holes in the ledger",
                   "SELECT coalesce(max(log_index) + 1, 0) - count(*) FROM es.ledger")
        self.count("duplicated", "twice in the ledger", (
            "SELECT count(*) - count(DISTINCT (stream_id, version)) FROM es.ledger"))
        self.count("reordered", "in the ledger before an earlier version", (
            "SELECT count(*) FROM (SELECT version, lag(version) OVER"
            " (PARTITION BY stream_id ORDER BY log_index) AS before FROM es.ledger) x"
            " WHERE before IS NOT NULL AND version <> before + 1"))

    def read_model(self):
        self.add("lost", behind_read_model(self.stack), "sessions behind the log")
        recent = ended(self.stack, RECENT).keys()
        feed = {plain(row[0]) for row in self.stack.rows(
            "SELECT sid FROM revocation.revocations")}
        self.add("lost", len(recent - feed), "revocations missing from the feed")
        self.count("duplicated", "twice in the feed", (
            "SELECT count(*) - count(DISTINCT log_index) FROM revocation.revocations"
            " WHERE client IS NULL AND jti IS NULL"))

    def rebuilt(self):
        """The read model is what reading the topic from its beginning makes."""
        self.stack.stop_all(PROJECTOR)
        self.stack.rows("CREATE SCHEMA before; " + "".join(
            f"CREATE TABLE before.{table} AS TABLE revocation.{table};" for table in READ_MODEL))
        tables = self.stack.rows(
            "SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables"
            " WHERE schemaname = 'revocation'")
        self.stack.rows(f"TRUNCATE {tables[0][0]}")
        projector = self.stack.processes[PROJECTOR]
        projector.start()
        try:
            projector.wait_until(seconds=60)
        except RuntimeError as error:
            self.is_rebuilt = False
            return self.words.append(f"the read model is not made anew: {error}")
        if lag := self.stack.level.wait(60):
            return self.add("lost", 1, f"behind the log after a rebuild: {lag}")
        for table, counts in READ_MODEL.items():
            # A late number tells when a row came, not what is in it.
            then, now = (
                f"SELECT to_jsonb(r) - 'late_number' FROM {schema}.{table} AS r WHERE {counts}"
                for schema in ("before", "revocation"))
            self.count("duplicated", f"rows of {table} that a rebuild does not make",
                       f"SELECT count(*) FROM ({then} EXCEPT {now}) x")
            self.count("lost", f"rows of {table} that only a rebuild makes",
                       f"SELECT count(*) FROM ({now} EXCEPT {then}) x")

    def count(self, kind, what, statement):
        self.add(kind, self.stack.number(statement), what)

    @property
    def text(self):
        return " ".join(f"{name} {self.zeros[name]}" for name in ZEROS)
