"""A person of the load: signs in, refreshes, retries, reuses, revokes, and keeps what it was told.
"""

import http.client
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import keys
from history import digest

TOKEN, INTROSPECT, REVOKE = "/oauth2/token", "/oauth2/introspect", "/oauth2/revoke"
REFRESHES = (5, 120)  # In one session: at least, and fewer than.
# An outcome must be known within this; the client's grace is longer (60 s).
RETRY_SECONDS = 45
# Less than the server's, which is 10 s.
CODE_GRACE_SECONDS = 8
SECRETS_MAX = 200


class GaveUp(Exception):
    """No node answered for `RETRY_SECONDS`."""


@dataclass
class Told:
    """What one person was told, and what contradicts it."""

    issued: list = field(default_factory=list)  # (session, token id)
    ended: list = field(default_factory=list)  # Sessions whose end was acknowledged.
    cascaded: list = field(default_factory=list)  # Sessions that ended with another.
    left: list = field(default_factory=list)  # (session, client): one that joined, and was ended.
    wrong: list = field(default_factory=list)  # (which zero, what)
    secrets: set = field(default_factory=set)  # Some codes and tokens: nobody logs them.
    done: Counter = field(default_factory=Counter)  # Acknowledged outcomes by kind.
    unknown: int = 0
    asked: int = 0  # Questions about an ended session, of one node each.
    unanswered: int = 0  # Of those: the node gave no answer for `RETRY_SECONDS`.


@dataclass
class Request:
    """What is sent. `kind` names it, `artefact` is what it uses, maybe once for all."""

    kind: str
    target: str
    form: object
    artefact: str
    headers: object = None  # Or a function that makes them for each try.
    method: str = "POST"
    once: bool = False


