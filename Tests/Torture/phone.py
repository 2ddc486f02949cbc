"""A person with a phone: its app logs in, lets others in, knows a finger, opens web pages."""

import json
from urllib.parse import urlencode

import keys
from apps import AUTHGEAR, Apps
from asker import Lost
from held import App, Request
from person import TOKEN
from project import REDIRECT_URI

# Of the sessions this share is a phone's; so many steps in one: at least, and fewer than.
PHONES, STEPS = 0.4, (4, 40)
BIOMETRIC = f"{AUTHGEAR}grant-type:biometric-request"
KEYS, APP_SESSION = "/api/v1/biometric_keys", "/oauth2/app_session_token"


class Phone(Apps):
    """Lives as a person, or as one with a phone, as it is drawn.

    `finger` is a biometric key, `touched` the session that it opened last.
    """

    finger = touched = None

    def session(self):
        if self.random.random() >= PHONES:
            return super().session()
        self.life()

    def life(self):
        self.key, self.guests = keys.Key(), []
        self.mate = self.page = self.finger = self.touched = None
        self.open(self.random.choice(["phone", "chief"]), self.random.random() < 0.5)
        steps = [self.renew, self.let_in, self.share, self.open_page, self.touch, self.identify,
                 self.open_settings, self.look_aside]
        for _ in range(self.random.randrange(*STEPS)):
            if self.stop.is_set():
                break
            self.random.choice(steps)()
        self.go()

    def look_aside(self):
        """What resource servers ask; and one access token ends alone."""
        if self.app.is_fresh:
            self.aside(self.app)
        if self.random.random() < 0.2:
            self.sure(self.revoking(
                self.app.access, self.app.client, "revoke of an access token"))
            self.ended(self.app.access)
            # What has expired needs no end, and neither does what a key given up has signed.
            if self.app.is_fresh and not self.tolerant:
                self.happened(712, keys.claims(self.app.access)["jti"])
            self.dead(f"a token of {self.app.sid}", self.asking(self.app.access, self.app.rests))
            self.renewed(self.sure(self.renewing(self.app, device_secret=self.secret)))

    def touching(self, action, nonce, more=None, **claims):
        """A finger's answer to a challenge; the first one shows whose session it is."""
        form = {
            "grant_type": BIOMETRIC, "client_id": self.app.client,
            "jwt": self.finger.biometric(nonce, action, **claims), **(more or {}),
        }
        headers, rests = None, (self.finger.name,)
        if action == "setup":
            headers, rests = self.bearing(self.app), (self.app.access, *self.app.rests)
        return Request(
            f"biometric {action}", TOKEN, form, nonce, headers, once=True, rests=rests)

    def touch(self):
        """Registers a finger, or opens a session by it, which ends the one it opened before."""
        nonce = self.challenge("biometric_request")
        if self.finger is None:
            return self.set_up(nonce)
        verifier, challenge = keys.verifier()
        if self.random.random() < 0.3:
            link = {"redirect_uri": REDIRECT_URI, "code_challenge": challenge}
            request = self.touching("authenticate_app2app", nonce, link, client_id="guest")
        else:
            request = self.touching("authenticate", nonce, client_id=self.app.client)
        former, self.touched = self.touched, None
        answer = self.spend(request)
        if answer is None:
            return  # Whether the former session goes on is not known.
        self.touched = App(
            self.app.client, self.note(answer), answer, by=(self.finger.name,))
        guest = None
        if "code" in answer.json:
            # Before anything that may take long: a code lives a minute.
            guest = self.admit(answer.json["code"], verifier, self.touched)
        if former is not None:
            self.over(former, "superseded")
        if guest is not None:
            self.dismiss(guest)
        self.refresh_app(self.touched)

    def set_up(self, nonce):
        if not self.app.is_fresh:
            self.renew()
        self.finger = keys.Key()
        if self.spend(self.touching("setup", nonce)) is None:
            self.finger = None
        else:
            self.happened(801, self.finger.name)

    def remove(self, app):
        """Takes the finger's key away: its session ends, and it opens none any more."""
        late = self.touching("authenticate", self.challenge("biometric_request"))
        unknown = self.told.unknown
        answer = self.send(Request(
            "biometric removal", f"{KEYS}/{self.finger.name}", None, self.finger.name,
            self.bearing(app), method="DELETE", rests=(app.access, *app.rests)))
        if not answer.is_good:
            if self.told.unknown == unknown:
                self.refused("biometric removal", answer)
            self.touched = None
            return
        self.lose_finger(late)

    def lose_finger(self, late):
        """The key has ended: `late`, made before, logs in no more, and what it opened is over."""
        self.ended(self.finger.name)
        self.happened(804, self.finger.name)
        self.dead(f"the finger {self.finger.name}", late)
        if self.touched is not None:
            self.over(self.touched, "key_disabled")
        self.touched = None

    def replay(self, app, kind):
        """A finger that the session has set up ends with it, and the session that it opened."""
        late = None
        if self.finger and app.sid == self.app.sid:
            late = self.touching("authenticate", self.challenge("biometric_request"))
        super().replay(app, kind)
        if late is not None:
            self.lose_finger(late)
            self.finger = None

    def order_settings(self):
        """The user's own pages, without a login: one token, one browser."""
        def headers():
            proof = self.proof(APP_SESSION) if self.app.bound else {}
            return {"Content-Type": "application/json", **proof}

        form = json.dumps({"refresh_token": self.app.token}).encode()
        answer = self.sure(Request(
            "app-session token", APP_SESSION, form, self.app.token, headers, rests=self.app.rests))
        token = answer.json["result"]["app_session_token"]
        hint = urlencode({"type": "app_session_token", "app_session_token": token})
        query = urlencode({
            "client_id": self.app.client, "response_type": "none", "prompt": "none",
            "redirect_uri": f"{self.issuer}/settings",
            "login_hint": f"https://authgear.com/login_hint?{hint}",
        })
        self.keep(token)
        return Request(
            "app session", f"/oauth2/authorize?{query}", None, token, method="GET", once=True,
            rests=self.app.rests)

    def open_settings(self):
        self.spend(self.order_settings())

    def lose_secret(self):
        """The device secret ends, and who came by it; the session goes on."""
        page = self.order_page()
        self.share()
        late = [self.exchanging("native SSO", "mate", None), page]
        self.sure(self.revoking(self.secret, self.app.client, "revoke of a device secret"))
        self.ended(self.secret, page.artefact)
        self.happened(716, self.app.sid)
        if self.mate:
            self.left(self.mate)
        if self.page:
            self.ended(self.page)
            late.append(self.asking(self.page, (self.app.sid,)))
        self.dead(f"the device secret of {self.app.sid}", *late)
        if self.mate:
            self.gone(self.mate)
        answer = self.sure(self.renewing(self.app))
        self.note(answer)
        self.app.take(answer)

    def end_own(self):
        """By its refresh token or its code, or in the user's list of sessions."""
        if not self.app.is_fresh or self.random.random() < 0.7:
            return self.dismiss(self.app)
        unknown = self.told.unknown
        answer = self.send(Request(
            "session end", f"/api/v1/sessions/{self.app.sid}", None, self.app.sid,
            self.bearing(self.app), method="DELETE", rests=(self.app.access, *self.app.rests)))
        if not answer.is_good:
            if self.told.unknown == unknown:
                self.refused("session end", answer)
            raise Lost
        self.over(self.app, "logout")

    def go(self):
        """The session ends, and what hangs on it; what does not goes on until it is ended."""
        code = self.approve() if self.random.random() < 0.3 else None
        page = self.order_page() if self.random.random() < 0.3 else None
        settings = self.order_settings() if self.random.random() < 0.3 else None
        keyed = self.touched if self.random.random() < 0.5 else None
        if self.finger and not keyed and self.app.is_fresh:
            self.remove(self.app)
        if self.random.random() < 0.3:
            self.lose_secret()
        late = [self.identifying(), self.exchanging("native SSO", "mate", None)]
        late += [self.asking(self.page, (self.app.sid,))] if self.page else []
        late += [request for request in (page, settings) if request]
        if code:
            form = self.stack.redemption("guest", *code)
            late.append(
                Request("code", TOKEN, form, code[0], once=True, rests=self.app.rests))
        self.end_own()
        self.dead(f"{self.app.sid} by what hangs on it", *late)
        if self.mate:
            self.gone(self.mate)
        for guest in self.guests:
            if self.app.client == "chief":
                self.told.done["cascade"] += 1
                self.over(guest, "cascade")
            else:
                self.refresh_app(guest)
                self.dismiss(guest)
        if keyed and self.finger and keyed.is_fresh:
            self.remove(keyed)
        elif self.touched:
            self.dismiss(self.touched)
