"""Two token-issuers on one database, for tests through the wire.

`chancery dev --services` gives PostgreSQL, Kafka and mail, and writes the settings files; the
processes of Chancery are started here, because the tests end them as a crash would.
"""

import base64
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import controls
import keys
from children import PROGRAMS, ROOT, Process, stop
from project import API_SECRET, MAIL_DOMAIN, REDIRECT_URI, document
from wire import Browser, Node, hidden


def new_address():
    return f"{secrets.token_hex(8)}@{MAIL_DOMAIN}"


def code_in(address):
    """The code that a redirect brings to its client."""
    return parse_qs(urlsplit(address).query)["code"][0]


class Stack:
    """Use it in a `with`: everything it started has ended afterwards.

    Its folder below .build goes too, unless something failed: then logs and data are evidence.
    """

    def __init__(self, name):
        self.folder = ROOT / ".build" / f"{name}-{os.getpid()}"
        self.port, self.host = None, None
        self.processes = {}
        self.keeper = None
        self.keeps = False
        # For how long its nodes are asked again that have no time.
        self.patience = 0

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, failure, *_):
        self.stop()
        if failure is None and not self.keeps:
            shutil.rmtree(self.folder)

    def start(self):
        self.folder.mkdir(parents=True)
        self.start_services()
        controls.spoil(self)
        for name in ("token-issuer", "token-issuer-2"):
            self.begin(name)
        self.apply_project()
        for process in self.processes.values():
            process.wait_until()
        for number in (0, 1):
            self.wait_for_project(number)

    def start_services(self):
        """PostgreSQL, Kafka and mail; writes the settings of the processes."""
        with open(f"{self.folder}/keeper.log", "wb") as log:
            words = [PROGRAMS / "chancery", "dev", "--services", "--port", "0"]
            self.keeper = subprocess.Popen(
                [*map(str, words), "--directory", str(self.folder)],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        facts = self.folder / "dev.env"
        for _ in range(3000):
            if facts.exists() and facts.stat().st_size:
                break
            if self.keeper.poll() is not None:
                raise RuntimeError((self.folder / "keeper.log").read_text())
            time.sleep(0.1)
        lines = facts.read_text().splitlines()
        self.facts = dict(
            line.replace("'", "").split("=", 1) for line in lines if not line.startswith("#")
        )
        self.host = urlsplit(self.facts["ISSUER"]).netloc
        self.port = int(self.host.split(":")[1])
        self.write_second(self.folder / "config" / "token-issuer-2.yaml")

    def stop_services(self):
        if self.keeper is not None and self.keeper.poll() is None:
            self.keeper.send_signal(signal.SIGINT)
            try:
                self.keeper.wait(60)
            except subprocess.TimeoutExpired:
                self.keeper.kill()

    def environment(self, name):
        """Variables that only this process gets."""
        return {}

    @property
    def database(self):
        """Where SQL is asked, as superuser."""
        return self.facts["DATABASE_URL"]

    @property
    def feed_ports(self):
        """Where the revocation feed is read."""
        return [self.port + 2]

    def begin(self, name):
        settings = self.folder / "config" / f"{name}.yaml"
        port = int(re.search(r'admin:\s+listen: "127\.0\.0\.1:(\d+)"', settings.read_text())[1])
        log = self.folder / "log" / f"{name}.log"
        process = Process(name, settings, port, log, self.environment(name))
        self.processes[name] = process
        process.start()
        process.wait_until("/livez")

    def write_second(self, settings):
        text = (self.folder / "config" / "token-issuer.yaml").read_text()
        text = text.replace("{name: token-issuer}", "{name: token-issuer-2}")
        text = re.sub(rf":{self.port}\b", f":{self.port + 1}", text)
        text = re.sub(rf":{self.port + 10}\b", f":{self.port + 11}", text)
        settings.write_text(text)
        settings.chmod(0o600)

    def apply_project(self, name="torture", host=None):
        """Another name and another host are a project of their own, with the same clients."""
        host = host or self.host
        text = document(host, f"http://{host.split(':')[0]}:{self.port + 2}", name)
        headers = {**self.operator, "Content-Type": "application/yaml", "If-None-Match": "*"}
        # A node that has just begun may not know yet whether its clock is right.
        admin = Node(self.processes["token-issuer"].admin_port, "localhost", patience=20)
        target = f"/admin/v1/project?project={name}&reason=test"
        answer = admin.send("PUT", target, text.encode(), headers)
        if answer.status not in (200, 201):
            raise RuntimeError(f"the project was refused: {answer.status} {answer.text}")

    def wait_for_project(self, number, seconds=60, host=None):
        """The other node learns of it by Kafka, or by looking now and then."""
        node = Node(self.port + number, host or self.host)
        for _ in range(seconds * 20):
            answer = node.send("GET", "/.well-known/openid-configuration")
            if answer.status == 200:
                return
            time.sleep(0.05)
        raise RuntimeError(f"node {number + 1} does not serve the project: {answer.status}")

    def stop(self):
        self.stop_all()
        self.stop_services()

    def stop_all(self, name=""):
        """Ends the processes whose name begins so."""
        stop(one for kind, one in self.processes.items() if kind.startswith(name))

    def node(self, number, timeout=20):
        return Node(self.port + number, self.host, timeout, self.patience)

    def rows(self, statement):
        """What a statement answers, as lists of texts."""
        result = subprocess.run(
            ["psql", "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", statement,
             self.database],
            capture_output=True, text=True, check=False,
        )
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
        return [line.split("\t") for line in result.stdout.splitlines()]

    def number(self, statement):
        return int(self.rows(statement)[0][0])

    def link(self, address, used=()):
        page = Node(int(urlsplit(self.facts["MAIL_PAGE"]).port), "localhost")
        for _ in range(400):
            for mail in page.send("GET", f"/links.json?{urlencode({'to': address})}").json:
                if mail["links"] and mail["links"][0] not in used:
                    return mail["links"][0]
            time.sleep(0.05)
        raise RuntimeError(f"no mail came to {address}")

    def code(self, client, node=0):
        """Signs a new person in; answers the code and the verifier that redeems it."""
        verifier, challenge = keys.verifier()
        browser = Browser(self.node(node))
        query = urlencode(self.request(client, challenge))
        started = browser.send("GET", f"/oauth2/authorize?{query}")
        return self.sign_in(browser, started, node), verifier

    @staticmethod
    def request(client, challenge, scope="openid offline_access"):
        """What a client asks the authorization endpoint."""
        return {
            "client_id": client, "redirect_uri": REDIRECT_URI, "response_type": "code",
            "scope": scope, "state": "s", "code_challenge": challenge,
            "code_challenge_method": "S256",
        }

    def sign_in(self, browser, started, node, address=None, used=None):
        """Goes on from what the authorization endpoint of a node said; answers the code.

        `used` has the links that came to this address before.
        """
        address, used = address or new_address(), set() if used is None else used
        fields = hidden(browser.send("GET", started.headers["location"]).text, "/login")
        wait = browser.send("POST", "/login", {**fields, "email": address}).headers["location"]
        link = self.link(address, used)
        used.add(link)
        approved = self.node(1 - node).send("POST", link.removeprefix(f"http://{self.host}"), {})
        if approved.status != 200:
            raise RuntimeError(f"the link was refused: {approved.status} {approved.text}")
        fields = hidden(browser.send("GET", wait).text, "/login/complete")
        back = browser.send("POST", "/login/complete", fields).headers["location"]
        while not back.startswith(REDIRECT_URI):
            back = browser.send("GET", back).headers["location"]
        return code_in(back)

    def redemption(self, client, code, verifier):
        return {
            "grant_type": "authorization_code", "client_id": client, "code": code,
            "redirect_uri": REDIRECT_URI, "code_verifier": verifier,
        }

    def tokens(self, client):
        """The tokens of a new person's session."""
        answer = self.node(0).token(**self.redemption(client, *self.code(client)))
        if answer.status != 200:
            raise RuntimeError(f"no tokens: {answer.status} {answer.text}")
        return answer.json

    @property
    def operator(self):
        """How an operator shows who it is."""
        return {"Authorization": f"Bearer {self.facts['ADMIN_TOKEN']}"}

    @property
    def api(self):
        """How the resource server shows who it is."""
        basic = base64.b64encode(f"api:{API_SECRET}".encode()).decode()
        return {"Authorization": f"Basic {basic}"}

    def introspect(self, token, node=0):
        form = {"token": token}
        return self.node(node).send("POST", "/oauth2/introspect", form, self.api).json
