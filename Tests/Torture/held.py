"""What a person of the load sends, holds and was told."""

import time
from collections import Counter
from dataclasses import dataclass, field

# Younger than the access token, which lives 900 s.
FRESH_SECONDS = 300


@dataclass
class Request:
    """What is sent. `kind` names it, `artefact` is what it uses, maybe once for all.

    `rests` names what must be alive for it to work: sessions, parts of them, keys, tokens.
    """

    kind: str
    target: str
    form: object
    artefact: str
    headers: object = None  # Or a function that makes them for each try.
    method: str = "POST"
    once: bool = False
    rests: tuple = ()
    # When it was tried first; whether a node has let a try wait until its sender had gone.
    since: float = None
    is_left: bool = False

    def worked(self, answer):
        """Whether the artefact did what it is for; an introspection may say that it is dead."""
        if self.kind == "introspect":
            return answer.is_good and answer.json["active"]
        return answer.is_good


class App:
    """An app's tokens of a session, and the request whose code gave them.

    `family` names its part of the session. `by` is what else ends them: a key that opened the
    session, a session that let it in and takes it along.
    """

    def __init__(self, client, sid, answer, bound=False, code=None, by=()):
        # A bound one proves its key at each use.
        self.client, self.sid, self.bound, self.code = client, sid, bound, code
        self.token, self.taken = None, 0
        self.take(answer)
        self.family = self.token
        self.rests = (sid, self.family, *by)

    def take(self, answer):
        """A bound family keeps its refresh token, the others get the next one."""
        self.answer = answer
        self.token = answer.json.get("refresh_token", self.token)
        self.access, self.since = answer.json["access_token"], time.monotonic()
        self.taken += 1

    @property
    def is_fresh(self):
        return time.monotonic() < self.since + FRESH_SECONDS

    @property
    def is_used(self):
        return self.taken > 1


@dataclass
class Told:
    """What one person was told, and what contradicts it."""

    issued: list = field(default_factory=list)  # (session, token id)
    ended: list = field(default_factory=list)  # (session, reason): its end was acknowledged.
    left: list = field(default_factory=list)  # (session, client): one that joined, and was ended.
    kept: set = field(default_factory=set)  # (event type, what it is looked up by)
    wrong: list = field(default_factory=list)  # (which zero, what)
    secrets: set = field(default_factory=set)  # Digests of codes and tokens: nobody logs them.
    done: Counter = field(default_factory=Counter)  # Acknowledged outcomes by kind.
    given_up: Counter = field(default_factory=Counter)  # Why a life ended early, in words.
    unknown: int = 0
    retried: int = 0  # Refreshes that came again, and had the same successor.
    asked: int = 0  # Questions about an ended session, of one node each.
    unanswered: int = 0  # Of those: the node gave no answer for `RETRY_SECONDS`.
