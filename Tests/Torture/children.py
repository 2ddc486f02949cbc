"""Processes that a test started."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

from wire import Node

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("PROGRAMS", ROOT / ".build/release"))
# As its unit starts it: what is seen of its memory is to be true there.
UNIT = ROOT / "deploy/systemd/chancery-token-issuer.service"
MALLOC = dict(re.findall(r"^Environment=(GLIBC_TUNABLES)=(.+)$", UNIT.read_text(), re.M))


def crash(child, name):
    """SIGKILL. What has ended by itself before has a defect that nothing else would show."""
    if child.poll() is not None:
        raise RuntimeError(f"{name} ended by itself: {child.returncode}")
    child.send_signal(signal.SIGKILL)
    child.wait()


def is_stopped(child):
    """Whether it is stopped by a signal."""
    try:
        return Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


class Process:
    """A process of ours, started again after a kill."""

    def __init__(self, name, settings, admin_port, log, environment):
        self.name, self.admin_port, self.log = name, admin_port, log
        self.program = program = re.sub(r"-\d$", "", name)
        malloc = MALLOC if program == "token-issuer" else {}
        self.environment = {**malloc, **os.environ, **environment}
        # A control run has a program with a bug.
        program = os.environ.get(f"PROGRAM_{program}", PROGRAMS / program)
        self.words = [str(program), "--config", str(settings), "--insecure-dev"]
        self.child = None

    def start(self):
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment,
            )

    def wait_until(self, path="/readyz", seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if Node(self.admin_port, "localhost", 2).send("GET", path).status == 200:
                    return
            except OSError:
                pass
            if self.child.poll() is not None:
                raise RuntimeError(f"{self.name} ended: {self.child.returncode}, see {self.log}")
            time.sleep(0.02)
        raise RuntimeError(
            f"{self.name} is not ready at {path} after {seconds:.0f} s, see {self.log}")

    def kill(self):
        crash(self.child, self.name)

    def is_unready(self):
        """Whether it says so; one that has no time for an answer says nothing."""
        try:
            return Node(self.admin_port, "localhost", 2).send("GET", "/readyz").status == 503
        except OSError:
            return False

    @property
    def is_running(self):
        return self.child is not None and self.child.poll() is None


def stop(processes):
    """Ends them in good order, all at once: each gives its clients seconds to go elsewhere."""
    running = [process for process in processes if process.is_running]
    for process in running:
        process.child.terminate()
    for process in running:
        try:
            process.child.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
