"""A person comes again, in the browser that knows it or by the address that it has, and leaves by
logging out or because an operator ends it."""

import json
import re
from urllib.parse import urlencode

import keys
from asker import Lost
from held import Request
from person import Person
from project import REDIRECT_URI
from stack import code_in, new_address
from wire import Browser, Node, cookie_header

# Of those whose session has ended so many come again; so many of them in the same browser.
AGAIN, SAME_BROWSER = 0.9, 0.7
# How a session ends, where not by its token or its code.
LOGOUTS, DISABLED, ERASED = 0.3, 0.3, 0.3
DOCUMENTS = 0.1
ORDERS = {"disable": 104, "enable": 105, "erase": 106}
PROJECT = "/admin/v1/project?project=torture"


class Visitor:
    """What a person brings with it: an address, and what the browser keeps."""

    def __init__(self):
        self.address, self.used, self.cookies = new_address(), set(), {}
        # Who it is to the server; who it was, before it was erased; its id token.
        self.subject, self.former, self.identity = None, set(), None


class Visits(Person):
    """Signs in as one who may have been here; `visitor` comes again, `present` is here."""

    visitor = present = None

    def __init__(self, stack, *arguments):
        super().__init__(stack, *arguments)
        self.admins = [
            Node(stack.processes[name].admin_port, "localhost", 8)
            for name in ("token-issuer", "token-issuer-2")]

    def enter(self, client):
        visitor, self.visitor = self.visitor, None
        if visitor is None or self.random.random() >= AGAIN:
            visitor = Visitor()
        elif self.random.random() >= SAME_BROWSER:
            visitor.cookies = {}
        self.is_new, self.present = visitor.subject is None, visitor
        app = self.redeem(client, *self.log_in(client, visitor))
        if app is not None:
            self.know(visitor, app)
        return app

    def log_in(self, client, visitor):
        """By a mail, or without where this browser has logged in before."""
        number, (verifier, challenge) = self.random.randrange(2), keys.verifier()
        browser = Browser(self.stack.node(number))
        browser.cookies = dict(visitor.cookies)
        query = urlencode(self.stack.request(client, challenge))
        started = browser.send("GET", f"/oauth2/authorize?{query}")
        if started.headers["location"].startswith(REDIRECT_URI):
            code = code_in(started.headers["location"])
            self.told.done["single sign-on"] += 1
        else:
            code = self.stack.sign_in(browser, started, number, visitor.address, visitor.used)
            self.told.done["known address"] += visitor.subject is not None
        visitor.cookies = browser.cookies
        return code, verifier

    def know(self, visitor, app):
        """One subject an address, until that is erased."""
        subject = keys.claims(app.access)["sub"]
        if visitor.subject not in (None, subject) or subject in visitor.former:
            self.wrong("foreign", f"{subject} signs in by the address of {visitor.subject}")
        visitor.subject, visitor.identity = subject, app.answer.json["id_token"]

    def leave(self, app):
        visitor, draw = self.present, self.random.random()
        self.sure(self.silently(visitor))
        if draw < LOGOUTS:
            self.log_out(visitor, app)
        elif draw < LOGOUTS + DISABLED:
            self.disable(visitor, app)
        elif draw < LOGOUTS + DISABLED + ERASED:
            self.erase(visitor, app)
        else:
            self.dismiss(app)
        self.visitor = visitor

    def reuse(self, app, last):
        super().reuse(app, last)
        self.visitor = self.present

    def silently(self, visitor):
        """A sign-in that asks nobody: it works where this browser's login counts."""
        query = {**self.stack.request("steady", keys.verifier()[1]), "prompt": "none"}
        return Request(
            "silent sign-in", f"/oauth2/authorize?{urlencode(query)}", None, visitor.address,
            cookie_header(visitor.cookies), method="GET")

    def out(self, visitor, app, reason):
        """Somebody was told that the login in this browser has ended, and the session with it."""
        self.over(app, reason)
        self.dead(f"the browser of {app.sid}", self.silently(visitor))

    def log_out(self, visitor, app):
        query = urlencode({"id_token_hint": visitor.identity})
        answer = self.sure(Request(
            "logout", f"/oauth2/end_session?{query}", None, app.sid,
            cookie_header(visitor.cookies), method="GET"))
        if answer.status != 200:
            # It asks, as where the key is given up that has signed the hint: nothing has ended.
            self.refused("logout", answer)
            raise Lost
        self.out(visitor, app, "logout")
        visitor.cookies = {}

    def order(self, word, subject):
        """An operator's order about a user."""
        headers = {**self.stack.operator, "Content-Type": "application/json"}
        body = json.dumps({"reason": "torture"}).encode()
        self.sure(Request(
            word, f"/admin/v1/subjects/{subject}/{word}?project=torture", body, subject, headers),
            self.admins)
        self.happened(ORDERS[word], subject)

    def disable(self, visitor, app):
        """What was open when a user was disabled stays dead when the user is enabled."""
        self.order("disable", visitor.subject)
        self.out(visitor, app, "subject_disabled")
        self.order("enable", visitor.subject)
        self.gone(app)
        self.dead(f"the browser of {app.sid}", self.silently(visitor))
        visitor.cookies = {}

    def erase(self, visitor, app):
        """The address is free again, for another subject."""
        self.order("erase", visitor.subject)
        self.out(visitor, app, "erasure")
        visitor.former.add(visitor.subject)
        visitor.subject, visitor.cookies = None, {}

    def aside(self, app):
        if self.random.random() < DOCUMENTS:
            return self.apply()
        super().aside(app)

    def apply(self):
        """An operator gives the project another name; of two at once one must look again."""
        read = self.sure(
            Request("document", PROJECT, None, "", self.stack.operator, method="GET"), self.admins)
        text = re.sub(r"(?m)^name: .*$", f"name: Torture {self.random.randrange(100)}", read.text)
        headers = {**self.stack.operator, "Content-Type": "application/yaml",
                   "If-Match": read.headers["etag"]}
        answer = self.send(Request(
            "document applied", f"{PROJECT}&reason=torture", text.encode(), "", headers,
            method="PUT"), nodes=self.admins)
        if not answer.is_good and answer.status not in (409, 412):
            self.refused("document applied", answer)
