"""The wire as a client sees it: requests, a browser's cookies, the forms of pages."""

import functools
import json
import re
import socket
import time
from urllib.parse import urlencode

import httptools

READ_BYTES = 65_536


class Broken(OSError):
    """No whole answer came: the connection ended before it, or it is none of HTTP."""


class Answer:
    """What a server said: status, headers (lower case), text. A parser fills it."""

    def __init__(self):
        self.status, self.headers, self.cookies = None, {}, []
        self.parts, self.is_whole = [], False

    def on_message_begin(self):
        if self.is_whole:
            raise ValueError("one answer comes behind another")

    def on_header(self, name, value):
        name, value = name.decode("ascii").lower(), value.decode("ascii")
        self.headers[name] = value
        if name == "set-cookie":
            self.cookies.append(value)

    def on_body(self, part):
        self.parts.append(part)

    def on_message_complete(self):
        self.is_whole = True

    @functools.cached_property
    def text(self):
        return b"".join(self.parts).decode()

    @functools.cached_property
    def json(self):
        return json.loads(self.text)

    @property
    def error(self):
        try:
            return self.json.get("error", "")
        except ValueError:
            return self.text[:80]

    @property
    def words(self):
        """What it says, in a line; a redirect says it in its address."""
        return f"{self.status} {self.headers.get('location') or self.text}"

    @property
    def is_known(self):
        """Whether it says what happened; else it wants to be asked again.

        408: the request was not read to its end, as on a machine that has no time for its sender.
        """
        return self.status < 429 and self.status != 408 and (
            "error=temporarily_unavailable" not in self.headers.get("location", ""))

    @property
    def is_mistake(self):
        """Whether it is the server's own mistake: one that cannot do it now says 503."""
        return self.status >= 500 and self.status != 503

    @property
    def is_good(self):
        """Whether it is what was asked for; a redirect may carry an error instead."""
        if self.status == 303:
            return "error=" not in self.headers["location"]
        return self.status in (200, 201)


class Node:
    """One token-issuer as a client sees it; the Host is the project's, whatever the port."""

    def __init__(self, port, host, timeout=20, patience=0):
        self.port, self.host, self.timeout, self.patience = port, host, timeout, patience
        self.connection = None

    def connect(self):
        if self.connection is None:
            self.connection = socket.create_connection(("127.0.0.1", self.port), self.timeout)
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def send(self, method, target, form=None, headers=None):
        """An exchange, repeated for `patience` seconds where a 503 asks for that.

        A node on a busy machine may say so at any time, and nothing has happened then.
        """
        end = time.monotonic() + self.patience
        while True:
            answer = self.exchange(method, target, form, headers)
            pause = answer.headers.get("retry-after") if answer.status == 503 else None
            if pause is None or time.monotonic() >= end:
                return answer
            time.sleep(float(pause))

    def exchange(self, method, target, form=None, headers=None):
        """One exchange; an error closes the connection and is the caller's to judge."""
        headers, body = {"Host": self.host, **(headers or {})}, b""
        if form is not None:
            body = form if isinstance(form, bytes) else urlencode(form).encode()
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        if form is not None or method != "GET":
            headers["Content-Length"] = len(body)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode("ascii")
        try:
            self.connect()
            self.connection.sendall(head + body)
            return self.answer()
        except OSError:
            self.close()
            raise

    def answer(self):
        """The next answer, whole. Each wait for more of it ends after `timeout`."""
        answer = Answer()
        parser = httptools.HttpResponseParser(answer)
        try:
            while not answer.is_whole:
                part = self.connection.recv(READ_BYTES)
                if not part:
                    raise Broken("the connection ended before an answer")
                parser.feed_data(part)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise Broken(f"no answer of HTTP: {error}") from error
        answer.status = parser.get_status_code()
        if not parser.should_keep_alive():
            self.close()
        return answer

    def token(self, **form):
        return self.send("POST", "/oauth2/token", form)


def cookie_header(cookies):
    return {"Cookie": "; ".join(f"{n}={v}" for n, v in cookies.items())} if cookies else {}


class Browser:
    """A person's browser: cookies, and the forms of pages."""

    def __init__(self, node):
        self.node, self.cookies = node, {}

    def send(self, method, target, form=None):
        headers = {"Origin": f"http://{self.node.host}"} if form is not None else {}
        headers |= cookie_header(self.cookies)
        answer = self.node.send(method, target, form, headers)
        self.keep(answer)
        return answer

    def keep(self, answer):
        for cookie in answer.cookies:
            name, value = cookie.split(";", 1)[0].split("=", 1)
            self.cookies[name] = value
            if not value:
                del self.cookies[name]


def hidden(page, action):
    """The hidden fields of the form that posts to `action`."""
    for text in re.findall(r"<form\b.*?</form>", page, re.DOTALL):
        if f'action="{action}"' in text:
            return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
    raise RuntimeError(f"no form for {action}: {page[:400]}")
