"""The good client alone, for an hour: what is as it should be stays so."""

import os
import threading
import time

from polite import Polite
from questions import Questions
from verdict import say
from watched import Watched

# They do what the issuers have written, all the while.
FOLLOWERS = ("event-relay", "revocation-projector")
# What each process has at most: none has anything to catch up with.
MIB_MAX = 128
# How long they may take with what is left when nobody asks any more.
LEVEL_SECONDS = 30
# Events that the relay has not numbered, and numbers that the projector has not read.
BEHIND = """
SELECT (SELECT count(*) FROM es.events e WHERE NOT EXISTS
    (SELECT FROM es.ledger l WHERE l.stream_id = e.stream_id AND l.version = e.version))
  + (SELECT count(*) FROM es.ledger WHERE log_index >
    (SELECT coalesce(max(frontier), -1) FROM revocation.progress))
"""


class Refresher(threading.Thread):
    """Sessions that are refreshed in turn, twenty times a second in all."""

    def __init__(self, stack):
        super().__init__(daemon=True)
        self.node, self.stop = stack.node(0), threading.Event()
        self.tokens = [stack.tokens("app")["refresh_token"] for _ in range(8)]
        self.count, self.failures = 0, 0

    def run(self):
        while not self.stop.wait(0.05):
            place = self.count % len(self.tokens)
            self.count += 1
            form = {"grant_type": "refresh_token", "client_id": "app"}
            try:
                answer = self.node.token(**form, refresh_token=self.tokens[place])
            except OSError as error:
                # A thread that ended would leave the rest of the hour untold.
                self.fail(error)
                continue
            if answer.status == 200:
                self.tokens[place] = answer.json["refresh_token"]
            else:
                self.fail(answer.status)

    def fail(self, fate):
        self.failures += 1
        print(f"# a refresh failed at {time.strftime('%H:%M:%S')}: {fate}", flush=True)


class Sample:
    """How everybody fares at one moment."""

    def __init__(self, fare, watched):
        self.fare, self.load = fare, os.getloadavg()[0]
        self.mib = {name: one.resident_mib for name, one in watched.items()}
        self.descriptors = {name: one.descriptors for name, one in watched.items()}

    @property
    def words(self):
        processes = ", ".join(
            f"{name} {mib:.0f} MiB {self.descriptors[name]} descriptors"
            for name, mib in self.mib.items())
        return f"{self.fare.words}; {processes}; load average {self.load:.1f}"


def soak(stack, seconds, rate, p99_max_ms):
    for name in FOLLOWERS:
        stack.begin(name)
    watched = {name: Watched(one.child.pid) for name, one in stack.processes.items()}
    questions, refresher, samples = Questions(stack), Refresher(stack), []
    refresher.start()
    with Polite(stack.port, questions.all, rate) as polite:
        time.sleep(min(30, seconds / 4))
        polite.measure()
        for one in watched.values():
            one.forget_peak()
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            time.sleep(min(10, seconds / 12))
            if asked := questions.renewed():
                polite.ask(asked)
            fare = polite.measure()
            ended = [n for n, one in stack.processes.items() if one.child.poll() is not None]
            if ended:
                return say(False, f"soak: {', '.join(ended)} ended; {fare.words}")
            samples.append(Sample(fare, watched))
            print(f"{time.monotonic() - begin:.0f} s: {samples[-1].words}", flush=True)
    refresher.stop.set()
    refresher.join()
    # Late answers on a machine that others have filled say nothing of the issuer.
    print(f"the load average lay between {min(one.load for one in samples):.1f} and "
          f"{max(one.load for one in samples):.1f}", flush=True)
    peaks = {name: one.peak_mib for name, one in watched.items()}
    return all([
        is_flat("p99 ms", 10, [one.fare.p99 for one in samples]),
        is_in_time([one.fare.p99 for one in samples], p99_max_ms),
        *(is_flat(f"MiB resident of {name}", 8, [one.mib[name] for one in samples])
          for name in watched),
        *(is_flat(f"descriptors of {name}", 20, [one.descriptors[name] for one in samples])
          for name in watched),
        say(max(peaks.values()) < MIB_MAX, "soak: at most " + ", ".join(
            f"{mib:.0f} MiB of {name}" for name, mib in peaks.items())),
        is_level(stack),
        is_whole([one.fare for one in samples], refresher, seconds),
    ])


def is_flat(name, more, numbers):
    """Whether the last third is as the first, but for a tenth and so much more."""
    part = max(1, len(numbers) // 3)
    first, last = (sorted(some)[part // 2] for some in (numbers[:part], numbers[-part:]))
    sentence = f"soak: {name} {first:.0f} in the first third, {last:.0f} in the last"
    return say(last <= first * 1.1 + more, sentence)


def is_in_time(numbers, most):
    """Whether nine stretches of ten are; a machine may stand still now and then."""
    ninth = sorted(numbers)[int((len(numbers) - 1) * 0.9)]
    return say(ninth < most, f"soak: p99 {ninth:.0f} ms or less nine times of ten")


def is_level(stack):
    """Whether those that follow have done what there was to do."""
    end = time.monotonic() + LEVEL_SECONDS
    while (behind := stack.number(BEHIND)) and time.monotonic() < end:
        time.sleep(0.5)
    return say(behind == 0, f"soak: {' and '.join(FOLLOWERS)} are behind by {behind}")


def is_whole(fares, refresher, seconds):
    failed, owed = sum(one.failed for one in fares), sum(one.owed for one in fares)
    return say(
        failed + owed + refresher.failures == 0 and refresher.count > seconds,
        f"soak: {failed} requests failed in {seconds:.0f} s, {owed} were never answered, and "
        f"{refresher.failures} of {refresher.count} refreshes failed",
    )
