"""Load through the wire: badly behaved clients beside a good one, which must not notice.

Three attacks of 3 s, or all of them for 8 s each with LOAD=full; ATTACK_SECONDS sets another
length. One whose answers were late is tried once more: a machine that stood still is not the
product.
SOAK=N instead sends at a fixed rate for N seconds, and asks whether time, memory and descriptors
stay as they were.
"""

import base64
import http.client
import multiprocessing
import os
import re
import resource
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Torture"))

import attacks
from attack import DISCOVERY
from polite import Polite
from project import API_SECRET
from stack import Stack
from watched import Watched

IS_FULL = os.environ.get("LOAD") == "full"
SECONDS = float(os.environ.get("ATTACK_SECONDS", "8" if IS_FULL else "3"))
SOAK = float(os.environ.get("SOAK", "0"))
RATE, P99_MAX_MS = 1_000, 100
# 10,000 connections with a head of 16 KiB each would be 160 MiB, bodies have 64 MiB, the rest is
# the process itself.
RESIDENT_MAX_MIB = 320
DESCRIPTORS_NEEDED = 10_600 if IS_FULL else 900
# What has hurt the good client before, and what is over soon, is part of every run.
SHORT = ("slow_readers", "pipelining", "bombing")
ALL = (
    "silent", "slow_heads", "slow_bodies", *SHORT, "slow_askers", "crowding", "half_closed",
    "guessing", "idle",
)
# Fates that are right for each attack; where nothing is said, any is.
RIGHT = {
    "silent": {"closed"},
    # Who comes when the node is full is not accepted.
    "idle": {"200", "closed", "ConnectionResetError", "BrokenPipeError"},
    "slow_heads": {"408", "closed"},
    "slow_bodies": {"408", "503", "closed"},
    # A server that closes while they send is right, too.
    "slow_readers": {"sent", "stuck"},
    "slow_askers": {"sent", "stuck"},
    "pipelining": {"100 answers"},
    "bombing": {"right"},
    "crowding": {"200", "503", "closed", "ConnectionResetError", "BrokenPipeError"},
    "half_closed": {"whole: 200", "broken: closed", "broken: 400", "broken: 408", "reset"},
    "guessing": {"400", "401", "429", "200"},
}
# And one that must have been met, or the limit is not there.
MET = {
    "silent": "closed", "slow_heads": "408", "slow_bodies": "503", "crowding": "closed",
    "guessing": "429", "idle": "closed",
}


def say(is_right, sentence):
    print(f"{'ok' if is_right else 'not ok'} {sentence}", flush=True)
    return is_right


