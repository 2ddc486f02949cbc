"""What the proofs would notice: each is shown what it must refuse, without a server."""

import asyncio
import base64
import contextlib
import hashlib
import io
import sys
import tempfile
from pathlib import Path

import uvloop

import keys
from canaries import Canaries, digests
from faults import Faults
from feed import Reader
from followers import Indices, Keys
from history import History
from network import Link

FAILED = []
SECRET = "rt_" + base64.urlsafe_b64encode(bytes(range(54))).decode()


def check(sentence, holds):
    print(f"ok checks: {sentence}" if holds else f"not ok checks: {sentence}", flush=True)
    if not holds:
        FAILED.append(sentence)


def page(*indices, mark=None):
    items = [{"key": f"key-{index}", "log_index": index} for index in indices]
    more = {"watermark": {"log_index": mark, "complete_through_at": mark}} if mark else {}
    return {"items": items, "next": "cursor", **more}


def seen(*pages):
    reader = Reader()
    for one in pages:
        reader.take(one)
    return set(reader.found.counts)


def feed():
    check("a feed in order is none of it", not seen(page(1, 2), page(5, mark=6), page(7, mark=7)))
    check("a revocation that comes twice by the cursor", "duplicated" in seen(page(1), page(1)))
    check("a page that is not in order", "reordered" in seen(page(3, 2)))
    check("a number below one of a page before", "reordered" in seen(page(3), page(2)))
    check("what comes late, below a watermark", "lost" in seen(page(3, mark=9), page(8)))
    reader = Reader()
    reader.take(page(1, 2, mark=9))
    reader.begin()
    reader.take(page(1, mark=8))
    check("what is read again from the beginning is none of it", not reader.found.counts)
    check("a watermark that goes back", "reordered" in seen(page(1, mark=9), page(mark=8)))


def canaries():
    def finds(text):
        found = Canaries(set(digests(SECRET)))
        found.look("a log", text)
        return bool(found.found.counts)

    inner = hashlib.sha256(base64.urlsafe_b64decode(SECRET[3:])[-32:])
    check("a secret in a line", finds(f"token={SECRET} was refused".encode()))
    check("its digest in hexadecimal",
          finds(hashlib.sha256(SECRET.encode()).hexdigest().encode()))
    check("the digest of what is secret in it", finds(
        b'{"secret":"' + keys.encoded(inner.digest()).encode() + b'"}'))
    check("an address, also percent-encoded", finds(b"to a.b@people.example.com")
          and finds(b"email=a.b%40people.example.com"))
    check("no other word", not finds(b"0190f3c0-0000-7000-8000-0000000000a7 nobody@example.org"))


def history():
    def late(*files):
        with tempfile.TemporaryDirectory() as folder:
            for number, text in enumerate(files):
                Path(folder, f"history-{number}").write_text(text, encoding="ascii")
            return History.of(Path(folder)).after_end.total()

    end, other = "s 2.0 2.0 end ok\n", "s 9.0 9.0 end ok\n"
    after = "a 3.0 3.1 userinfo ok s\n"
    check("what works after an end, whichever of two processes noted it",
          late(end, after) == 1 and late(after, end) == 1)
    check("of two who know of an end it is the first", late(other, after, end) == 1)
    check("what had started before is none of it", late("a 1.0 3.1 userinfo ok s\n", end) == 0)


def kafka():
    indices = Indices.__new__(Indices)
    indices.next, indices.seen, indices.ahead = {0: 6}, bytearray(), []
    for offset, number in enumerate((b"0", b"2", b"2", None, b"3", b"1")):
        indices.take(0, offset, number, {0: 5})
    check("a number that came twice counts once, a hole does not count",
          indices.missing(4, {0: 5}) == 1)
    check("what came after a look counts for the next one", indices.missing(4, {0: 6}) == 0)
    keys = Keys.__new__(Keys)
    keys.next, keys.seen, keys.ahead = {0: 3}, set(), []
    for offset, key in enumerate((b"a", b"~watermark/0", b"b")):
        keys.take(0, offset, key, {0: 2})
    check("a revocation that its topic lacks", keys.missing({"a", "b"}, {0: 2}) == 1)
    check("one that came after a look counts for the next one",
          keys.missing({"a", "b"}, {0: 3}) == 0)


class Plan(Faults):
    """Two faults, the first of which never strikes."""

    gap = 0

    def do(self, word):
        if word == "cut":
            self.later(word, lambda: False)
        return word


def faults():
    plan = Plan(None, 0, ["cut", "kill"], 0)
    with contextlib.redirect_stdout(io.StringIO()):
        plan.run(1)
        plan.wait()
        plan.run(1)
    check("a fault that did not strike does not count, and is due again",
          plan.count == 1 and not plan.is_done)
    link = Link(0, 0)
    link.gates = {"there": asyncio.Event()}
    check("a cut of what is silent holds nothing back",
          asyncio.run(link.cut("there", 0.01, False)) == 0)

    async def twice():
        cuts = [asyncio.create_task(link.cut("there", s, False)) for s in (0.01, 0.2)]
        await cuts[0]
        is_open = link.gates["there"].is_set()
        await cuts[1]
        return not is_open and link.gates["there"].is_set()

    check("a cut that ends does not end another one", asyncio.run(twice()))


async def over_a_link(folder, resets):
    """Says a word through a link that is cut: what came meanwhile, after it, and at the far end."""
    heard = bytearray()

    async def echo(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(9):
                heard.extend(data)
                writer.write(data)
        writer.close()

    name = "reset" if resets else "cut"
    near, far = f"{folder}/{name}.near", f"{folder}/{name}.far"
    server = await asyncio.start_unix_server(echo, far)
    link = Link(near, far)
    await link.open()
    reader, writer = await asyncio.open_unix_connection(near)
    writer.write(b"a")
    before = await reader.read(9)
    cut = asyncio.create_task(link.cut("there", 0.3, resets))
    await asyncio.sleep(0.05)
    writer.write(b"b")
    meanwhile = asyncio.create_task(reader.read(9))
    await asyncio.sleep(0.05)
    was_silent = not meanwhile.done()
    held = await cut
    try:
        after = await meanwhile
    except ConnectionError:
        after = b""
    writer.close()
    server.close()
    return before == b"a" and was_silent and held == 1, after, bytes(heard)


def network():
    with tempfile.TemporaryDirectory() as folder:
        check("what is held back goes on when a cut ends",
              asyncio.run(over_a_link(folder, False)) == (True, b"b", b"ab"))
        check("what is held back is gone with connections that are reset",
              asyncio.run(over_a_link(folder, True)) == (True, b"", b"a"))


def main():
    uvloop.install()  # As the network of a run.
    feed()
    canaries()
    history()
    kafka()
    faults()
    network()
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
