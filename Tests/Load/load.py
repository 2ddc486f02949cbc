"""Load through the wire: badly behaved clients beside a good one, which must not notice.

Three attacks of 3 s, or all of them for 8 s each with LOAD=full; ATTACK_SECONDS sets another
length. One whose answers were late is tried once more: a machine that stood still is not the
product.
SOAK=N instead sends at a fixed rate for N seconds, and asks whether time, memory and descriptors
stay as they were.
"""

import collections
import multiprocessing
import os
import re
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Torture"))

import attacks
import bombs
import feeds
import floods
from polite import Polite
from questions import Questions
from soak import soak
from stack import Stack
from verdict import say
from watched import Watched
from wire import Node

IS_FULL = os.environ.get("LOAD") == "full"
SECONDS = float(os.environ.get("ATTACK_SECONDS", "8" if IS_FULL else "3"))
SOAK = float(os.environ.get("SOAK", "0"))
RATE, P99_MAX_MS = 1_000, 100
# At most, during an attack: the short form takes 38, the full one 68. A connection may have a head
# of 16 KiB, and all bodies 64 MiB.
MIB_MAX = 192 if IS_FULL else 96
DESCRIPTORS_NEEDED = 10_600 if IS_FULL else 900
# The good client alone, before the attacks and when all of their connections are gone.
BEFORE, AFTER = "quiet", "afterwards"
# What has hurt the good client before, and what is over soon, is part of every run.
SHORT = ("slow_readers", "pipelining", "bombing")
ALL = (
    "silent", "slow_heads", "slow_bodies", *SHORT, "slow_askers", "crowding", "half_closed",
    "guessing", "flooding", "idle", "feed_readers",
)
# What must be there before it, which is no part of it.
PREPARED = {"feed_readers": feeds.prepare}
# What becomes of those who are too many.
REFUSED = ("closed", "ConnectionResetError", "BrokenPipeError")
# Fates that are right for each attack.
RIGHT = {
    "silent": {"closed"},
    # Who has waited longest when the node is full is closed.
    "idle": {"200", "closed", "again: 200", "late"},
    "slow_heads": {"408", "closed"},
    "slow_bodies": {"408", "closed"},
    # A server that closes while they send is right, too.
    "slow_readers": {"sent", "stuck", "cut off"},
    "slow_askers": {"sent", "stuck", "cut off"},
    "pipelining": {"100 answers"},
    "bombing": bombs.NAMES,
    "crowding": {"200", *REFUSED},
    "half_closed": {"whole: 200", "broken: closed", "broken: 400", "broken: 408", "reset"},
    # Nobody is kept from logging out by tokens that are looked for nowhere.
    "guessing": {
        "refresh: 400", "refresh: 429", "secret: 401", "secret: 429", "revoke: 200", "revoke: 429",
    },
    "flooding": floods.RIGHT, "feed_readers": {"arrived"},
}
# And those that must have been met, or the limit is not there.
MET = {
    "silent": {"closed"}, "slow_heads": {"408"}, "slow_bodies": {"408"},
    "slow_readers": {"cut off"}, "slow_askers": {"cut off"}, "crowding": {"200", "closed"},
    "guessing": {"refresh: 429", "secret: 429", "revoke: 200", "revoke: 429"},
    "idle": {"200", "closed"},
    "pipelining": {"100 answers"}, "bombing": bombs.NAMES, "half_closed": {"whole: 200", "reset"},
    "flooding": floods.MET, "feed_readers": {"arrived"},
}
# Which bound it was, as the metrics call it, of each attack whose fates do not say so; and the fate
# that it counts at least as often.
COUNTED = {
    "crowding": {"address": "closed"},
    "guessing": {"failed_request": "refresh: 429", "failed_client_authentication": "secret: 429"},
    "idle": {"connections": "closed"},
    "flooding": dict.fromkeys(bound for bound, _ in floods.BOUNDS.values()),
}


def strike(stack, question, name):
    """Runs one attack to its end."""
    mine, other = multiprocessing.Pipe()
    process = multiprocessing.Process(
        target=attacks.run,
        args=(other, stack, question, name, SECONDS),
        daemon=True,
    )
    process.start()
    other.close()
    try:
        return mine.recv() if mine.poll(SECONDS + 90) else {"no end": 1}
    except EOFError:
        return {"the attack failed": 1}
    finally:
        process.kill()
        process.join()


class Limited(Stack):
    """Its rates are met by few."""

    def environment(self, name):
        return floods.LIMITS if name.startswith("token-issuer") else {}


