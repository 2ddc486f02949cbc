"""Everything of Security 14's torture test: two of each process, a synchronous standby, a real
Kafka, and a network between them that can be cut."""

import hashlib
import os
import random
import secrets
import socket
import struct
import subprocess
import time

from broker import Broker
from children import PROGRAMS, ROOT
from network import Network
from postgres import Pair
from stack import Stack

BLOCK = 40
SETTINGS = """\
node: {{name: {name}}}
listen:
  public: [{listeners}]
admin:
  listen: "127.0.0.1:{admin}"{operators}
database: {{host: "{database}", name: chancery, user: {role}, durability: synchronous-standby}}
kafka: {{bootstrap: "127.0.0.1:{kafka}", topology: single-node}}
log: {{level: info}}
"""
OPERATORS = """
  operators:
    - {{name: torture, role: configure, token_sha256: {token}}}"""
ISSUER = """\
keys: {{directory: "{folder}/secrets/signing", kek_file: "{folder}/secrets/kek"}}
mail: {{relay: "127.0.0.1:{smtp}", sender: no-reply@localhost, plain: true}}
"""
OPERATOR = """\
database: {{host: "{database}", name: chancery, user: postgres, durability: single-node}}
kafka: {{bootstrap: "127.0.0.1:{kafka}", topology: single-node}}
"""
ROLES = {
    "token-issuer": "token_issuer", "event-relay": "event_relay",
    "revocation-projector": "projector",
}
# Name: the port where it serves clients, counted from the first; None when it serves nobody.
PROCESSES = {
    "token-issuer": 0, "token-issuer-2": 1, "event-relay": None, "event-relay-2": None,
    "revocation-projector": 2, "revocation-projector-2": 3,
}


def free_block():
    """Forty free ports in a row; the last is held, as `chancery dev --port 0` holds it."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        lowest = int(file.read().split()[0])
    starts = list(range(10_240, lowest - BLOCK, BLOCK))
    random.SystemRandom().shuffle(starts)
    for first in starts:
        guard = socket.socket()
        guard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            guard.bind(("127.0.0.1", first + BLOCK - 1))
            guard.listen()
            for port in range(first, first + BLOCK - 1):
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", port))
                    probe.listen()
            return first, guard
        except OSError:
            guard.close()
    raise RuntimeError("no 40 ports in a row are free")


class Machine:
    """What faults.c reads: how wrong the clock is, and whether the disk is full."""

    def __init__(self, folder, name):
        self.library = folder / "faults.so"
        if not self.library.exists():
            source = ROOT / "Tests/Torture/faults.c"
            subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                            "-o", self.library, source, "-ldl"], check=True)
        self.orders = folder / f"{name}.orders"
        self.order()
        self.orders.chmod(0o644)

    def order(self, clock_seconds=0, disk_is_full=False):
        """In place: the file is mapped by those who obey."""
        flags = os.O_WRONLY | os.O_CREAT
        file = os.open(self.orders, flags)
        os.pwrite(file, struct.pack("qq", clock_seconds * 10**9, disk_is_full), 0)
        os.close(file)

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self.library), "FAULTS": str(self.orders)}


class World(Stack):
    """A stack whose every part can fail."""

    def start_services(self):
        first, self.guard = free_block()
        self.port, self.host = first, f"localhost:{first}"
        self.mail_port, self.smtp, self.kafka_link = first + 4, first + 5, first + 8
        for name in ("config", "log", "secrets/signing", "net"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "secrets/kek").write_bytes(secrets.token_bytes(32))
        (self.folder / "secrets/kek").chmod(0o600)
        (self.folder / "secrets/signing").chmod(0o700)
        self.disk = Machine(self.folder, "database")
        self.clocks = {name: Machine(self.folder, name) for name in PROCESSES}
        self.pair = Pair(self.folder / "postgres", self.disk.environment)
        self.pair.start()
        self.broker = Broker(self.folder / "kafka", first + 6, first + 7, self.kafka_link)
        self.broker.start()
        self.network = Network()
        self.network.add("kafka", self.kafka_link, first + 6)
        for name in PROCESSES:
            (self.folder / "net" / name).mkdir()
            listen = str(self.folder / "net" / name / ".s.PGSQL.5432")
            self.network.add(name, listen, self.pair.primary.socket)
        self.network.start()
        self.start_mail()
        token = secrets.token_urlsafe(32)
        self.facts = {
            "ADMIN_TOKEN": token, "MAIL_PAGE": f"http://localhost:{self.mail_port}",
            "KAFKA_BOOTSTRAP": f"127.0.0.1:{self.kafka_link}",
        }
        self.write_settings(hashlib.sha256(token.encode()).hexdigest())
        self.migrate("--topics")

    def start_mail(self):
        with open(self.folder / "log/mail.log", "wb") as log:
            self.mail = subprocess.Popen(
                [ROOT / "deploy/mail-sink", self.folder / "mail", str(self.smtp),
                 str(self.mail_port)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.mail_port)) == 0:
                    return
            time.sleep(0.1)
        raise RuntimeError("the mail sink did not start")

    def write_settings(self, token):
        for count, (name, offset) in enumerate(PROCESSES.items()):
            program = name.removesuffix("-2")
            is_issuer = program == "token-issuer"
            text = SETTINGS.format(
                name=name, operators=OPERATORS.format(token=token) if is_issuer else "",
                role=ROLES[program], admin=self.port + 10 + count,
                listeners="" if offset is None else f'"127.0.0.1:{self.port + offset}"',
                database=self.folder / "net" / name, kafka=self.kafka_link,
            )
            if is_issuer:
                text += ISSUER.format(folder=self.folder, smtp=self.smtp)
            self.write(f"{name}.yaml", text)
        self.write("operator.yaml", OPERATOR.format(
            database=self.pair.primary.folder, kafka=self.kafka_link))

    def write(self, name, text):
        file = self.folder / "config" / name
        file.write_text(text)
        file.chmod(0o600)

    def migrate(self, *options):
        with open(self.folder / "log/migrate.log", "ab") as log:
            subprocess.run(
                [PROGRAMS / "chancery", "migrate", "--config",
                 self.folder / "config/operator.yaml", *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True,
            )

    def environment(self, name):
        return self.clocks[name].environment

    @property
    def database(self):
        return self.pair.primary.url

    @property
    def feed_ports(self):
        return [self.port + 2, self.port + 3]

    def follow(self):
        """The network leads to the present primary."""
        for name in PROCESSES:
            self.network.aim(name, self.pair.primary.socket)
        self.write("operator.yaml", OPERATOR.format(
            database=self.pair.primary.folder, kafka=self.kafka_link))

    def free_the_disk(self):
        """PostgreSQL has stopped itself when it could not write its log."""
        self.disk.order()
        self.pair.revive()

    def wipe_kafka(self):
        """Somebody replaced the cluster: another id, no topics until an operator makes them."""
        self.broker.wipe()
        self.migrate("--topics")

    def stop_services(self):
        for part in ("mail", "network", "broker", "pair"):
            running = getattr(self, part, None)
            if part == "mail" and running is not None:
                running.terminate()
                running.wait(10)
            elif running is not None:
                running.stop()
        if hasattr(self, "guard"):
            self.guard.close()

