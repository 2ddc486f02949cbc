"""Faults while the load runs: drawn from the seed, one after the other as the log grows."""

import os
import random
import signal
import subprocess
import threading
import time

RELAYS = ["event-relay", "event-relay-2"]
ISSUERS = ["token-issuer", "token-issuer-2"]
PROJECTORS = ["revocation-projector", "revocation-projector-2"]
# How often each, at 10^6 events (security.md 14).
FULL = {
    "kill relay": 60, "kill issuer": 40, "kill projector": 40, "kill kafka": 20,
    "crash primary": 5, "promote standby": 5, "stop": 20, "cut": 20, "open transaction": 5,
}
# Between two faults: else a short run would be one long outage.
GAP_SECONDS = 2


class Faults:
    """A plan of words, taken one by one; `step` events lie between them."""

    def __init__(self, stack, seed, plan, events):
        self.stack, self.drawn = stack, random.Random(f"{seed}/faults")
        self.plan, self.count, self.threads = list(plan), 0, []
        self.drawn.shuffle(self.plan)
        self.step = events // (len(self.plan) + 1)
        self.last = 0

    def run(self, events):
        """Does what is due."""
        while (self.plan and events >= self.step * (self.count + 1)
               and time.monotonic() >= self.last + self.gap):
            word = self.plan.pop()
            self.count += 1
            print(f"  {events} events: {self.do(word)}", flush=True)
            self.last = time.monotonic()

    @property
    def is_done(self):
        return not self.plan

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
            pid = (self.stack.folder / "postgres/data/postmaster.pid").read_text()
            os.kill(int(pid.splitlines()[0]), signal.SIGKILL)
        else:
            restart(self.stack.processes[name])
        return f"kill -9 {name}"


class FullFaults(Faults):
    """Everything of the list, as often as the volume asks; each at least once."""

    gap = GAP_SECONDS

    def __init__(self, stack, seed, events):
        plan = [
            word for word, count in FULL.items()
            for _ in range(max(1, round(count * events / 1_000_000)))
        ]
        super().__init__(stack, seed, plan, events)

    def do(self, word):
        return getattr(self, word.replace(" ", "_"))()

    def kill(self, names):
        name = self.drawn.choice(names)
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
        name = self.drawn.choice(RELAYS + ISSUERS + PROJECTORS)
        seconds = self.drawn.uniform(1, 5)
        child = self.stack.processes[name].child
        child.send_signal(signal.SIGSTOP)
        self.later(seconds, child.send_signal, signal.SIGCONT)
        return f"{name} stopped for {seconds:.1f} s"

    def cut(self):
        name = self.drawn.choice(["kafka", *RELAYS, *ISSUERS, *PROJECTORS])
        direction, resets = self.drawn.choice(["there", "back"]), self.drawn.random() < 0.5
        seconds = self.drawn.uniform(1, 5)
        self.stack.network.cut(name, direction, seconds, resets)
        end = ", then reset" if resets else ""
        return f"network of {name} cut {direction} for {seconds:.1f} s{end}"

    def open_transaction(self):
        """Nothing above it may be published while it is open."""
        child = subprocess.Popen(
            ["psql", "-XAtqc", "BEGIN; SELECT pg_current_xact_id(), pg_sleep(10); COMMIT",
             self.stack.database],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.later(0, child.wait)
        return "a write transaction stays open for 10 s"

    def later(self, seconds, action, *arguments):
        thread = threading.Thread(
            target=lambda: (time.sleep(seconds), action(*arguments)), daemon=True)
        thread.start()
        self.threads.append(thread)


def restart(process):
    process.kill()
    process.start()