def requests(stack):
    """Half introspections, half discovery."""
    token = stack.tokens("app")["access_token"]
    basic = base64.b64encode(f"api:{API_SECRET}".encode()).decode()
    body = f"token={token}"
    return [
        f"GET {DISCOVERY} HTTP/1.1\r\nHost: {stack.host}\r\n\r\n".encode(),
        (
            f"POST /oauth2/introspect HTTP/1.1\r\nHost: {stack.host}\r\n"
            f"Authorization: Basic {basic}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        ).encode(),
    ]


def strike(stack, question, name):
    """Runs one attack to its end."""
    mine, other = multiprocessing.Pipe()
    process = multiprocessing.Process(
        target=attacks.run,
        args=(other, stack.port, stack.host, question, name, SECONDS),
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


def failed(failures):
    """Failures by status as a reader wants them."""
    kinds = ", ".join(f"{n} of {status or 'broken'}" for status, n in sorted(failures.items()))
    return f"{sum(failures.values())} failed" + (f" ({kinds})" if kinds else "")


def watch():
    """The good client alone."""
    time.sleep(SECONDS)
    return {}


def judge(name, polite, issuer, seen, is_alive, is_last):
    answers, p99, failures = polite.measure()
    resident = issuer.resident_mib
    wrong = {fate: n for fate, n in seen.items() if fate not in RIGHT.get(name, seen)}
    if MET.get(name, name) not in {name, *seen}:
        wrong[f"no {MET[name]}"] = 1
    right = is_alive and not failures and not wrong and resident < RESIDENT_MAX_MIB
    fine = right and p99 < P99_MAX_MS
    fates = ", ".join(f"{n} {fate}" for fate, n in sorted(seen.items()))
    sentence = (
        f"{name}: p99 {p99:.0f} ms of {answers} requests, {failed(failures)}, "
        f"{resident:.0f} MiB resident; {fates or 'nobody else'}"
        + ("" if is_alive else "; the issuer has ended")
        + (f"; wrong: {wrong}" if wrong else "")
    )
    if fine or is_last or not right:
        return say(fine, sentence)
    print(f"# once more: {sentence}", flush=True)
    return None


def settled(issuer, before):
    """Whether descriptors go back to what they were."""
    end = time.monotonic() + 75
    while issuer.descriptors > before + 50 and time.monotonic() < end:
        time.sleep(0.5)
    now = issuer.descriptors
    return say(now <= before + 50, f"afterwards {now} descriptors, {before} before")


def besiege(stack):
    child = stack.processes["token-issuer"].child
    issuer = Watched(child.pid)
    fine = True
    asked = requests(stack)
    with Polite(stack.port, asked, RATE) as polite:
        time.sleep(3)
        polite.measure()
        before = issuer.descriptors
        for name in ("quiet", *(ALL if IS_FULL else SHORT)):
            verdict = None
            for is_last in (False, True):
                seen = watch() if name == "quiet" else strike(stack, asked[1], name)
                verdict = judge(name, polite, issuer, seen, child.poll() is None, is_last)
                if verdict is not None:
                    break
            fine &= verdict
        fine &= settled(issuer, before)
    return fine


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
            except (OSError, http.client.HTTPException) as error:
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


def soak(stack):
    issuer = Watched(stack.processes["token-issuer"].child.pid)
    samples = []
    refresher = Refresher(stack)
    refresher.start()
    with Polite(stack.port, requests(stack), RATE) as polite:
        time.sleep(min(30, SOAK / 4))
        polite.measure()
        begin = time.monotonic()
        while time.monotonic() < begin + SOAK:
            time.sleep(min(10, SOAK / 12))
            answers, p99, failures = polite.measure()
            count = sum(failures.values())
            load = os.getloadavg()[0]
            samples.append((p99, issuer.resident_mib, issuer.descriptors, count, load))
            print(
                f"{time.monotonic() - begin:.0f} s: {answers} requests, p99 {p99:.1f} ms, "
                f"{failed(failures)}, {samples[-1][1]:.0f} MiB, {samples[-1][2]} descriptors, "
                f"load average {load:.1f}",
                flush=True,
            )
    refresher.stop.set()
    refresher.join()
    part = max(1, len(samples) // 3)
    median = lambda rows, column: sorted(row[column] for row in rows)[len(rows) // 2]
    first, last = samples[:part], samples[-part:]
    fine = True
    for column, name, more in ((0, "p99 ms", 10), (1, "MiB resident", 8), (2, "descriptors", 20)):
        a, b = median(first, column), median(last, column)
        sentence = f"soak: {name} {a:.0f} in the first third, {b:.0f} in the last"
        fine &= say(b <= a * 1.1 + more, sentence)
    # Late answers on a machine that others have filled say nothing of the issuer.
    print(f"the load average lay between {min(r[4] for r in samples):.1f} and "
          f"{max(r[4] for r in samples):.1f}", flush=True)
    polite_failures = sum(row[3] for row in samples)
    return say(
        polite_failures + refresher.failures == 0 and refresher.count > SOAK,
        f"soak: {polite_failures} requests failed in {SOAK:.0f} s, and {refresher.failures} "
        f"of {refresher.count} refreshes",
    ) and fine


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < DESCRIPTORS_NEEDED:
        print(f"not ok load: {hard} descriptors a process, {DESCRIPTORS_NEEDED} are needed: "
              "raise the limit (ulimit -Hn)")
        return 1
    stack = Stack("load")
    with stack:
        fine = soak(stack) if SOAK else besiege(stack)
        stack.keeps = not fine
    if not fine:
        print(f"logs: {stack.folder}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
