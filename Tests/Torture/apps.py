"""What the apps in a phone ask: sessions by its keys, other apps, web pages."""

import functools
import json
import time
from urllib.parse import urlencode

import keys
from person import TOKEN, Person, Request
from project import OFFERS_URI, REDIRECT_URI
from wire import Browser

# Younger than the access token, which lives 900 s.
FRESH_SECONDS = 300
GUESTS_MAX = 3
AUTHGEAR = "urn:authgear:params:oauth:"
APP2APP = f"{AUTHGEAR}grant-type:app2app"
URL_TOKEN = f"{AUTHGEAR}token-type:pre-authenticated-url-token"
FULL_ACCESS = "https://authgear.com/scopes/full-access"
SCOPE = ("openid offline_access device_sso https://authgear.com/scopes/pre-authenticated-url "
         + FULL_ACCESS)


class Lost(Exception):
    """The session is not known any more; its person starts again."""


class App:
    """An app's tokens of a session; a bound one proves its key at each use."""

    def __init__(self, client, sid, answer, bound=False):
        self.client, self.sid, self.bound, self.token = client, sid, bound, None
        self.take(answer)

    def take(self, answer):
        """A bound family keeps its refresh token, the others get the next one."""
        self.token = answer.json.get("refresh_token", self.token)
        self.access, self.since = answer.json["access_token"], time.monotonic()

    @property
    def is_fresh(self):
        return time.monotonic() < self.since + FRESH_SECONDS


