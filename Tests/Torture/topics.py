"""What is on Kafka, read by a client that is not ours, and compared with what PostgreSQL decided."""

import hashlib
import json
import os
import time
import uuid

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

EVENTS, REVOCATIONS = "chancery.events", "chancery.revocations"
WATERMARK = b"chancery.log.watermark.v1"
LOGIN_ID = b"chancery.login-id."
# How long nothing may come. A reader of a long topic may take its time with each record.
SILENCE_SECONDS_MAX = 60


class Record:
    """One record: its place, key, headers by name, value."""

    __slots__ = ("partition", "offset", "key", "headers", "value")

    def __init__(self, message):
        self.partition, self.offset = message.partition(), message.offset()
        self.key, self.value = message.key(), message.value()
        self.headers = dict(message.headers() or ())


def cluster(stack):
    """The id of the cluster that is reached now."""
    consumer = Consumer({
        "bootstrap.servers": stack.facts["KAFKA_BOOTSTRAP"], "group.id": "torture"})
    try:
        return consumer.list_topics(timeout=30).cluster_id
    finally:
        consumer.close()


def opened(bootstrap, topic, settings=()):
    """A consumer at the beginning of a topic, and its partitions."""
    consumer = Consumer({
        "bootstrap.servers": bootstrap, "group.id": "torture", "enable.auto.commit": False,
        "enable.partition.eof": True, "auto.offset.reset": "error", "check.crcs": True,
        **dict(settings),
    })
    partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
    if not partitions:
        consumer.close()
        raise RuntimeError(f"Kafka has no topic {topic}")
    consumer.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in partitions])
    return consumer, set(partitions)


def records(bootstrap, topic):
    """Every record of a topic, partition by partition in order, up to its ends."""
    consumer, open_ones = opened(bootstrap, topic)
    try:
        yield from read_to_ends(consumer, open_ones, topic)
    finally:
        consumer.close()


def some(consumer, topic):
    """The next messages, at least one of them."""
    deadline = time.monotonic() + SILENCE_SECONDS_MAX
    while True:
        messages = consumer.consume(5000, 0.5)
        if messages:
            return messages
        if time.monotonic() > deadline:
            raise RuntimeError(f"nothing came of {topic} for {SILENCE_SECONDS_MAX} s")


