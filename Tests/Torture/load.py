"""The load: people who sign in, refresh, retry, reuse, revoke, and keep what they were told."""

import base64
import hashlib
import http.client
import json
import multiprocessing
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

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
    wrong: list = field(default_factory=list)  # (which zero, what)
    secrets: set = field(default_factory=set)  # Some codes and tokens: nobody logs them.
    unknown: int = 0
    asked: int = 0  # Questions about an ended session, of one node each.
    unanswered: int = 0  # Of those: the node gave no answer for `RETRY_SECONDS`.


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

    def send(self, target, form, artefact, node=None, headers=None, nodes=None):
        """An outcome for sure: unknown ones are asked again, at the other node unless one is named.
        """
        number = self.random.randrange(2) if node is None else node
        deadline = time.monotonic() + RETRY_SECONDS
        while time.monotonic() < deadline:
            start, answer = time.time(), None
            try:
                answer = (nodes or self.nodes)[number].send("POST", target, form, headers)
            except (OSError, http.client.HTTPException):
                pass
            known = answer is not None and answer.status < 429
            self.note_history(target, artefact, start, answer, known)
            if known:
                return answer
            self.told.unknown += 1
            if node is None:
                number = 1 - number
            time.sleep(0.05 + self.random.random() / 10)
        raise GaveUp

    def at_once(self, target, form, artefact):
        """The same request at both nodes at the same moment; both answers."""
        with ThreadPoolExecutor(2) as pool:
            pair = [
                pool.submit(self.send, target, form, artefact, node, None, nodes)
                for node, nodes in enumerate((self.nodes, self.others))
            ]
            return [one.result() for one in pair]

    def note_history(self, target, artefact, start, answer, known):
        outcome = "unknown" if not known else "ok" if answer.status == 200 else "refused"
        digest = hashlib.blake2b(artefact.encode(), digest_size=8).hexdigest()
        self.history.write(f"{digest} {start:.4f} {time.time():.4f} {target} {outcome}\n")

    def wrong(self, kind, what):
        self.told.wrong.append((kind, what))

    def note(self, answer):
        token = answer.json["access_token"]
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        self.told.issued.append((claims["sid"], claims["jti"]))
        if len(self.told.secrets) < SECRETS_MAX:
            self.told.secrets |= {token, answer.json["refresh_token"]}
        return claims["sid"]

    @staticmethod
    def refreshing(token):
        return {"grant_type": "refresh_token", "client_id": "steady", "refresh_token": token}

    def refresh(self, token, node=None):
        return self.send("/oauth2/token", self.refreshing(token), token, node)

    def session(self):
        answer = self.redeem()
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
                self.retry(current, successor)
            if self.random.random() < 0.1:
                self.aside(answer.json["access_token"])
            older, current = current, successor
        self.end(sid, older, current, answer.json["access_token"])

    def redeem(self):
        """Signs in and redeems the code, which works once."""
        code, verifier = self.stack.code("steady", self.random.randrange(2))
        self.told.secrets |= {code, verifier} if len(self.told.secrets) < SECRETS_MAX else set()
        form = self.stack.redemption("steady", code, verifier)
        unknown, start = self.told.unknown, time.monotonic()
        if self.random.random() < 0.2:
            both = self.at_once("/oauth2/token", form, code)
            good = [one for one in both if one.status == 200]
            if len(good) == 2:
                self.wrong("double-spent", "a code gave tokens at both nodes")
            answer = (good or both)[0]
        else:
            answer = self.send("/oauth2/token", form, code)
        if answer.status != 200:
            # The first answer may have been lost after its commit: then the code is spent.
            if self.told.unknown == unknown:
                self.refused("redemption", answer)
            return None
        if self.random.random() < 0.3 and self.send("/oauth2/token", form, code).status == 200:
            self.wrong("double-spent", "a code gave tokens twice")
        # A late replay is an attack, and ends what the code gave.
        return answer if time.monotonic() - start < CODE_GRACE_SECONDS else None

    def refused(self, what, answer):
        if not self.tolerant:
            self.wrong("lost", f"{what}: {answer.status} {answer.text}")

    def retry(self, token, successor):
        """Inside the grace the same request gets the same successor, from whichever node."""
        if self.random.random() < 0.3:
            for again in self.at_once("/oauth2/token", self.refreshing(token), token):
                self.compare(again, successor)
        else:
            self.compare(self.refresh(token), successor)

    def compare(self, again, successor):
        if again.status == 200 and again.json["refresh_token"] == successor:
            self.note(again)
        elif again.status == 200 or not self.tolerant:
            self.wrong("double-spent", f"a retry differs: {again.status}")

    def aside(self, token):
        """What resource servers ask meanwhile."""
        if self.random.random() < 0.5:
            answer = self.ask(token, self.random.randrange(2))
            if not answer.json["active"] and not self.tolerant:
                self.wrong("lost", "a live token is said to be dead")
            return
        form = {"grant_type": "client_credentials", "scope": "revocations.read"}
        answer = self.send("/oauth2/token", form, "api", headers=self.stack.api)
        if answer.status != 200:
            self.refused("client credentials", answer)

    def ask(self, token, node):
        return self.send("/oauth2/introspect", {"token": token}, token, node, self.stack.api)

    def end(self, sid, older, current, access):
        """By reuse or by revocation; from then on nothing works, at no node."""
        if older and self.random.random() < 0.3:
            newest = self.refresh(current)  # Now the one before is spent for good.
            if newest.status == 200:
                access = newest.json["access_token"]
            if self.refresh(older).status == 200:
                self.wrong("double-spent", "a spent token gave tokens")
        else:
            answer = self.send(
                "/oauth2/revoke", {"token": current, "client_id": "steady"}, current)
            if answer.status != 200:
                return self.refused("revoke", answer)
        self.told.ended.append(sid)
        for node in (0, 1):
            self.told.asked += 1
            try:
                if self.refresh(current, node).status == 200:
                    self.wrong("after-revoke", f"{sid} refreshed at node {node + 1}")
                if self.ask(access, node).json["active"]:
                    self.wrong("after-revoke", f"{sid} active at node {node + 1}")
            except GaveUp:
                self.told.unanswered += 1


def run(stack, stop, seed, first, clients, tolerant, results):
    """One process of the load."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with open(stack.folder / f"history-{seed}-{first}", "w", encoding="ascii") as history:
        people = [
            Person(stack, stop, f"{seed}/{first + n}", history, tolerant) for n in range(clients)
        ]
        for person in people:
            person.start()
        for person in people:
            person.join()
    results.put([person.told for person in people])


class Load:
    """People in several processes, until told to stop."""

    def __init__(self, stack, seed, processes, clients, tolerant=False):
        self.stop, self.results = multiprocessing.Event(), multiprocessing.Queue()
        self.children = [
            multiprocessing.Process(
                target=run, daemon=True,
                args=(stack, self.stop, seed, n * clients, clients, tolerant, self.results),
            )
            for n in range(processes)
        ]
        for child in self.children:
            child.start()

    def end(self):
        """What all of them were told."""
        self.stop.set()
        told = [one for _ in self.children for one in self.results.get(timeout=240)]
        for child in self.children:
            child.join(10)
        return told
