"""Secrets and addresses of a run, looked for where they must not be (Security I13)."""

import base64
import hashlib
import itertools
import re

import topics
from project import MAIL_DOMAIN

WORD = re.compile(rb"[A-Za-z0-9_.~-]{32,}")
DOMAIN = MAIL_DOMAIN.encode()
ADDRESS = re.compile(rb"[A-Za-z0-9._%+-]+(?:@|%40)" + re.escape(DOMAIN), re.I)
LOG_PLACES = ("", "log/", "kafka/", "postgres/*/")
# The sink of a development stack prints the mails that it gets.
MAIL_LOGS = ("mail.log", "keeper.log")


def digests(secret):
    """What a set has of a secret: its SHA-256, and that of the bytes that are secret in it."""
    yield hashlib.sha256(secret.encode()).digest()
    if re.fullmatch(r"[a-z]{2}_[A-Za-z0-9_-]{64,72}", secret):
        yield hashlib.sha256(base64.urlsafe_b64decode(secret[3:])[-32:]).digest()


class Canaries:
    """`secrets` has digests alone, so that a run may keep many; words are counted where found."""

    def __init__(self, secrets):
        self.secrets, self.found = secrets, topics.Findings()

    def look(self, place, text, has_mails=False):
        for word in WORD.findall(text):
            if self.is_secret(word):
                self.found.add("foreign", f"a secret stands in {place}: {word[:12]}…")
        # The expression tries every beginning of every word, and hardly any text has the domain.
        if has_mails or DOMAIN not in text.lower():
            return
        for address in ADDRESS.findall(text):
            self.found.add("foreign", f"an address stands in {place}: {address}")

    def is_secret(self, word):
        """Whether it is one, or the digest of one, in base64url or hexadecimal."""
        if hashlib.sha256(word).digest() in self.secrets:
            return True
        try:
            if len(word) == 43:
                return base64.urlsafe_b64decode(word + b"=") in self.secrets
            return len(word) == 64 and bytes.fromhex(word.decode()) in self.secrets
        except ValueError:
            return False

    def search(self, stack):
        """Logs of ours and of what we use, every record on Kafka, the read model."""
        logs = (stack.folder.glob(f"{place}*.log") for place in LOG_PLACES)
        for log in itertools.chain(*logs):
            with open(log, "rb") as file:
                for line in file:
                    self.look(log, line, log.name in MAIL_LOGS)
        for topic in (topics.EVENTS, topics.REVOCATIONS):
            for record in topics.records(stack.facts["KAFKA_BOOTSTRAP"], topic):
                self.look(topic, b"\n".join(
                    (record.key or b"", record.value or b"", *record.headers.values())))
        for table, in stack.rows("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
                                 " WHERE schemaname = 'revocation'"):
            for row in stack.rows(f"SELECT to_jsonb(t) FROM {table} AS t"):
                self.look(table, "\t".join(row).encode())
        return self.found
