"""What the good client asks, and the only answers that are right."""

import base64
import time

from attack import DISCOVERY
from project import API_SECRET

# An access token lives 900 s.
TOKEN_SECONDS = 600


class Questions:
    """Half discovery, half introspections of a token that never comes to its end."""

    def __init__(self, stack):
        self.stack, self.since = stack, time.monotonic()
        self.all = self.asked()

    @property
    def introspection(self):
        return self.all[1][0]

    def renewed(self):
        """Questions of another person's token once this one is old, else none.

        Where nobody can sign in now, somebody may the next time, before the old one has ended.
        """
        if time.monotonic() < self.since + TOKEN_SECONDS:
            return None
        since = time.monotonic()
        try:
            self.all = self.asked()
        except (OSError, LookupError, RuntimeError) as error:
            print(f"# no new token at {time.strftime('%H:%M:%S')}: {error}", flush=True)
            return None
        self.since = since
        return self.all

    def asked(self):
        """Pairs of a request and its body, which is always the same."""
        token = self.stack.tokens("app")["access_token"]
        basic = base64.b64encode(f"api:{API_SECRET}".encode()).decode()
        form = f"token={token}"
        introspection = (
            f"POST /oauth2/introspect HTTP/1.1\r\nHost: {self.stack.host}\r\n"
            f"Authorization: Basic {basic}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(form)}\r\n\r\n{form}"
        )
        node = self.stack.node(0)
        document = node.send("GET", DISCOVERY)
        facts = node.send("POST", "/oauth2/introspect", {"token": token}, self.stack.api)
        if document.status != 200 or facts.status != 200 or facts.json["active"] is not True:
            raise RuntimeError(f"{document.status}, {facts.words}")
        return [
            (f"GET {DISCOVERY} HTTP/1.1\r\nHost: {self.stack.host}\r\n\r\n".encode(),
             document.text.encode()),
            (introspection.encode(), facts.text.encode()),
        ]
