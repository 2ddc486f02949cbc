"""What the apps in a phone ask: sessions by its keys, other apps, web pages."""

import functools
import json
from urllib.parse import urlencode

import keys
from asker import Lost
from held import App, Request
from person import TOKEN
from project import OFFERS_URI, REDIRECT_URI
from visits import Visits
from wire import Browser

GUESTS_MAX = 3
AUTHGEAR = "urn:authgear:params:oauth:"
APP2APP = f"{AUTHGEAR}grant-type:app2app"
URL_TOKEN = f"{AUTHGEAR}token-type:pre-authenticated-url-token"
FULL_ACCESS = "https://authgear.com/scopes/full-access"
SCOPE = ("openid offline_access device_sso https://authgear.com/scopes/pre-authenticated-url "
         + FULL_ACCESS)


class Apps(Visits):
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
        self.app = self.redeem(
            client, code, verifier, self.proving(bound), x_app2app_device_key_jwt=jwt)
        if self.app is None:
            raise Lost
        self.told.done["device key"] += 1
        self.happened(707, self.app.sid)
        self.pair(self.app.answer)

    def push(self, query, bound):
        """A request ahead of its browser: the first that brings it takes it."""
        pushed = self.sure(Request(
            "pushed request", "/oauth2/par", query, "", self.proving(bound, "/oauth2/par")))
        reference = pushed.json["request_uri"]
        self.happened(401, keys.stream(reference))
        query = urlencode({"client_id": query["client_id"], "request_uri": reference})
        self.pushed = f"/oauth2/authorize?{query}"
        started = self.spend(
            Request("request URI", self.pushed, None, reference, method="GET", once=True))
        if started is None:
            raise Lost
        self.happened(402, keys.stream(reference))
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

    def refreshing(self, app):
        request = super().refreshing(app)
        if app.bound:
            request.kind, request.headers = "DPoP refresh", self.proving(True)
        return request

    def renewing(self, app, **more):
        request = self.refreshing(app)
        request.form |= more
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
        guest = self.admit(*code, self.app) if code else None
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
        answer = self.spend(
            Request(name, TOKEN, form, nonce, headers, once=True, rests=self.app.rests))
        if answer is None:
            return None
        self.happened(714, keys.stream(answer.json["code"]))
        return answer.json["code"], verifier

    def admit(self, code, verifier, owner):
        """The app that `owner` let in; None when it may have got its tokens unseen."""
        by = owner.rests if owner.client == "chief" else ()
        guest = self.redeem("guest", code, verifier, rests=owner.rests, by=by)
        if guest is not None:
            self.refresh_app(guest)
        return guest

    def left(self, app):
        """Somebody was told that this app's part of its session has ended."""
        self.ended(app.family)
        self.told.left.append((app.sid, app.client))

    def exchanging(self, kind, client, headers, **more):
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": client,
            "audience": self.issuer, "subject_token": self.identity,
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "actor_token": self.secret,
            "actor_token_type": "urn:openid:params:token-type:device-secret", **more,
        }
        return Request(
            kind, TOKEN, form, self.secret, headers, rests=(self.secret, *self.app.rests))

    def share(self):
        """The vendor's other app joins the session; what it had there before is over."""
        bound, former = self.random.random() < 0.5, self.mate
        answer = self.sure(self.exchanging("native SSO", "mate", self.proving(bound)))
        self.mate = App("mate", self.note(answer), answer, bound)
        if self.mate.sid != self.app.sid:
            self.wrong("foreign", f"{self.mate.sid} was joined for {self.app.sid}")
        if former is not None:
            self.left(former)
            self.dead(f"{former.sid} of mate", self.refreshing(former))
        self.refresh_app(self.mate)
        if self.random.random() < 0.2:
            self.sure(self.revoking(self.mate.token, "mate", "revoke of a mate"))
            self.left(self.mate)
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
        self.happened(901, keys.stream(token))
        query = urlencode({
            "client_id": "offers", "prompt": "none", "response_mode": "cookie",
            "response_type": f"{AUTHGEAR}response-type:pre-authenticated-url token",
            "id_token_hint": self.identity, "x_pre_authenticated_url_token": token,
            "redirect_uri": OFFERS_URI,
        })
        return Request(
            "URL", f"/oauth2/authorize?{query}", None, token, method="GET", once=True,
            rests=(token, *self.app.rests))

    def open_page(self):
        request = self.order_page()
        answer = self.spend(request)
        if answer is not None:
            self.happened(902, keys.stream(request.artefact))
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
        return Request("id-token", TOKEN, form, self.app.access, self.bearing(self.app),
                       rests=(self.app.access, *self.app.rests))

    def identify(self):
        if self.app.is_fresh:
            self.pair(self.sure(self.identifying()))
