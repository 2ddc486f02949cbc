"""What Kafka has by now, read on from look to look."""

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from topics import EVENTS, REVOCATIONS, opened, some

# Little ahead, and quiet while brokers are killed under it: what matters is raised when it reads.
SETTINGS = {"queued.max.messages.kbytes": 8192, "log_level": 0}

class Follower:
    """A topic that is read on from where it was read to, up to ends that were noted before.

    Not far ahead of that: what is not asked for yet must not take the machine's time.
    """

    def __init__(self, bootstrap, topic):
        self.topic = topic
        self.consumer, partitions = opened(bootstrap, topic, SETTINGS)
        self.next, self.ahead = dict.fromkeys(partitions, 0), []

    def ends(self):
        """The offset after the last record that each partition has now."""
        return {partition: self.consumer.get_watermark_offsets(
            TopicPartition(self.topic, partition), timeout=10)[1] for partition in self.next}

    def read(self, ends):
        """Notes every record before `ends`, each once."""
        ahead, self.ahead = self.ahead, []
        for record in ahead:
            self.take(*record, ends)
        while any(self.next[partition] < end for partition, end in ends.items()):
            for message in some(self.consumer, self.topic):
                partition, offset, error = message.partition(), message.offset(), message.error()
                if error is None:
                    self.next[partition] = offset + 1
                    self.take(partition, offset, self.name(message), ends)
                elif error.code() == KafkaError._PARTITION_EOF:
                    self.next[partition] = offset
                else:
                    raise KafkaException(error)

    def take(self, partition, offset, name, ends):
        if offset >= ends[partition]:
            self.ahead.append((partition, offset, name))
        elif name is not None:
            self.note(name)

    def close(self):
        self.consumer.close()


class Indices(Follower):
    """Which numbers of the log are on Kafka."""

    def __init__(self, bootstrap):
        super().__init__(bootstrap, EVENTS)
        self.seen = bytearray()

    def missing(self, head, ends):
        """How many numbers below `head` are in no record before `ends`."""
        self.read(ends)
        return head - self.seen.count(1, 0, head)

    def name(self, message):
        return dict(message.headers() or ()).get("ce_sequence")

    def note(self, name):
        index = int(name)
        if index >= len(self.seen):
            self.seen.extend(bytes(index + 1 - len(self.seen)))
        self.seen[index] = 1


class Keys(Follower):
    """Which keys of the read model the revocations' topic has."""

    def __init__(self, bootstrap):
        super().__init__(bootstrap, REVOCATIONS)
        self.seen = set()

    def missing(self, keys, ends):
        """How many of `keys` are in no record before `ends`."""
        self.read(ends)
        return len(keys - self.seen)

    def name(self, message):
        return message.key()

    def note(self, name):
        self.seen.add(name.decode())