class Person(threading.Thread):
    """Signs in, refreshes, revokes, signs in again.

    A tolerant one takes any refusal, as where clocks are wrong; what was acknowledged counts.
    """

    def __init__(self, stack, stop, name, history, tolerant):
        super().__init__(daemon=True)
        self.stack, self.stop, self.random = stack, stop, random.Random(name)
        self.nodes = [stack.node(0, timeout=8), stack.node(1, timeout=8)]
        # For a second request at the same moment.
        self.others = [stack.node(0, timeout=8), stack.node(1, timeout=8)]
        self.history, self.tolerant, self.told = history, tolerant, Told()

    def run(self):
        while not self.stop.is_set():
            try:
                self.session()
            except GaveUp:
                pass
            except (OSError, http.client.HTTPException, RuntimeError, LookupError, ValueError):
                # A page met a fault: a person starts again.
                self.told.unknown += 1
                time.sleep(0.1)

    def send(self, request, node=None, nodes=None):
        """An outcome for sure: unknown ones are asked again, at the other node unless one is named.
        """
        number = self.random.randrange(2) if node is None else node
        deadline = time.monotonic() + RETRY_SECONDS
        while time.monotonic() < deadline:
            start, answer = time.time(), None
            headers = request.headers() if callable(request.headers) else request.headers
            try:
                answer = (nodes or self.nodes)[number].send(
                    request.method, request.target, request.form, headers)
            except (OSError, http.client.HTTPException):
                pass
            known = answer is not None and answer.is_known
            outcome = "unknown" if not known else "ok" if answer.is_good else "refused"
            self.note_history(request, start, outcome)
            if known:
                self.told.done[request.kind] += answer.is_good
                return answer
            self.told.unknown += 1
            if node is None:
                number = 1 - number
            time.sleep(0.05 + self.random.random() / 10)
        raise GaveUp

    def at_once(self, request):
        """The same request at both nodes at the same moment; both answers."""
        with ThreadPoolExecutor(2) as pool:
            pair = [
                pool.submit(self.send, request, node, nodes)
                for node, nodes in enumerate((self.nodes, self.others))
            ]
            return [one.result() for one in pair]

    def spend(self, request, again=0.1):
        """The answer to what works once; None when it may have worked without an answer.

        Every fifth goes to both nodes at the same moment, and what worked is tried `again`.
        """
        unknown = self.told.unknown
        if self.random.random() < 0.2:
            both = self.at_once(request)
            good = [one for one in both if one.is_good]
            if len(good) == 2:
                self.wrong("double-spent", f"{request.kind} worked at both nodes")
            answer = (good or both)[0]
        else:
            answer = self.send(request)
        if not answer.is_good:
            # The first answer may have been lost after its commit: then it is spent.
            if self.told.unknown == unknown:
                self.refused(request.kind, answer)
            return None
        if self.random.random() < again and self.send(request).is_good:
            self.wrong("double-spent", f"{request.kind} worked twice")
        return answer

    def note_history(self, request, start, outcome):
        kind = "once" if request.once else request.kind.replace(" ", "-")
        self.history.write(
            f"{digest(request.artefact)} {start:.4f} {time.time():.4f} {kind} {outcome}\n")

    def wrong(self, kind, what):
        self.told.wrong.append((kind, what))

    def keep(self, *secrets):
        if len(self.told.secrets) < SECRETS_MAX:
            self.told.secrets |= {secret for secret in secrets if secret}

    def note(self, answer):
        """What an answer with tokens issued; answers the session."""
        self.keep(*map(answer.json.get, ("access_token", "refresh_token", "device_secret")))
        return self.note_token(answer.json["access_token"])

    def note_token(self, token):
        said = keys.claims(token)
        self.told.issued.append((said["sid"], said["jti"]))
        return said["sid"]

    @staticmethod
    def refreshing(token, client="steady"):
        form = {"grant_type": "refresh_token", "client_id": client, "refresh_token": token}
        return Request("refresh", TOKEN, form, token)

    def asking(self, token):
        """What a resource server asks about a token."""
        return Request("introspect", INTROSPECT, {"token": token}, token, self.stack.api)

    @staticmethod
    def revoking(token, client, kind="revoke"):
        return Request(kind, REVOKE, {"token": token, "client_id": client}, token)

    def refresh(self, token, node=None):
        return self.send(self.refreshing(token), node)

    def session(self):
        code, verifier = self.stack.code("steady", self.random.randrange(2))
        answer = self.redeem("steady", code, verifier)
        if answer is None:
            return
        sid, older, current = self.note(answer), None, answer.json["refresh_token"]
        for _ in range(self.random.randrange(*REFRESHES)):
            if self.stop.is_set():
                break
            answer = self.refresh(current)
            if answer.status != 200:
                return self.refused("refresh", answer)
            self.note(answer)
            successor = answer.json["refresh_token"]
            if self.random.random() < 0.1:
                self.retry(self.refreshing(current), successor)
            if self.random.random() < 0.1:
                self.aside(answer.json["access_token"])
            older, current = current, successor
        self.end(sid, older, current, answer.json["access_token"])

    def redeem(self, client, code, verifier, headers=None, **more):
        """The tokens for a code, which works once; None when they are not to be used."""
        self.keep(code, verifier)
        form = {**self.stack.redemption(client, code, verifier), **more}
        start = time.monotonic()
        answer = self.spend(Request("code", TOKEN, form, code, headers, once=True), again=0.3)
        # A late replay is an attack, and ends what the code gave.
        return answer if time.monotonic() - start < CODE_GRACE_SECONDS else None

    def refused(self, what, answer):
        if not self.tolerant:
            self.wrong("lost", f"{what}: {answer.words}")

    def retry(self, request, successor):
        """Inside the grace the same request gets the same successor, from whichever node."""
        if self.random.random() < 0.3:
            for again in self.at_once(request):
                self.compare(again, successor)
        else:
            self.compare(self.send(request), successor)

    def compare(self, again, successor):
        if again.status == 200 and again.json["refresh_token"] == successor:
            self.note(again)
        elif again.status == 200 or not self.tolerant:
            self.wrong("double-spent", f"a retry differs: {again.status}")

    def aside(self, token):
        """What resource servers ask meanwhile."""
        if self.random.random() < 0.5:
            answer = self.send(self.asking(token))
            if not answer.json["active"] and not self.tolerant:
                self.wrong("lost", "a live token is said to be dead")
            return
        form = {"grant_type": "client_credentials", "scope": "revocations.read"}
        answer = self.send(Request("client credentials", TOKEN, form, "api", self.stack.api))
        if answer.status != 200:
            self.refused("client credentials", answer)

    def end(self, sid, older, current, access):
        """By reuse or by revocation; from then on nothing works, at no node."""
        if older and self.random.random() < 0.3:
            newest = self.refresh(current)  # Now the one before is spent for good.
            if newest.status == 200:
                access = newest.json["access_token"]
            if self.refresh(older).status == 200:
                self.wrong("double-spent", "a spent token gave tokens")
        else:
            answer = self.send(self.revoking(current, "steady"))
            if answer.status != 200:
                return self.refused("revoke", answer)
        self.told.ended.append(sid)
        self.dead(sid, self.refreshing(current), self.asking(access))

    def dead(self, what, *requests):
        """None of these works any more, at no node."""
        for node in (0, 1):
            self.told.asked += 1
            try:
                for request in requests:
                    answer = self.send(request, node)
                    if (answer.json["active"] if request.kind == "introspect" else answer.is_good):
                        self.wrong("after-revoke", f"{what}: {request.kind} at node {node + 1}")
            except GaveUp:
                self.told.unanswered += 1
