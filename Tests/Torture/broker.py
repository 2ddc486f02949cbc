"""One Kafka node that can be killed, and whose log can be wiped."""

import base64
import os
import re
import secrets
import shutil
import subprocess
import time
from pathlib import Path

from children import crash

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 120


class Broker:
    """`advertised` is the port clients are told: a link's, so that it can be cut."""

    def __init__(self, folder, port, controller, advertised):
        self.folder, self.port, self.child = folder, port, None
        home = Path(os.environ.get("KAFKA_HOME") or ROOT.parent / "shared/kafka")
        if not (home / "libs").is_dir() or shutil.which("java") is None:
            raise RuntimeError("the full torture test needs Apache Kafka: KAFKA_HOME, and Java 17")
        self.java = [
            "java", "-Xms96m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            f"-Dlog4j2.configurationFile=file:{home}/log4j2.properties", "-cp", f"{home}/libs/*",
        ]
        folder.mkdir(parents=True)
        text = (ROOT / "deploy/config/kafka.properties").read_text()
        text = re.sub(r"(?m)^(advertised\.listeners=.*:)@PORT@$", rf"\g<1>{advertised}", text)
        for name, value in (("PORT", port), ("CONTROLLER_PORT", controller), ("DATA", folder)):
            text = text.replace(f"@{name}@", str(value))
        self.properties = folder / "server.properties"
        self.properties.write_text(text)
        self.format()

    def format(self):
        """An empty log of a cluster that nobody has seen."""
        shutil.rmtree(self.folder / "log", ignore_errors=True)
        # A first byte below 0x80: the id never looks like an option.
        drawn = bytes([secrets.randbelow(0x80)]) + secrets.token_bytes(15)
        identity = base64.urlsafe_b64encode(drawn).decode().rstrip("=")
        with open(self.folder / "format.log", "ab") as log:
            subprocess.run(
                [*self.java, "kafka.tools.StorageTool", "format", "--cluster-id", identity,
                 "-c", self.properties], stdout=log, stderr=log, check=True,
            )

    def start(self):
        log = self.folder / "server.log"
        log.write_text("")
        with open(log, "ab") as file:
            self.child = subprocess.Popen(
                [*self.java, "kafka.Kafka", self.properties], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True,
            )
        deadline = time.monotonic() + SECONDS_MAX
        while "Kafka Server started" not in log.read_text():
            if self.child.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Kafka did not start, see {log}")
            time.sleep(0.05)

    def kill(self):
        crash(self.child, "Kafka")

    def stop(self):
        if self.child is not None and self.child.poll() is None:
            self.kill()

    def wipe(self):
        self.kill()
        self.format()
        self.start()
