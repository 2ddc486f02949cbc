"""A person of the load: signs in, refreshes, retries, reuses, revokes, and keeps what it was told.
"""

import dataclasses
import time

import keys
from asker import Asker, GaveUp, Lost
from held import App, Request
from history import GRACE_SECONDS

TOKEN, INTROSPECT, REVOKE = "/oauth2/token", "/oauth2/introspect", "/oauth2/revoke"
# In one session: at least, and fewer than one of these.
REFRESHES, MORE = 3, (20, 20, 20, 120)
# The server's grace is 10 s: nothing has ended before the first, all after the second.
CODE_GRACE_SECONDS, CODE_LATE_SECONDS = 8, 11
# So long before the end of the other grace nothing is held against an answer any more.
GRACE_MARGIN_SECONDS = 10


class Person(Asker):
    """Signs in, refreshes, revokes, signs in again."""

    # An app whose tokens nobody uses until its code is late.
    unused = None
    is_new = True

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

    def live(self):
        self.replay_unused()
        self.session()

    def session(self):
        app, last = self.enter("steady"), None
        if app is None:
            return
        # A wrong clock may take a late code for an early one.
        may_wait = self.unused is None and self.is_new and not self.tolerant
        if may_wait and self.random.random() < 0.5:
            self.unused = app
            return
        for _ in range(self.random.randrange(REFRESHES, self.random.choice(MORE))):
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
            self.leave(app)

    def enter(self, client):
        """Signs in; the app that it has then."""
        return self.redeem(client, *self.stack.code(client, self.random.randrange(2)))

    def leave(self, app):
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

    def retry(self, request, successor):
        """Inside the grace the same request gets the same successor, from whichever node."""
        if self.random.random() < 0.3:
            answers = self.at_once(request)
        else:
            answers = [self.send(request)]
        # Made at the first try perhaps, though that was not heard of.
        if time.monotonic() >= request.since + GRACE_SECONDS - GRACE_MARGIN_SECONDS:
            raise Lost
        for again in answers:
            self.compare(again, successor)

    def compare(self, again, successor):
        if again.status == 200 and again.json["refresh_token"] == successor:
            self.note(again)
            self.told.retried += 1
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
            if app.is_fresh:
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
