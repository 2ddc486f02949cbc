"""A PostgreSQL primary with a synchronous standby, to be crashed and promoted."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from children import crash

BINARIES = Path("/usr/lib/postgresql/15/bin")
SECONDS_MAX = 120
SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
unix_socket_permissions = 0777
max_connections = 200
shared_buffers = 256MB
max_locks_per_transaction = 256
wal_level = replica
max_wal_senders = 8
wal_keep_size = 1GB
max_wal_size = 4GB
checkpoint_timeout = 15min
wal_compression = lz4
jit = off
timezone = UTC
"""


def unprivileged():
    """PostgreSQL refuses to run as root; its account may not be able to enter our folder."""
    if os.geteuid() != 0:
        return []
    return [
        "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
        "--inh-caps=-all,+dac_override", "--ambient-caps=-all,+dac_override", "--",
    ]


class Cluster:
    """One data directory and, now and then, its server."""

    def __init__(self, folder, environment):
        self.folder, self.data = folder, folder / "data"
        self.environment = {**os.environ, **environment}
        self.child = None
        folder.mkdir(parents=True)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")

    @property
    def socket(self):
        return str(self.folder / ".s.PGSQL.5432")

    @property
    def url(self):
        return f"postgresql:///chancery?host={self.folder}&user=postgres"

    def run(self, program, *arguments):
        """Runs one of PostgreSQL's tools to its end."""
        with open(self.folder / "tools.log", "ab") as log:
            subprocess.run(
                [*unprivileged(), BINARIES / program, *arguments], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True,
            )

    def make(self):
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                 "--no-locale", "--data-checksums")
        self.configure()

    def configure(self):
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(SETTINGS.format(folder=self.folder))

    def copy(self, primary):
        """Becomes a standby of `primary`: by rewinding what is here, else from nothing."""
        source = f"host={primary.folder} user=postgres"
        try:
            if not self.data.exists():
                raise FileNotFoundError
            self.run("pg_rewind", "-D", self.data, "-R", "--source-server",
                     f"{source} dbname=postgres")
        except (subprocess.CalledProcessError, FileNotFoundError):
            shutil.rmtree(self.data, ignore_errors=True)
            self.run("pg_basebackup", "-D", self.data, "-R", "-c", "fast", "-d", source)
        self.configure()

    def start(self):
        """Starts the server; tries again while the former one's memory is in use."""
        deadline = time.monotonic() + SECONDS_MAX
        while time.monotonic() < deadline:
            with open(self.folder / "server.log", "ab") as log:
                self.child = subprocess.Popen(
                    [*unprivileged(), BINARIES / "postgres", "-D", self.data], cwd=self.folder,
                    env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True,
                )
            while self.child.poll() is None and time.monotonic() < deadline:
                if self.is_ready():
                    return
                time.sleep(0.05)
            time.sleep(0.2)
        raise RuntimeError(f"PostgreSQL did not start, see {self.folder}/server.log")

    def is_ready(self):
        command = [BINARIES / "pg_isready", "-q", "-h", str(self.folder)]
        return subprocess.run(command, check=False).returncode == 0

    def kill(self):
        """The postmaster dies; its children see that and end, whatever they were at."""
        crash(self.child, f"PostgreSQL in {self.folder}")

    def stop(self):
        if self.child is not None and self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)
            try:
                self.child.wait(30)
            except subprocess.TimeoutExpired:
                self.child.send_signal(signal.SIGQUIT)

    def say(self, statement, database="postgres"):
        url = f"postgresql:///{database}?host={self.folder}&user=postgres"
        answer = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement, url],
            capture_output=True, text=True, check=False,
        )
        if answer.returncode != 0:
            raise RuntimeError(answer.stderr)
        return answer.stdout.strip()


class Pair:
    """A primary and its synchronous standby: no commit is answered that only one has."""

    def __init__(self, folder, environment):
        self.primary = Cluster(folder / "one", environment)
        self.standby = Cluster(folder / "two", environment)

    def start(self):
        self.primary.make()
        self.primary.start()
        self.primary.say("CREATE DATABASE chancery")
        self.attach()

    def attach(self):
        """Gives the primary a standby, and waits until it is synchronous."""
        self.standby.copy(self.primary)
        self.standby.start()
        self.primary.say("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.say("SELECT pg_reload_conf()")
        self.wait_until_safe()

    def wait_until_safe(self):
        deadline = time.monotonic() + SECONDS_MAX
        while time.monotonic() < deadline:
            if self.is_safe():
                return
            time.sleep(0.1)
        raise RuntimeError("the standby did not become synchronous")

    def is_safe(self):
        """Whether the standby has, and will have, all that is acknowledged."""
        try:
            return self.primary.say("SELECT count(*) FROM pg_stat_replication"
                                    " WHERE sync_state IN ('sync', 'quorum')") == "1"
        except RuntimeError:
            return False

    def crash(self):
        """The primary is killed and comes back."""
        self.primary.kill()
        self.primary.start()

    def promote(self):
        """The primary is killed for good; the standby takes over. `attach` makes a new one."""
        self.primary.kill()
        self.standby.run("pg_ctl", "promote", "-w", "-D", self.standby.data)
        self.primary, self.standby = self.standby, self.primary
        # Only then does its control file name the new timeline, which pg_rewind looks for.
        self.primary.say("CHECKPOINT")

    def revive(self):
        """Starts what ended by itself, as a service manager would."""
        for cluster in (self.primary, self.standby):
            if cluster.child.poll() is not None or not cluster.is_ready():
                cluster.stop()
                cluster.start()

    def stop(self):
        self.standby.stop()
        self.primary.stop()
