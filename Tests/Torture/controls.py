"""Control runs: the torture test must go red when the product has a known bug.

usage: controls.py [NAME]...

Each run has one bug, built in as small as it can be: in SQL, in a program compiled from a patched
copy of the sources, or in the reader. EVENTS (10000) is the load of each; SEED draws it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "Tests/Torture"
COPY = ROOT / ".build/controls"
# Name: the test that must go red, how the bug gets in, and what of it must be found: a sentence, or
# words of a proof. What else is red beside it counts for nothing.
CONTROLS = {
    "read-then-write redemption": (
        "races.py", "sql",
        r"not ok (50 redemptions .*: one success|the log has one (redemption|succession))"),
    "answer before commit": (
        "torture.py", "sql", r"lost \d+: (issued|ended|left|acknowledged), not in the log"),
    "end that is seen late": (
        "torture.py", "sql", r"after-revoke \d+: worked after its end, by the history"),
    "reader without dedupe": ("torture.py", "reader", r"duplicated: a reader saw \+\d+ of"),
    "dedupe by position": ("torture.py", "reader", r"lost: a reader saw -\d+ of"),
    "cursor on position alone": (
        "torture.py", "event-relay", r"(lost \d+: not in the ledger|reordered \d+: in the ledger)"),
    "relay cursor outside the database": (
        "torture.py", "event-relay", r"(duplicated \d+: twice in the ledger|foreign: )"),
}


def spoil(stack):
    """Puts the bug that CONTROL names into the database, if it is one of those."""
    name = os.environ.get("CONTROL")
    if name == "answer before commit":
        # Acknowledged while the log's bytes are still in memory, for up to ten seconds.
        stack.rows("ALTER ROLE token_issuer SET synchronous_commit = off")
        stack.rows("ALTER SYSTEM SET wal_writer_delay = '10s'")
        stack.rows("ALTER SYSTEM SET wal_writer_flush_after = '1GB'")
        stack.rows("SELECT pg_reload_conf()")
    elif name == "dedupe by position":
        # A commit that overlaps another draws between its positions, but few do. Here each
        # connection draws 32 ahead, so positions and the log have two orders in every run.
        stack.rows("ALTER SEQUENCE es.events_position_seq CACHE 32")
    elif name == "end that is seen late":
        # As when a node asks a standby that is a second behind.
        stack.rows("CREATE POLICY rest ON es.events USING (true)")
        stack.rows("CREATE POLICY late ON es.events AS RESTRICTIVE TO token_issuer USING"
                   " (type <> 711 OR occurred_at < clock_timestamp() - interval '1 second')")
        stack.rows("ALTER TABLE es.events ENABLE ROW LEVEL SECURITY")
    elif name == "read-then-write redemption":
        # Nobody asks whether the head is still the one that was decided from.
        text = "\n".join("\t".join(row) for row in stack.rows(
            "SELECT pg_get_functiondef('es.append'::regproc)"))
        for old, new in (
            ("WHERE x <> coalesce(", "WHERE false AND x <> coalesce("),
            ("SELECT s, v, t, pr,", "SELECT s, (SELECT coalesce(max(e.version), 0) FROM es.events"
             " AS e WHERE e.stream_id = s) + v - x, t, pr,"),
            ("unnest(p_cmd, p_project, p_stream, p_version,",
             "unnest(p_cmd, p_expect, p_project, p_stream, p_version,"),
            ("AS u (c, pr,", "AS u (c, x, pr,"),
        ):
            if old not in text:
                raise RuntimeError(f"es.append has no {old!r} any more")
            text = text.replace(old, new)
        stack.rows(text)


def build(name, program):
    """Compiles `program` with the patch of this name; the copy keeps its build."""
    for part in ("Sources", "migrations", "Package.swift", "Tests"):
        target = COPY / "tree" / part
        if (ROOT / part).is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(ROOT / part, target)  # With times: what is as before is not compiled.
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / part, target)
    patch = HERE / "controls" / (name.replace(" ", "-") + ".patch")
    subprocess.run(["patch", "-s", "-p1", "-d", COPY / "tree", "-i", patch], check=True)
    subprocess.run(
        ["swift", "build", "--package-path", COPY / "tree", "--scratch-path", COPY / "build",
         "--product", program, "--quiet"], check=True, stdout=subprocess.DEVNULL,
    )
    return COPY / "build/debug" / program


def goes_red(name):
    """Runs one control; answers whether its bug is what was found, and what was seen."""
    script, place, words = CONTROLS[name]
    environment = {**os.environ, "CONTROL": name, "EVENTS": os.environ.get("EVENTS", "10000")}
    environment.pop("TORTURE", None)
    if place not in ("sql", "reader"):
        environment[f"PROGRAM_{place}"] = str(build(name, place))
    run = subprocess.Popen(
        ["/usr/bin/python3", "-B", HERE / script], env=environment, cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    output, errors = run.communicate()
    # Its evidence alone: that of other runs is wanted.
    folder = ROOT / ".build" / f"{script.removesuffix('.py')}-{run.pid}"
    shutil.rmtree(folder, ignore_errors=True)
    lines = output.splitlines()
    found = [line.strip() for line in lines if re.match(rf"\s*{words}", line)]
    red = [line for line in lines if line.startswith("not ok")]
    seen = (found or red or lines[-1:] or [errors[-300:]])[0]
    return bool(found) and run.returncode != 0, seen


def main():
    failed = False
    for name in sys.argv[1:] or CONTROLS:
        red, seen = goes_red(name)
        failed |= not red
        print(f"ok control: {name} is found out" if red else
              f"not ok control: {name} is found out: {seen}", flush=True)
        print(f"  {seen}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
