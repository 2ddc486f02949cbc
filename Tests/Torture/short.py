"""The torture test's short form: load at two nodes while processes and PostgreSQL are killed.

Every acknowledged outcome must be in PostgreSQL, published once and in order, and in the read
model. EVENTS (50000) is how many events the load makes; SEED draws it.
"""

import base64
import http.client
import json
import multiprocessing
import os
import random
import signal
import sys
import threading
import time

import proofs
from stack import Stack

EVENTS = int(os.environ.get("EVENTS", "50000"))
SEED = int(os.environ.get("SEED", str(int(time.time()))))
PROCESSES, CLIENTS = 2, 16
SECONDS_MAX = 1200
REFRESHES = (5, 120)  # In one session: at least, and fewer than.
# An outcome must be known within this; the client's grace is longer (60 s).
RETRY_SECONDS = 45
# Everything is published and projected within this after the last fault.
LEVEL_SECONDS = 60


class GaveUp(Exception):
    """No node answered for `RETRY_SECONDS`."""


class Person(threading.Thread):
    """Signs in, refreshes, revokes, signs in again; keeps what was acknowledged."""

    def __init__(self, stack, stop, number):
        super().__init__(daemon=True)
        self.stack, self.stop, self.random = stack, stop, random.Random(f"{SEED}/{number}")
        self.nodes = [stack.node(0, timeout=8), stack.node(1, timeout=8)]
        self.issued, self.ended, self.wrong = [], [], []
        self.unknown = 0

    def run(self):
        while not self.stop.is_set():
            try:
                self.session()
            except GaveUp:
                pass
            except (OSError, http.client.HTTPException, RuntimeError, KeyError):
                # A page met a fault: a person starts again.
                self.unknown += 1
                time.sleep(0.1)

    def send(self, target, form, node=None):
        """An outcome for sure: unknown ones are asked again, at the other node too."""
        number = self.random.randrange(2) if node is None else node
        deadline = time.monotonic() + RETRY_SECONDS
        while time.monotonic() < deadline:
            try:
                answer = self.nodes[number].send("POST", target, form)
                if answer.status < 429:
                    return answer
            except (OSError, http.client.HTTPException):
                pass
            self.unknown += 1
            number = 1 - number
            time.sleep(0.05 + self.random.random() / 10)
        raise GaveUp

    def note(self, answer):
        token = answer.json["access_token"]
        body = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        self.issued.append((claims["sid"], claims["jti"]))
        return claims["sid"]

    def refresh(self, token):
        form = {"grant_type": "refresh_token", "client_id": "steady", "refresh_token": token}
        return self.send("/oauth2/token", form)

    def session(self):
        code, verifier = self.stack.code("steady", self.random.randrange(2))
        form = self.stack.redemption("steady", code, verifier)
        unknown = self.unknown
        answer = self.send("/oauth2/token", form)
        if answer.status != 200:
            # The first answer may have been lost after its commit: then the code is spent.
            if self.unknown == unknown:
                self.wrong.append(("lost", f"redemption: {answer.text}"))
            return
        sid = self.note(answer)
        if self.random.random() < 0.3 and self.send("/oauth2/token", form).status == 200:
            self.wrong.append(("double-spent", "a code gave tokens twice"))
        older, current = None, answer.json["refresh_token"]
        for _ in range(self.random.randrange(*REFRESHES)):
            if self.stop.is_set():
                break
            answer = self.refresh(current)
            if answer.status != 200:
                return self.wrong.append(("lost", f"refresh: {answer.status} {answer.text}"))
            self.note(answer)
            successor = answer.json["refresh_token"]
            if self.random.random() < 0.1:
                again = self.refresh(current)
                if again.status != 200 or again.json["refresh_token"] != successor:
                    self.wrong.append(("double-spent", f"a retry differs: {again.status}"))
                else:
                    self.note(again)
            older, current = current, successor
        if older and self.random.random() < 0.3:
            self.refresh(current)  # Now the one before is spent for good.
            if self.refresh(older).status == 200:
                self.wrong.append(("double-spent", "a spent token gave tokens"))
        else:
            answer = self.send("/oauth2/revoke", {"token": current, "client_id": "steady"})
            if answer.status != 200:
                return self.wrong.append(("lost", f"revoke: {answer.status} {answer.text}"))
        self.ended.append(sid)
        if any(self.refresh(current).status == 200 for _ in range(2)):
            self.wrong.append(("after-revoke", sid))


