"""The torture test: load at two nodes while everything that can fail fails.

The short form kills processes and PostgreSQL on the stack of `chancery dev`. The full form
(TORTURE=full) has a synchronous standby, two of each process and a network that is cut; then the
disk is full, clocks are wrong and Kafka's log is gone. Every acknowledged outcome must be in
PostgreSQL, on Kafka once by log index and in order, and in the read model. EVENTS is how many
events the load makes at least; SEED draws it.
"""

import os
import signal
import sys
import time
from collections import Counter

import proofs
import topics
from faults import FullFaults, ShortFaults
from feed import Feed
from level import Level
from load import Load
from progress import say
from rotation import rotate
from stack import Stack
from watched import Largest
from world import PROCESSES, World

IS_FULL = os.environ.get("TORTURE") == "full"
EVENTS = int(os.environ.get("EVENTS", "1000000" if IS_FULL else "50000"))
SEED = int(os.environ.get("SEED", str(int(time.time()))))
LOADERS, CLIENTS = 2, 32 if IS_FULL else 16
SECONDS_MAX = 7200 if IS_FULL else 1200
# Everything is ready, published and projected within this after the last fault.
LEVEL_SECONDS = 60
# Clocks are wrong by this for the apart; a server far off must refuse rather than decide wrongly.
CLOCK_STEP_SECONDS = 7200
# What is apart is seen to have struck within this.
STRIKE_SECONDS = 15
# A load that goes on makes so many at least, and this part of the volume before a fault of its own
# kind and after it.
EVENTS_APART, APART = 200, 200
LARGEST = Largest()
COMMITTED = "SELECT count(*) FROM es.events"
# A process that starts, or does at once what it missed, has less than 192 MiB (a relay had 119,
# and 30 again when it was level). Each event of the run leaves less than 1 KiB, in the states that
# the cache keeps. That ends at 256 MiB (Architecture 8), and bodies may have 64 more
# (Security 7.2).
START_MIB, EVENT_KIB, MIB_MAX = 192, 1, 192 + 256 + 64
# A node without clients has less than 64. A person has two connections to it, a browser, and
# where the link is opened; and it is an operator now and then.
IDLE_DESCRIPTORS, PERSON_DESCRIPTORS = 64, 5
# Each must have happened, or the load did nothing: one in so many events.
KINDS = (
    "code", "refresh", "DPoP refresh", "client credentials", "device key", "app2app",
    "app2app-request", "biometric setup", "biometric authenticate",
    "biometric authenticate_app2app", "biometric removal", "native SSO", "URL token", "URL",
    "id-token", "pushed request", "request URI", "app-session token", "app session", "challenge",
    "introspect", "revoke", "revoke of a mate", "revoke of an access token",
    "revoke of a device secret", "cascade", "refresh reuse", "code replay", "late code replay",
    "single sign-on", "known address", "silent sign-in", "logout", "session end", "disable",
    "enable", "erase", "document", "document applied",
)
KIND_EVENTS = 2_000
# Of refreshes one in ten comes again; not all that do are compared.
REFRESHES_A_RETRY = 30
# A sentence that does not hold says so many of the things that contradict it.
WHY_MAX = 3
# What most often ended the lives of people early is said, too.
GIVEN_UP_MAX = 8


def grown(stack):
    """How many positions were drawn; None while PostgreSQL is away."""
    try:
        return stack.number("SELECT last_value FROM es.events_position_seq")
    except RuntimeError:
        return None


def watch(stack, goal, faults=None, seconds=SECONDS_MAX):
    """Until the log has grown to `goal` and the faults are through; looks at the processes.

    Answers whether that came in time.
    """
    deadline, said = time.monotonic() + seconds, grown(stack) or 0
    while time.monotonic() < deadline:
        LARGEST.look(stack.processes.values())
        events = grown(stack)
        if events is not None:
            if faults:
                faults.run(events)
            if events >= goal and (not faults or faults.is_done):
                return True
            if events - said >= EVENTS // 10:
                said = events
                say(f"{events} events")
        time.sleep(0.3)
    return False


