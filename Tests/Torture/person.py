"""A person of the load: signs in, refreshes, retries, reuses, revokes, and keeps what it was told.
"""

import dataclasses
import http.client
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import keys
from canaries import digests
from held import App, Request, Told

TOKEN, INTROSPECT, REVOKE = "/oauth2/token", "/oauth2/introspect", "/oauth2/revoke"
REFRESHES = (5, 120)  # In one session: at least, and fewer than.
# An outcome must be known within this; the client's grace is longer (60 s).
RETRY_SECONDS = 45
# The server's grace is 10 s: nothing has ended before the first, all after the second.
CODE_GRACE_SECONDS, CODE_LATE_SECONDS = 8, 11
DIGESTS_MAX = 4000


class GaveUp(Exception):
    """No node answered for `RETRY_SECONDS`."""


class Lost(Exception):
    """The session is not known any more; its person starts again."""


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
        # An app whose tokens nobody uses until its code is late.
        self.unused = None
        # What is asked about the session that ended last, until another ends.
        self.former = None

    def run(self):
        while not self.stop.is_set():
            try:
                if self.former:
                    self.send(self.former)  # Whatever failed meanwhile: the history judges.
                self.replay_unused()
                self.session()
            except (GaveUp, Lost):
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
            start, answer = time.monotonic(), None
            headers = request.headers() if callable(request.headers) else request.headers
            try:
                answer = (nodes or self.nodes)[number].send(
                    request.method, request.target, request.form, headers)
            except (OSError, http.client.HTTPException):
                pass
            known = answer is not None and answer.is_known
            worked = known and request.worked(answer)
            outcome = "unknown" if not known else "ok" if worked else "refused"
            self.history.write(request, start, outcome)
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

    def wrong(self, kind, what):
        self.told.wrong.append((kind, what))

    def happened(self, kind, name):
        """An event was acknowledged; its type, and what it is looked up by."""
        self.told.kept.add((kind, name.replace("-", "")))

    def keep(self, *secrets):
        if len(self.told.secrets) < DIGESTS_MAX:
            self.told.secrets.update(*(digests(secret) for secret in secrets if secret))

    def note(self, answer):
        """What an answer with tokens issued; answers the session."""
        self.keep(*map(answer.json.get, ("access_token", "refresh_token", "device_secret")))
        return self.note_token(answer.json["access_token"])

    def note_token(self, token):
        said = keys.claims(token)
        self.told.issued.append((said["sid"], said["jti"]))
        return said["sid"]

    def refreshing(self, app):
        form = {
            "grant_type": "refresh_token", "client_id": app.client, "refresh_token": app.token}
        return Request("refresh", TOKEN, form, app.token, rests=app.rests)

    def asking(self, token, rests):
        """What a resource server asks about an access token."""
        return Request("introspect", INTROSPECT, {"token": token}, token, self.stack.api,
                       rests=(token, *rests))

    @staticmethod
    def revoking(token, client, kind="revoke"):
        return Request(kind, REVOKE, {"token": token, "client_id": client}, token)

    def sure(self, request):
        """What may be repeated, and must work."""
        answer = self.send(request)
        if not answer.is_good:
            self.refused(request.kind, answer)
            raise Lost
        return answer

    def session(self):
        code, verifier = self.stack.code("steady", self.random.randrange(2))
        app, last = self.redeem("steady", code, verifier), None
        if app is None:
            return
        # A wrong clock may take a late code for an early one.
        if self.unused is None and not self.tolerant and self.random.random() < 0.5:
            self.unused = app
            return
        for _ in range(self.random.randrange(*REFRESHES)):
            if self.stop.is_set():
                break
            last = self.refreshing(app)
            answer = self.sure(last)
            self.note(answer)
            app.take(answer)
            if self.random.random() < 0.1:
                self.retry(last, app.token)
            if self.random.random() < 0.1:
                self.aside(app)
        if last and self.random.random() < 0.3:
            self.reuse(app, last)
        else:
            self.dismiss(app)

    def redeem(self, client, code, verifier, headers=None, rests=(), by=(), **more):
        """The app that a code gives, which works once; None when its tokens are not to be used."""
        self.keep(code, verifier)
        self.happened(601, keys.stream(code))
        form = {**self.stack.redemption(client, code, verifier), **more}
        request = Request("code", TOKEN, form, code, headers, once=True, rests=rests)
        start = time.monotonic()
        answer = self.spend(request, again=0.3)
        # A late replay is an attack, and ends what the code gave.
        if answer is None or time.monotonic() - start >= CODE_GRACE_SECONDS:
            return None
        return App(client, self.note(answer), answer, headers is not None, request, by)

    def refused(self, what, answer):
        if not self.tolerant:
            self.wrong("refused", f"{what}: {answer.words}")

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

    def aside(self, app):
        """What resource servers ask meanwhile."""
        if self.random.random() < 0.5:
            return self.expect_alive(app)
        form = {"grant_type": "client_credentials", "scope": "revocations.read"}
        answer = self.send(Request("client credentials", TOKEN, form, "api", self.stack.api))
        if answer.status != 200:
            self.refused("client credentials", answer)

    def expect_alive(self, app):
        answer = self.send(self.asking(app.access, app.rests))
        if not answer.json["active"] and not self.tolerant:
            self.wrong("refused", "a live token is said to be dead")

    # Ends: from then on nothing works, at no node.

    def dismiss(self, app):
        """Ends a session: by revocation, or by its code, which comes again."""
        if app.code and app.is_used and self.random.random() < 0.3:
            return self.replay(app, "code replay")
        self.sure(self.revoking(app.token, app.client))
        self.over(app, "token_revocation")

    def reuse(self, app, last):
        """A token comes again when its successor has been used."""
        answer = self.sure(self.refreshing(app))
        self.note(answer)
        app.take(answer)
        self.attack(app, last, "refresh reuse", "reuse")

    def replay(self, app, kind):
        """A code comes again when its tokens have been used, or when it is late."""
        self.attack(app, dataclasses.replace(app.code, kind=kind), kind, "code_replay")

    def replay_unused(self):
        app = self.unused
        if app and time.monotonic() >= app.since + CODE_LATE_SECONDS:
            self.unused = None
            self.expect_alive(app)
            self.replay(app, "late code replay")

    def attack(self, app, request, kind, reason):
        """What was spent comes again: it gives nothing, and its session ends."""
        answer = self.send(request)
        if answer.is_good:
            self.wrong("double-spent", f"{kind}: {answer.words}")
        elif answer.error != "invalid_grant":
            self.refused(kind, answer)
        else:
            self.told.done[kind] += 1
            self.over(app, reason)

    def ended(self, *names):
        """Somebody was told that these have ended, and with them all that rests on them."""
        self.history.write_end(*names)

    def over(self, app, reason):
        self.ended(app.sid)
        self.told.ended.append((app.sid, reason))
        self.former = self.asking(app.access, app.rests)
        self.gone(app)

    def gone(self, app):
        self.dead(f"{app.sid} of {app.client}",
                  self.asking(app.access, app.rests), self.refreshing(app))

    def dead(self, what, *requests):
        """None of these works any more, at no node."""
        for node in (0, 1):
            self.told.asked += 1
            try:
                for request in requests:
                    if request.worked(self.send(request, node)):
                        self.wrong("after-revoke", f"{what}: {request.kind} at node {node + 1}")
            except GaveUp:
                self.told.unanswered += 1