def load(stack, stop, first, results):
    """One process of the load."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    people = [Person(stack, stop, first + n) for n in range(CLIENTS)]
    for person in people:
        person.start()
    for person in people:
        person.join(SECONDS_MAX + 120)
    results.put([(p.issued, p.ended, p.wrong, p.unknown) for p in people])


class Faults:
    """Kills something with SIGKILL whenever the log has grown by a step."""

    def __init__(self, stack, names):
        self.stack, self.count = stack, 0
        drawn = random.Random(f"{SEED}/faults")
        self.plan = [*names, "postgres"] * 2
        drawn.shuffle(self.plan)
        self.step = EVENTS // (len(self.plan) + 1)

    def run(self, events):
        while self.plan and events >= self.step * (self.count + 1):
            name = self.plan.pop()
            self.count += 1
            print(f"  {events} events: kill -9 {name}", flush=True)
            if name == "postgres":
                pid = (self.stack.folder / "postgres/data/postmaster.pid").read_text()
                os.kill(int(pid.splitlines()[0]), signal.SIGKILL)
            else:
                process = self.stack.processes[name]
                process.kill()
                process.start()


def grown(stack):
    """How many positions were drawn; None while PostgreSQL is away."""
    try:
        return int(stack.rows("SELECT last_value FROM es.events_position_seq")[0][0])
    except RuntimeError:
        return None


def torture(stack, names):
    stop, results = multiprocessing.Event(), multiprocessing.Queue()
    children = [
        multiprocessing.Process(target=load, args=(stack, stop, n * CLIENTS, results), daemon=True)
        for n in range(PROCESSES)
    ]
    for child in children:
        child.start()
    faults, deadline, said = Faults(stack, names), time.monotonic() + SECONDS_MAX, 0
    while time.monotonic() < deadline:
        events = grown(stack)
        if events is not None:
            faults.run(events)
            if events >= EVENTS and not faults.plan:
                break
            if events - said >= EVENTS // 10:
                said = events
                print(f"  {events} events", flush=True)
        time.sleep(0.3)
    stop.set()
    people = [person for _ in children for person in results.get(timeout=180)]
    for child in children:
        child.join(10)
    return people, faults.count


def main():
    with Stack("torture") as stack:
        for name in (proofs.RELAY, proofs.PROJECTOR):
            stack.begin(name)
            stack.processes[name].wait_until()
        names = ["token-issuer", "token-issuer-2", proofs.RELAY, proofs.PROJECTOR]
        people, faults = torture(stack, names)
        for process in stack.processes.values():
            process.wait_until(seconds=60)
        proofs.wait_until_level(stack, LEVEL_SECONDS)
        verdict = proofs.Verdict(stack, people).reach()
        events = proofs.number(stack, "SELECT count(*) FROM es.events")
        unknown = sum(p[3] for p in people)
        line = (f"events {events} acked {verdict.acked} unknown {unknown} {verdict.text}"
                f" faults {faults} seed {SEED}")
        for words in verdict.words:
            print(f"  {words}", flush=True)
        print(f"  {verdict.repeated} records came again on Kafka", flush=True)
        print(line, flush=True)
        for name, count in verdict.zeros.items():
            print(f"ok torture: {name} 0" if not count else f"not ok torture: {line}", flush=True)
        enough = events >= EVENTS
        sentence = f"torture: at least {EVENTS} events under kill -9"
        print(f"ok {sentence}" if enough else f"not ok {sentence}: {line}", flush=True)
        stack.keeps = not enough or not verdict.is_clean
        return 1 if stack.keeps else 0


if __name__ == "__main__":
    sys.exit(main())