def watch_all(stack, faults):
    """As `watch`, until `EVENTS` are committed: some positions are drawn in vain."""
    goal = EVENTS
    while watch(stack, goal, faults):
        try:
            lacking = EVENTS - stack.number(COMMITTED)
        except RuntimeError:
            lacking = 1  # PostgreSQL is away.
        if lacking <= 0:
            return
        goal = (grown(stack) or goal) + lacking


def apart(stack, name, spoil, has_struck, mend=lambda: None, tolerant=False):
    """One fault of its own kind, under a load of its own; answers what people were told."""
    say(f"apart: {name}")
    start = grown(stack)
    load = Load(stack, f"{SEED}-{name.replace(' ', '-')}", 1, CLIENTS, tolerant)
    some = max(EVENTS_APART, EVENTS // APART)
    goes_on = goes_on_until(stack, start, some, 120)
    spoil()
    struck = wait_until(has_struck, STRIKE_SECONDS)
    time.sleep(5)
    mend()
    goes_on &= goes_on_until(stack, grown(stack) or start, some, 180)
    told = load.end()
    for sentence, holds in ((f"level within {LEVEL_SECONDS} s after", heal(stack)),
                            ("it struck", struck), ("the load goes on before and after", goes_on)):
        if not holds:
            print(f"not ok torture: {sentence}: {name}", flush=True)
            raise SystemExit(1)
    return told


def goes_on_until(stack, start, some, seconds):
    """Whether the log grows from `start` on, for `some` events or so long."""
    return watch(stack, start + some, seconds=seconds) or (
        (grown(stack) or 0) >= start + EVENTS_APART)


def wait_until(predicate, seconds):
    deadline = time.monotonic() + seconds
    while not (holds := predicate()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return holds


def prove_former(world):
    """What the events' topic shows, as the faults have left it: its cluster is replaced next."""
    quiet(world)
    found, repeated = topics.prove_events(world)
    say(f"{repeated} records came again on Kafka before its log was gone")
    for name, process in world.processes.items():
        if name.startswith("token-issuer"):
            process.start()
    if not heal(world):
        raise RuntimeError("it is not level after its topic was read")
    return found


def all_apart(world, wrong, found):
    node, clock = world.processes["token-issuer-2"], world.clocks["token-issuer-2"]
    told = apart(world, "the disk is full", lambda: world.disk.order(disk_is_full=True),
                 lambda: not world.pair.primary.is_ready(), world.free_the_disk)
    for seconds in (CLOCK_STEP_SECONDS, -CLOCK_STEP_SECONDS):
        told += apart(world, f"a node's clock is wrong by {seconds} s",
                      lambda: clock.order(clock_seconds=seconds), node.is_unready,
                      clock.order, tolerant=True)
    # Whoever has a token of the former key is refused, rightly.
    told += apart(world, "the signing key is given up", lambda: wrong.extend(rotate(world)),
                  lambda: True, tolerant=True)
    found.append(prove_former(world))
    former = topics.cluster(world)
    return told + apart(world, "Kafka's log is gone", world.wipe_kafka,
                        lambda: topics.cluster(world) != former)


def heal(stack):
    """Whether everything is up again by itself and level, all of it within `LEVEL_SECONDS`."""
    start = time.monotonic()
    try:
        for name, process in stack.processes.items():
            process.wait_until(
                "/livez" if name.startswith(proofs.STANDBYS) else "/readyz",
                start + LEVEL_SECONDS - time.monotonic())
        lag = stack.level.wait(start + LEVEL_SECONDS - time.monotonic())
        end = time.monotonic() if lag else stack.level.since
    except RuntimeError as error:
        lag, end = str(error), time.monotonic()
    say(f"after {end - start:.1f} s " + (f"not level: {lag}" if lag else "level"))
    return not lag


def quiet(stack):
    """Nobody writes any more (an issuer sends mails long after); all of it is published."""
    stack.stop_all("token-issuer")
    stack.level.wait(LEVEL_SECONDS)


def is_bounded(events):
    mib = min(MIB_MAX, START_MIB + events * EVENT_KIB / 1024)
    descriptors = IDLE_DESCRIPTORS + PERSON_DESCRIPTORS * LOADERS * CLIENTS
    return LARGEST.samples and (
        max(LARGEST.mib.values()) < mib and max(LARGEST.descriptors.values()) < descriptors)


def judged(told, verdict, events, done):
    """What must hold of what people were told and of what the log has."""
    sentences = {f"{name} 0": not count for name, count in verdict.zeros.items()}
    sentences["the read model is made anew"] = verdict.is_rebuilt
    asked, unanswered = (sum(getattr(one, n) for one in told) for n in ("asked", "unanswered"))
    sentences["nine of ten ended sessions were asked for at each node"] = unanswered * 10 <= asked
    floor = max(1, EVENTS // KIND_EVENTS)
    sentences[f"each kind of request was acknowledged at least {floor} times"] = all(
        done[kind] >= floor for kind in KINDS)
    retried = sum(one.retried for one in told)
    sentences[f"one refresh in {REFRESHES_A_RETRY} came again, with the same successor"] = (
        retried * REFRESHES_A_RETRY >= done["refresh"])
    sentences["each request has its line in the history"] = verdict.requests >= done.total()
    sentences["memory and descriptors are bounded"] = is_bounded(events)
    return sentences


def report(stack, told, feed, faults, found, more):
    proofs.wait_until_cascaded(stack, told, LEVEL_SECONDS)
    stack.level.wait(LEVEL_SECONDS)
    reader = feed.end()
    quiet(stack)
    verdict = proofs.Verdict(stack, told, reader).reach()
    for one in found:
        verdict.take(one)
    events = stack.number(COMMITTED)
    unknown = sum(one.unknown for one in told)
    line = (f"events {events} acked {verdict.acked} unknown {unknown} {verdict.text}"
            f" faults {faults} seed {SEED}")
    for words in verdict.words:
        print(f"  {words}", flush=True)
    print(f"  {verdict.repeated} records came again on Kafka,"
          f" {len(reader.indices)} revocations in {reader.pages} pages of the feed", flush=True)
    done = sum((one.done for one in told), Counter())
    tally = ", ".join(f"{count} {kind}" for kind, count in sorted(done.items()))
    print(f"  {verdict.requests} requests, acknowledged: {tally}", flush=True)
    given_up = sum((one.given_up for one in told), Counter())
    for words, count in given_up.most_common(GIVEN_UP_MAX):
        print(f"  {count} lives ended early: {words}", flush=True)
    print(f"  at most {LARGEST.text}", flush=True)
    print(line, flush=True)
    sentences = judged(told, verdict, events, done) | more
    for sentence, holds in sentences.items():
        # Whoever sees this line alone sees what contradicts it, too.
        why = [words for words in verdict.words if words.startswith(sentence.removesuffix("0"))]
        print(f"ok torture: {sentence}" if holds else
              f"not ok torture: {sentence}: {'; '.join((*why[:WHY_MAX], line))}", flush=True)
    return all(sentences.values())


MAIN = os.getpid()


def terminated(number, _):
    """As after Ctrl-C: what was started ends with it. A child of ours has started nothing."""
    if os.getpid() != MAIN:
        os._exit(128 + number)
    sys.exit(128 + number)


def main():
    signal.signal(signal.SIGTERM, terminated)
    kind = World if IS_FULL else Stack
    with kind("torture") as stack:
        names = list(PROCESSES) if IS_FULL else [proofs.RELAY, proofs.PROJECTOR]
        stack.level = Level(stack)
        for name in names:
            if name not in stack.processes:
                stack.begin(name)
        if not heal(stack):
            raise RuntimeError("it is not level before the first fault")
        faults = (FullFaults if IS_FULL else ShortFaults)(stack, SEED, EVENTS)
        feed = Feed(stack, stack.feed_ports)
        load = Load(stack, SEED, LOADERS, CLIENTS)
        watch_all(stack, faults)
        told = load.end()
        # What comes apart is not counted.
        events = stack.number(COMMITTED)
        faults.wait()
        healed = heal(stack)
        count, wrong, found = faults.count, [], []
        if IS_FULL and healed:
            told += all_apart(stack, wrong, found)
            count += 4
        elif healed:
            wrong = rotate(stack)
        holds = report(stack, told, feed, count, found, {
            f"at least {EVENTS} events under faults": events >= EVENTS,
            f"level within {LEVEL_SECONDS} s": healed, "every fault was done": faults.is_done,
            f"nothing counts that a key given up has signed {wrong or ''}".strip(): not wrong})
        stack.level.close()
        stack.keeps = not holds
        return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