def read_to_ends(consumer, partitions, topic):
    """Goes on until each partition has said that it has no more."""
    open_ones = set(partitions)
    while open_ones:
        for message in some(consumer, topic):
            error = message.error()
            if error is None:
                yield Record(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                open_ones.discard(message.partition())
            else:
                raise KafkaException(error)


class Findings:
    """What a proof found: counts by kind, and the first few in words."""

    def __init__(self):
        self.counts, self.words = {}, []

    def add(self, kind, what, count=1):
        self.counts[kind] = self.counts.get(kind, 0) + count
        if len(self.words) < 10:
            self.words.append(f"{kind}: {what}")


class Ledger:
    """The log as PostgreSQL has it, by log index: stream, version, hash."""

    def __init__(self, rows):
        self.places = []
        self.positions = []
        for index, stream, version, digest, position in rows:
            while len(self.places) < int(index):  # A hole: another proof counts it.
                self.places.append(None)
                self.positions.append(0)
            self.places.append((uuid.UUID(stream).bytes, int(version), bytes.fromhex(digest)))
            self.positions.append(int(position))

    @classmethod
    def of(cls, stack):
        return cls(stack.rows(
            "SELECT l.log_index, e.stream_id, e.version, encode(e.hash, 'hex'), e.position"
            " FROM es.ledger l JOIN es.events e USING (stream_id, version) ORDER BY l.log_index"
        ))


class Reader:
    """Another service: counts the events of each stream by the rules for consumers.

    A control run has one that keeps to no rule, or goes by the database's position.
    """

    def __init__(self, positions):
        self.rule = os.environ.get("CONTROL")
        self.positions = positions
        self.newest, self.counts = {}, {}

    def read(self, partition, index, stream):
        place = self.positions[index] if self.rule == "dedupe by position" else index
        if self.rule != "reader without dedupe" and place <= self.newest.get(partition, -1):
            return
        self.newest[partition] = place
        self.counts[stream] = self.counts.get(stream, 0) + 1

    def close(self, found, versions):
        for stream, version in versions.items():
            more = self.counts.get(stream, 0) - version
            if more:
                kind = "duplicated" if more > 0 else "lost"
                found.add(kind, f"a reader saw {more:+} of {uuid.UUID(bytes=stream)}", abs(more))


class EventProof:
    """Holds every record of `chancery.events` against the ledger."""

    def __init__(self, log_id, ledger):
        self.source, self.places = f"urn:chancery:log:{log_id}".encode(), ledger.places
        self.reader = Reader(ledger.positions)
        self.found = Findings()
        self.contents = [None] * len(ledger.places)
        self.newest, self.versions, self.homes = {}, {}, {}
        self.repeated = 0

    def read(self, record):
        headers = record.headers
        if "ce_sequence" not in headers:
            if headers.get("ce_type") != WATERMARK:
                self.found.add("foreign", f"a record without number: {headers}")
            return
        index = int(headers["ce_sequence"])
        if (headers.get("ce_source") != self.source or index >= len(self.places)
                or self.places[index] is None):
            return self.found.add("foreign", f"not of this log: {headers}")
        stream, version, digest = self.places[index]
        if not self.is_same(headers, record.key, stream, version, digest):
            return self.found.add("foreign", f"not what the log has at {index}: {headers}")
        self.reader.read(record.partition, index, stream)
        content = self.content(record)
        if self.contents[index] is not None:
            self.repeated += 1
            if self.contents[index] != content:
                self.found.add("foreign", f"{index} came again with another content")
            return
        self.contents[index] = content
        self.first(record, index, stream, version)

    def first(self, record, index, stream, version):
        """First occurrences are in order: of numbers in a partition, of versions in a key.

        A login id has its subject's key. When that was erased the next one claims the address.
        """
        if index < self.newest.get(record.partition, -1):
            self.found.add("reordered", f"{index} after {self.newest[record.partition]}")
        self.newest[record.partition] = index
        before = self.versions.get((stream, record.key), 0)
        if version <= before or "ce_stream" in record.headers and version != before + 1:
            self.found.add("reordered", f"{uuid.UUID(bytes=stream)} {version} after {before}")
        self.versions[stream, record.key] = version
        if self.homes.setdefault(record.key, record.partition) != record.partition:
            self.found.add("reordered", f"key {record.key} is in two partitions")

    def close(self):
        missing = [index for index, content in enumerate(self.contents) if content is None]
        if missing:
            self.found.add("lost", f"not on Kafka: {missing[:5]}", len(missing))
        versions = {}
        for (stream, _), version in self.versions.items():
            versions[stream] = max(version, versions.get(stream, 0))
        self.reader.close(self.found, versions)
        return self.found

    @staticmethod
    def is_same(headers, key, stream, version, digest):
        if headers.get("ce_eventhash") != digest.hex().encode():
            return False
        if headers["ce_type"].startswith(LOGIN_ID):
            # An address's stream is derived from the address: its id is not published.
            return "ce_stream" not in headers
        name = str(uuid.UUID(bytes=stream)).encode()
        number = headers.get("ce_streamversion")
        return headers.get("ce_stream") == name == key and number == str(version).encode()

    @staticmethod
    def content(record):
        """A digest of all that a consumer reads; who published is no content."""
        digest = hashlib.blake2b(record.key + b"\0" + (record.value or b""), digest_size=8)
        for name, value in sorted(record.headers.items()):
            if name != "ce_relayepoch":
                digest.update(name.encode() + b"\0" + value + b"\0")
        return digest.digest()


def prove_events(stack):
    """(stream, version) on Kafka = PostgreSQL, first occurrences in order, nothing foreign."""
    log_id = stack.rows("SELECT log_id FROM es.log")[0][0]
    proof = EventProof(log_id, Ledger.of(stack))
    for record in records(stack.facts["KAFKA_BOOTSTRAP"], EVENTS):
        proof.read(record)
    return proof.close(), proof.repeated


def last_revocations(stack):
    """The last value of each key."""
    last = {}
    for record in records(stack.facts["KAFKA_BOOTSTRAP"], REVOCATIONS):
        if record.key and not record.key.startswith(b"~watermark/"):
            last[record.key.decode()] = record.value
    return last


def revoked(stack):
    """The keys of the read model."""
    return {key for key, in stack.rows("SELECT key FROM revocation.revocations")}


def prove_revocations(stack):
    """The last value of each key is the read model's row, and none is missing or foreign."""
    found, last = Findings(), last_revocations(stack)
    rows = dict(stack.rows("SELECT key, log_index FROM revocation.revocations"))
    for key in rows.keys() - last.keys():
        found.add("lost", f"not in {REVOCATIONS}: {key}")
    for key, value in last.items():
        content = json.loads(value) if value else None
        if key not in rows and (content is None or content["expires_at"] < time.time() * 1000):
            continue  # Nothing that it revokes is accepted any more.
        if key not in rows or content is None or str(content["log_index"]) != rows[key]:
            found.add("foreign", f"in {REVOCATIONS}, not in the read model: {key}")
    return found