class Siege:
    """A good client, and in turn those who are none."""

    def __init__(self, stack, polite, questions):
        self.stack, self.polite, self.questions = stack, polite, questions
        self.process = stack.processes["token-issuer"]
        self.issuer = Watched(self.process.child.pid)
        self.descriptors = None

    def run(self):
        time.sleep(3)
        self.polite.measure()
        self.descriptors = self.issuer.descriptors
        fine = True
        for name in (BEFORE, *(ALL if IS_FULL else SHORT), AFTER):
            if name == AFTER:
                fine &= self.is_settled()
            fine &= self.endure(name)
            if not self.is_alive:
                return False
        return fine

    @property
    def is_alive(self):
        return self.process.child.poll() is None

    def endure(self, name):
        """Whether the good client did not notice, at the second try at the latest."""
        for is_last in (False, True):
            if questions := self.questions.renewed():
                self.polite.ask(questions)
            verdict = self.judge(name, self.attempt(name), is_last)
            if verdict is not None:
                return verdict

    def attempt(self, name):
        """What they saw who are not good."""
        if name in PREPARED:
            PREPARED[name](self.stack)
            self.polite.measure()
        self.issuer.forget_peak()
        if name in (BEFORE, AFTER):
            time.sleep(SECONDS)
            return {}
        before = self.refused()
        seen = strike(self.stack, self.questions.introspection, name)
        # What the node has to do when they leave is part of it.
        self.settle(10)
        after = self.refused()
        for bound, fate in COUNTED.get(name, {}).items():
            if after[bound] - before[bound] < max(1, seen.get(fate, 0)):
                seen[f"not by the bound {bound}"] = 1
        return seen

    def judge(self, name, seen, is_last):
        """None when it is to be tried again."""
        fare, peak, is_alive = self.polite.measure(), self.issuer.peak_mib, self.is_alive
        wrong = {fate: n for fate, n in seen.items() if fate not in RIGHT[name]}
        wrong |= {f"no {fate}": 1 for fate in MET.get(name, set()) - seen.keys()}
        # An answer that is missing while all others come in time was lost by nobody's slowness.
        is_lost = fare.owed and fare.p99 < P99_MAX_MS
        right = is_alive and not (fare.failures or wrong or is_lost) and peak < MIB_MAX
        fine = right and not fare.owed and fare.p99 < P99_MAX_MS
        fates = ", ".join(f"{n} {fate}" for fate, n in sorted(seen.items()))
        sentence = (
            f"{name}: {fare.words}, at most {peak:.0f} MiB; {fates or 'nobody else'}"
            + ("" if is_alive else "; the issuer has ended")
            + (f"; wrong: {wrong}" if wrong else "")
        )
        if fine or is_last or not right:
            return say(fine, sentence)
        print(f"# once more: {sentence}", flush=True)
        return None

    def refused(self):
        """How often each bound has refused somebody so far."""
        counts = collections.Counter()
        try:
            text = Node(self.process.admin_port, "localhost").send("GET", "/metrics").text
        except OSError:
            return counts
        for family, label in (("limit_hits", "limit"), ("http_shed", "reason")):
            line = rf'^chancery_{family}_total{{.*\b{label}="(\w+)".*}} (\d+)'
            for bound, count in re.findall(line, text, re.MULTILINE):
                counts[bound] += int(count)
        return counts

    def settle(self, seconds):
        """Waits until descriptors have gone back to what they were; answers how many there are."""
        end = time.monotonic() + seconds
        while True:
            try:
                now = self.issuer.descriptors
            except OSError:
                return 0  # It has ended.
            if now <= self.descriptors + 50 or time.monotonic() > end:
                return now
            time.sleep(0.1)

    def is_settled(self):
        now = self.settle(75)
        sentence = f"afterwards {now} descriptors, {self.descriptors} before"
        return say(now <= self.descriptors + 50, sentence)


def besiege(stack):
    questions = Questions(stack)
    with Polite(stack.port, questions.all, RATE) as polite:
        return Siege(stack, polite, questions).run()


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < DESCRIPTORS_NEEDED:
        print(f"not ok load: {hard} descriptors a process, {DESCRIPTORS_NEEDED} are needed: "
              "raise the limit (ulimit -Hn)")
        return 1
    stack = (Stack if SOAK else Limited)("load")
    with stack:
        fine = soak(stack, SOAK, RATE, P99_MAX_MS) if SOAK else besiege(stack)
        stack.keeps = not fine
    if not fine:
        print(f"logs: {stack.folder}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
