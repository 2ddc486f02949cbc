"""Faults while the load runs: drawn from the seed, one after the other as the log grows."""

import os
import random
import signal
import threading
import time
from pathlib import Path

from children import is_stopped
from progress import say

RELAYS = ["event-relay", "event-relay-2"]
ISSUERS = ["token-issuer", "token-issuer-2"]
PROJECTORS = ["revocation-projector", "revocation-projector-2"]
# How often each, at 10^6 events (Security 14).
FULL = {
    "kill relay": 60, "kill issuer": 40, "kill projector": 40, "kill kafka": 20,
    "crash primary": 5, "promote standby": 5, "stop": 20, "cut": 20, "open transaction": 5,
}
# Between two faults: else a short run would be one long outage.
GAP_SECONDS = 2
# What was killed is gone within this.
STRIKE_SECONDS = 5


class Faults:
    """A plan of words, taken one by one; `step` events lie between them.

    A fault counts when it has struck. One that has not, or not for its time, is due again.
    """

    def __init__(self, stack, seed, plan, events):
        self.stack, self.drawn = stack, random.Random(f"{seed}/faults")
        self.plan, self.count, self.threads, self.again = list(plan), 0, [], []
        self.drawn.shuffle(self.plan)
        self.step = events // (len(self.plan) + 1)
        self.last = 0

    def run(self, events):
        """Does what is due."""
        while self.again:
            self.plan.insert(0, self.again.pop())
            self.count -= 1
            self.last = time.monotonic() + GAP_SECONDS
        while (self.plan and events >= self.step * (self.count + 1)
               and time.monotonic() >= self.last + self.gap):
            word = self.plan.pop()
            self.count += 1
            say(f"{events} events: {self.do(word)}")
            self.last = time.monotonic()

    def missed(self, word):
        say(f"{word}: it did not strike")
        self.again.append(word)

    def later(self, word, action):
        """Does it meanwhile; it answers whether the fault of this word struck."""

        def act():
            struck = False
            try:
                struck = action()
            finally:
                if not struck:
                    self.missed(word)

        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        self.threads.append(thread)

    @property
    def is_done(self):
        is_under_way = any(thread.is_alive() for thread in self.threads)
        return not is_under_way and not self.again and not self.plan

    def wait(self):
        """Until what lasts a while is over."""
        for thread in self.threads:
            thread.join(60)


class ShortFaults(Faults):
    """SIGKILL, of our processes and of PostgreSQL; `chancery dev` starts that again."""

    gap = 0

    def __init__(self, stack, seed, events):
        names = ["token-issuer", "token-issuer-2", "event-relay", "revocation-projector"]
        super().__init__(stack, seed, [*names, "postgres"] * 2, events)

    def do(self, name):
        if name == "postgres":
            self.later(name, self.kill_postgres)
        else:
            restart(self.stack.processes[name])
        return f"kill -9 {name}"

    def kill_postgres(self):
        """Whether one was there that is not there any more."""
        try:
            file = self.stack.folder / "postgres/data/postmaster.pid"
            number = int(file.read_text().splitlines()[0])
            os.kill(number, signal.SIGKILL)
        except (OSError, LookupError, ValueError):
            return False  # It starts just now.
        deadline = time.monotonic() + STRIKE_SECONDS
        while Path(f"/proc/{number}").exists():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


class FullFaults(Faults):
    """Everything of the list, as often as the volume asks; each at least once."""

    gap = GAP_SECONDS

    def __init__(self, stack, seed, events):
        plan = [
            word for word, count in FULL.items()
            for _ in range(max(1, round(count * events / 1_000_000)))
        ]
        super().__init__(stack, seed, plan, events)
        self.stopped = set()

    def do(self, word):
        return getattr(self, word.replace(" ", "_"))()

    def kill(self, names):
        name = self.running(names)
        restart(self.stack.processes[name])
        return f"kill -9 {name}"

    def kill_relay(self):
        return self.kill(RELAYS)

    def kill_issuer(self):
        return self.kill(ISSUERS)

    def kill_projector(self):
        return self.kill(PROJECTORS)

    def kill_kafka(self):
        self.stack.broker.kill()
        time.sleep(self.drawn.random() * 2)
        self.stack.broker.start()
        return "kill -9 Kafka"

    def crash_primary(self):
        self.stack.pair.crash()
        return "kill -9 PostgreSQL"

    def promote_standby(self):
        # Otherwise an acknowledged commit could be on the dead one alone: that is no fault of ours.
        self.stack.pair.wait_until_safe()
        self.stack.pair.promote()
        self.stack.follow()
        self.stack.pair.attach()
        return "kill -9 PostgreSQL, its standby promoted"

    def stop(self):
        name = self.running(RELAYS + ISSUERS + PROJECTORS)
        seconds = self.drawn.uniform(1, 5)
        self.later("stop", lambda: self.hold(name, seconds))
        return f"{name} stopped for {seconds:.1f} s"

    def hold(self, name, seconds):
        child = self.stack.processes[name].child
        self.stopped.add(name)
        child.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        struck = is_stopped(child)
        child.send_signal(signal.SIGCONT)
        self.stopped.discard(name)
        return struck

    def running(self, names):
        """One that is not stopped: a kill would cut the stop short."""
        return self.drawn.choice([name for name in names if name not in self.stopped] or names)

    def cut(self):
        name = self.drawn.choice(["kafka", *RELAYS, *ISSUERS, *PROJECTORS])
        direction, resets = self.drawn.choice(["there", "back"]), self.drawn.random() < 0.5
        seconds = self.drawn.uniform(1, 5)
        number = self.stack.network.cut(name, direction, seconds, resets)
        self.later("cut", lambda: self.stack.network.has_held(number))
        end = ", then reset" if resets else ""
        return f"network of {name} cut {direction} for {seconds:.1f} s{end}"

    def open_transaction(self):
        """Nothing above it may be published while it is open."""
        self.later("open transaction", self.hold_transaction)
        return "a write transaction stays open for 10 s"

    def hold_transaction(self):
        statement = "BEGIN; SELECT pg_current_xact_id(), pg_sleep(10); COMMIT"
        try:
            return bool(self.stack.rows(statement))
        except RuntimeError:
            return False  # PostgreSQL was away, or went.


def restart(process):
    process.kill()
    process.start()