class Apps(Person):
    """One app with a session, a mate that joins it, guests that it lets in, a web page."""

    key = app = mate = page = identity = secret = pushed = None

    # What a request shows.

    @property
    def issuer(self):
        return f"http://{self.stack.host}"

    def proof(self, target=TOKEN):
        return {"DPoP": self.key.proof(self.issuer + target)}

    def proving(self, bound, target=TOKEN):
        """Headers of requests that may be repeated: each has a proof of its own."""
        return functools.partial(self.proof, target) if bound else None

    def bearing(self, app):
        return {"Authorization": f"Bearer {app.access}"}

    def challenge(self, purpose):
        form = json.dumps({"purpose": purpose}).encode()
        headers = {"Content-Type": "application/json"}
        answer = self.send(Request("challenge", "/oauth2/challenge", form, "", headers))
        if not answer.is_good:
            self.refused("challenge", answer)
            raise Lost
        return answer.json["result"]["token"]

    def sure(self, request):
        """What may be repeated, and must work."""
        answer = self.send(request)
        if not answer.is_good:
            self.refused(request.kind, answer)
            raise Lost
        return answer

    # The session.

    def open(self, client, bound):
        """Signs in, by a pushed request in half of all cases, and binds the phone's key."""
        verifier, challenge = keys.verifier()
        query, number = self.stack.request(client, challenge, SCOPE), self.random.randrange(2)
        browser = Browser(self.stack.node(number))
        if self.random.random() < 0.5:
            started = self.push(query, bound)
            browser.keep(started)
            self.reload(browser, 1 - number, started)
        else:
            started = browser.send("GET", f"/oauth2/authorize?{urlencode(query)}")
        code = self.stack.sign_in(browser, started, number)
        jwt = self.key.app2app(self.challenge("app2app_request"), client_id=client)
        headers = self.proof() if bound else None
        answer = self.redeem(client, code, verifier, headers, x_app2app_device_key_jwt=jwt)
        if answer is None:
            raise Lost
        self.app = App(client, self.note(answer), answer, bound)
        self.told.done["device key"] += 1
        self.pair(answer)

    def push(self, query, bound):
        """A request ahead of its browser: the first that brings it takes it."""
        pushed = self.sure(Request(
            "pushed request", "/oauth2/par", query, "", self.proving(bound, "/oauth2/par")))
        reference = pushed.json["request_uri"]
        query = urlencode({"client_id": query["client_id"], "request_uri": reference})
        self.pushed = f"/oauth2/authorize?{query}"
        started = self.spend(
            Request("request URI", self.pushed, None, reference, method="GET", once=True))
        if started is None:
            raise Lost
        return started

    def reload(self, browser, node, started):
        """The browser that took a request may load it again, at whichever node: it is the same."""
        again = Browser(self.stack.node(node))
        again.cookies = dict(browser.cookies)
        answer = again.send("GET", self.pushed)
        if answer.is_good and answer.headers["location"] != started.headers["location"]:
            self.wrong("double-spent", f"a request loaded again: {answer.words}")

    def pair(self, answer):
        """The id token and the device secret that belong together."""
        self.identity, self.secret = answer.json["id_token"], answer.json["device_secret"]

    def renewing(self, app, **more):
        request = self.refreshing(app.token, app.client)
        request.form |= more
        if app.bound:
            request.kind, request.headers = "DPoP refresh", self.proving(True)
        return request

    def renew(self):
        """A refresh; without the device secret the next one comes, else the same."""
        app, shown = self.app, self.random.random() < 0.7
        request = self.renewing(app, **({"device_secret": self.secret} if shown else {}))
        if app.bound and shown:
            # A proof works once, the token of a bound family for ever.
            request.headers = self.proof()
            request.artefact, request.once = request.headers["DPoP"], True
            answer = self.spend(request)
            if answer is None:
                return
        else:
            answer = self.sure(request)
        self.renewed(answer)
        if not app.bound and shown and self.random.random() < 0.1:
            self.retry(request, app.token)

    def renewed(self, answer):
        self.note(answer)
        self.pair(answer)
        self.app.take(answer)

    def refresh_app(self, app):
        """A refresh of another app, or of a session that a finger opened."""
        more = {"device_secret": self.secret} if app is self.mate else {}
        answer = self.sure(self.renewing(app, **more))
        self.note(answer)
        app.take(answer)

    # Steps.

    def let_in(self):
        """Another app gets a code by the phone's key, and with it a session of its own."""
        code = self.approve()
        guest = self.admit(*code) if code else None
        if guest is None:
            return
        self.guests.append(guest)
        if len(self.guests) > GUESTS_MAX:
            self.dismiss(self.guests.pop(0))

    def approve(self):
        verifier, challenge = keys.verifier()
        nonce = self.challenge("app2app_request")
        link = {"redirect_uri": REDIRECT_URI, "code_challenge": challenge}
        jwt = self.key.app2app(nonce, aud=self.issuer, client_id="guest", **link)
        name = self.random.choice(["app2app", "app2app-request"])
        form = {
            "grant_type": APP2APP + name.removeprefix("app2app"), "client_id": "guest",
            "refresh_token": self.app.token, "jwt": jwt, **link,
        }
        headers = self.proof() if self.app.bound else None
        answer = self.spend(Request(name, TOKEN, form, nonce, headers, once=True))
        return (answer.json["code"], verifier) if answer else None

    def admit(self, code, verifier):
        """The tokens of an app that was let in; None when it may have got them unseen."""
        answer = self.redeem("guest", code, verifier)
        if answer is None:
            return None
        guest = App("guest", self.note(answer), answer)
        self.refresh_app(guest)
        return guest

    def dismiss(self, app):
        """Ends the session of an app that was let in, or of a finger."""
        self.sure(self.revoking(app.token, app.client))
        self.over(app)

    def over(self, app):
        """Somebody was told that this session has ended."""
        self.told.ended.append(app.sid)
        self.gone(app)

    def gone(self, app):
        self.dead(f"{app.sid} of {app.client}", self.renewing(app), self.asking(app.access))

    def exchanging(self, kind, client, headers, **more):
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": client,
            "audience": self.issuer, "subject_token": self.identity,
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "actor_token": self.secret,
            "actor_token_type": "urn:openid:params:token-type:device-secret", **more,
        }
        return Request(kind, TOKEN, form, self.secret, headers)

    def share(self):
        """The vendor's other app joins the session; what it had there before is over."""
        bound, former = self.random.random() < 0.5, self.mate
        answer = self.sure(self.exchanging("native SSO", "mate", self.proving(bound)))
        self.mate = App("mate", self.note(answer), answer, bound)
        if self.mate.sid != self.app.sid:
            self.wrong("foreign", f"{self.mate.sid} was joined for {self.app.sid}")
        if former is not None:
            self.told.left.append((former.sid, "mate"))
            self.dead(f"{former.sid} of mate", self.renewing(former))
        self.refresh_app(self.mate)
        if self.random.random() < 0.2:
            self.sure(self.revoking(self.mate.token, "mate", "revoke of a mate"))
            self.told.left.append((self.mate.sid, "mate"))
            self.gone(self.mate)
            self.mate = None

    def order_page(self):
        """A URL that opens a web page once; the device secret changes."""
        request = self.exchanging(
            "URL token", "offers", self.proving(self.app.bound), requested_token_type=URL_TOKEN)
        answer = self.sure(request)
        if self.random.random() < 0.2:
            for again in self.at_once(request):
                if again.is_good and again.json["device_secret"] != answer.json["device_secret"]:
                    self.wrong("double-spent", "a device secret with two successors")
        self.pair(answer)
        token = answer.json["access_token"]
        self.keep(token, self.secret)
        query = urlencode({
            "client_id": "offers", "prompt": "none", "response_mode": "cookie",
            "response_type": f"{AUTHGEAR}response-type:pre-authenticated-url token",
            "id_token_hint": self.identity, "x_pre_authenticated_url_token": token,
            "redirect_uri": OFFERS_URI,
        })
        return Request(
            "URL", f"/oauth2/authorize?{query}", None, token, method="GET", once=True)

    def open_page(self):
        answer = self.spend(self.order_page())
        if answer is not None:
            cookies = Browser(None)
            cookies.keep(answer)
            self.page = cookies.cookies["app_access_token"]
            if self.note_token(self.page) != self.app.sid:
                self.wrong("foreign", "a web page is of another session")
        if self.random.random() < 0.5:
            self.identify()

    def identifying(self):
        """Asks for an id token by the access token."""
        form = {
            "grant_type": f"{AUTHGEAR}grant-type:id-token", "client_id": self.app.client,
            "device_secret": self.secret,
        }
        return Request("id-token", TOKEN, form, self.app.access, self.bearing(self.app))

    def identify(self):
        if self.app.is_fresh:
            self.pair(self.sure(self.identifying()))
