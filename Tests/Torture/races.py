"""Races between two token-issuers on one database, through the wire: one line a test."""

import sys
import threading
import time
from collections import Counter

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

import topics
from stack import Stack
from wire import Node

CALLERS = 50
# A race that outlasts its grace shows nothing: on a machine that slow it is run again.
ROUNDS, CODE_GRACE_SECONDS, BRISK_GRACE_SECONDS = 3, 10, 5
DISCOVERY = "/.well-known/openid-configuration"
REDEEMED, REVOKED, OPENED, ISSUED, REUSE, REFRESHED = 602, 711, 701, 702, 706, 704
FAILED = []


def check(sentence, holds, seen=""):
    """One line a test; what was seen only when it fails."""
    print(f"ok {sentence}" if holds else f"not ok {sentence}: {seen}", flush=True)
    if not holds:
        FAILED.append(sentence)


def at_once(stack, form):
    """The same request 50 times, half of them at each node, all connected beforehand."""
    start, answers = threading.Barrier(CALLERS), [None] * CALLERS

    def call(number):
        node = stack.node(number % 2, timeout=60).connect()
        start.wait(60)
        try:
            answers[number] = node.token(**form)
        finally:
            node.close()

    threads = [threading.Thread(target=call, args=(n,)) for n in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    if None in answers:
        raise RuntimeError(f"{answers.count(None)} callers got no answer")
    return answers


def tally(answers):
    return dict(Counter(f"{a.status} {a.error}".strip() for a in answers))


def count(stack, *types):
    """How many events of these types there are in all."""
    numbers = ", ".join(map(str, types))
    return int(stack.rows(f"SELECT count(*) FROM es.events WHERE type IN ({numbers})")[0][0])


def in_time(race, seconds):
    """What `race` answers, within `seconds` if that can be had."""
    for _ in range(ROUNDS):
        start = time.monotonic()
        seen = race()
        if time.monotonic() - start < seconds:
            break
    return seen


def redemptions(stack):
    def race():
        code, verifier = stack.code("app")
        before = count(stack, OPENED), count(stack, REDEEMED)
        return before, at_once(stack, stack.redemption("app", code, verifier))

    before, answers = in_time(race, CODE_GRACE_SECONDS)
    good = [a for a in answers if a.status == 200]
    check("50 redemptions of one code at two nodes: one success", len(good) == 1, tally(answers))
    others = {(a.status, a.error) for a in answers if a.status != 200}
    check("all others are invalid_grant", others == {(400, "invalid_grant")}, tally(answers))
    after = count(stack, OPENED) - before[0], count(stack, REDEEMED) - before[1]
    check("the log has one redemption and one family", after == (1, 1), after)
    tokens = good[0].json
    seen = [stack.introspect(tokens["access_token"], node).get("active") for node in (0, 1)]
    check("a race ends nothing: its tokens are active at both nodes", seen == [True, True], seen)


def refreshes(stack):
    tokens = stack.tokens("app")
    before = count(stack, OPENED), count(stack, REFRESHED, ISSUED), count(stack, REUSE, REVOKED)
    form = {
        "grant_type": "refresh_token", "client_id": "app",
        "refresh_token": tokens["refresh_token"],
    }
    answers = at_once(stack, form)
    statuses = tally(answers)
    check("50 refreshes with one token at two nodes: all are answered",
          all(a.status == 200 for a in answers), statuses)
    successors = {a.json["refresh_token"] for a in answers if a.status == 200}
    check("one successor, byte-identical for all", len(successors) == 1,
          f"{len(successors)} successors")
    check("and it is not the one presented", tokens["refresh_token"] not in successors)
    access = {a.json["access_token"] for a in answers if a.status == 200}
    active = [stack.introspect(token, n % 2).get("active") for n, token in enumerate(access)]
    check("every access token handed out is active", all(active), active)
    opened = count(stack, OPENED) - before[0]
    check("no second family", opened == 0, opened)
    refreshed = count(stack, REFRESHED, ISSUED) - before[1]
    check("the log has one succession", refreshed == 1, refreshed)
    ended = count(stack, REUSE, REVOKED) - before[2]
    check("nothing was taken for reuse", ended == 0, ended)
    successor = successors.pop()
    again = stack.node(1).token(**{**form, "refresh_token": successor})
    check("the successor goes on at the other node", again.status == 200, again.text)


def replay(stack):
    def race():
        tokens = stack.tokens("brisk")
        form = {
            "grant_type": "refresh_token", "client_id": "brisk",
            "refresh_token": tokens["refresh_token"],
        }
        return tokens, form, stack.node(0).token(**form), stack.node(1).token(**form)

    tokens, form, next_, inside = in_time(race, BRISK_GRACE_SECONDS)
    check("a refresh at the first node", next_.status == 200, next_.text)
    same = inside.status == 200 and inside.json["refresh_token"] == next_.json["refresh_token"]
    check("inside the grace the second node gives the same successor", same, inside.text)
    newest = next_.json
    seen = [stack.introspect(newest["access_token"], node).get("active") for node in (0, 1)]
    check("both nodes have seen the family alive", seen == [True, True], seen)
    time.sleep(6)
    late = stack.node(1).token(**form)
    check("after the grace a replay is refused",
          (late.status, late.error) == (400, "invalid_grant"), late.text)
    # At once: no pause between the replay and these.
    for node in (0, 1):
        answer = stack.node(node).token(**{**form, "refresh_token": newest["refresh_token"]})
        check(f"the successor is dead at node {node + 1}",
              (answer.status, answer.error) == (400, "invalid_grant"), answer.text)
    for node in (0, 1):
        dead = [stack.introspect(t, node) for t in
                (tokens["access_token"], newest["access_token"])]
        check(f"its access tokens are dead at node {node + 1}",
              all(d == {"active": False} for d in dead), dead)


def neighbours(stack):
    """A project that is applied later, under a host of its own on the same ports."""
    host = f"other.localhost:{stack.port}"
    unknown = [Node(stack.port + n, host).send("GET", DISCOVERY).status for n in (0, 1)]
    check("a host of no project: 421 at both nodes", unknown == [421, 421], unknown)
    stack.apply_project("other", host)
    for number in (0, 1):
        stack.wait_for_project(number, host=host)
        node = Node(stack.port + number, host.upper())
        issuer = node.send("GET", DISCOVERY).json["issuer"]
        check(f"a project applied later is served by node {number + 1}",
              issuer == f"http://{host}", issuer)
    own, tokens = stack.node(1), stack.tokens("app")
    other = Node(stack.port + 1, host, patience=stack.patience)
    form = {
        "grant_type": "refresh_token", "client_id": "app",
        "refresh_token": tokens["refresh_token"],
    }
    refused = other.token(**form)
    check("a refresh token of one project is none of the other's",
          (refused.status, refused.error) == (400, "invalid_grant"), refused.text)
    code, verifier = stack.code("app")
    redemption = stack.redemption("app", code, verifier)
    refused = other.token(**redemption)
    check("nor is a code", (refused.status, refused.error) == (400, "invalid_grant"), refused.text)
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    refused = other.send("GET", "/oauth2/userinfo", None, bearer)
    check("nor an access token",
          (refused.status, refused.error) == (401, "invalid_token"), refused.text)
    for form_ in (redemption, form):
        answer = own.token(**form_)
        check(f"and at home the {form_['grant_type']} still works", answer.status == 200,
              answer.text)


def bereavement(stack):
    """Kafka informs: without its topic, every worker of both nodes answers as before."""
    admin = AdminClient({"bootstrap.servers": stack.facts["KAFKA_BOOTSTRAP"]})
    try:
        for gone in admin.delete_topics([topics.EVENTS]).values():
            gone.result(30)
    except KafkaException as error:
        # dev-broker makes topics, and takes none away.
        return print(f"skip a topic that vanishes stops no node: {error}", flush=True)
    form, slow = {"grant_type": "client_credentials", "scope": "revocations.read"}, []
    end = time.monotonic() + 8
    while time.monotonic() < end:
        for node in (0, 1):
            caller = stack.node(node)
            try:
                answer = caller.send("POST", "/oauth2/token", form, stack.api)
                if answer.status != 200:
                    slow.append(answer.text)
            except OSError as error:
                slow.append(f"node {node + 1}: {error}")
            caller.close()  # The next connection may be another worker's.
        time.sleep(0.1)
    check("a topic that vanishes stops no node", not slow, slow[:3])


def main():
    with Stack("races") as stack:
        stack.patience = 20
        redemptions(stack)
        refreshes(stack)
        replay(stack)
        neighbours(stack)
        bereavement(stack)
        stack.keeps = bool(FAILED)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
