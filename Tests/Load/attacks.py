"""What badly behaved clients do. Each attack says what it saw, as counts by status or fate."""

import asyncio
import os
import socket
import struct
import time

from attack import Attack
from bombs import bombs

# Of security.md section 7.2: connections of a node, and of one address.
CONNECTIONS_MAX, PER_ADDRESS_MAX = 10_000, 256
# From the first byte of a head to its last (security.md 7.2).
HEAD_SECONDS = 5
# From the connection to the first byte.
FIRST_BYTE_SECONDS = 10


async def silent(attack, seconds):
    """Connections that never say a word: the first byte has a deadline, too."""

    async def one(number):
        link = await attack.connect(number)
        with link:
            start = time.monotonic()
            fate = await attack.status(link, FIRST_BYTE_SECONDS * 3)
            took = time.monotonic() - start
            return fate if took < FIRST_BYTE_SECONDS * 2 else f"{fate} after {took:.0f} s"

    await attack.until(time.monotonic() + seconds, 1_000, one)


async def idle(attack, seconds):
    """More open connections than a node takes, each after one request."""
    links = []

    async def one(number):
        link = await attack.connect(number)
        links.append(link)
        await attack.loop.sock_sendall(link, attack.head())
        return await attack.status(link)

    # The polite client has its own already.
    await attack.many(CONNECTIONS_MAX + 100, one)
    await asyncio.sleep(seconds)
    for link in links:
        link.close()


async def slow_heads(attack, seconds):
    """A byte every half second: the head's deadline is absolute."""

    async def one(number):
        link = await attack.connect(number)
        with link:
            start, fate = time.monotonic(), "silent"
            for byte in attack.head()[:60]:
                try:
                    await attack.loop.sock_sendall(link, bytes([byte]))
                except OSError:
                    pass
                fate = await attack.status(link, 0.5)
                if fate != "silent":
                    break
            took = time.monotonic() - start
            return fate if took < HEAD_SECONDS * 3 else f"{fate} after {took:.0f} s"

    await attack.until(time.monotonic() + seconds, 1_000, one)


async def slow_bodies(attack, seconds):
    """Long bodies that never come: their bytes are reserved, and there is a bound on those."""
    form = ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 65000"]

    async def one(number):
        link = await attack.connect(number)
        with link:
            head = attack.head("POST", "/oauth2/token", *form)
            await attack.loop.sock_sendall(link, head + b"grant_type=")
            return await attack.status(link)

    await attack.until(time.monotonic() + seconds, 1_500, one)


async def slow_readers(attack, seconds):
    """Many requests, and nobody reads the answers."""
    await send_ahead(attack, seconds, attack.head())


async def slow_askers(attack, seconds):
    """The same with requests that wait for PostgreSQL."""
    await send_ahead(attack, seconds, attack.question)


async def send_ahead(attack, seconds, request):
    async def one(number):
        link = await attack.connect(number)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with link:
            try:
                sending = attack.loop.sock_sendall(link, request * 400)
                await asyncio.wait_for(sending, 12)
            except (TimeoutError, OSError):
                return "stuck"
            await asyncio.sleep(11)
            return "sent"

    await attack.until(time.monotonic() + seconds, 300, one)


async def pipelining(attack, seconds):
    """A hundred requests in one piece; each is answered, the last one, of no body, at the end."""

    async def one(number):
        link = await attack.connect(number)
        with link:
            await attack.loop.sock_sendall(link, attack.head() * 99 + attack.head("HEAD"))
            data, answers = bytearray(), 0
            # Counted in all that came: a status line that is cut in two is one, too.
            while answers < 100 or not data.endswith(b"\r\n\r\n"):
                part = await asyncio.wait_for(attack.loop.sock_recv(link, 262_144), 20)
                if not part:
                    break
                data += part
                answers = data.count(b"HTTP/1.1 200 ")
            return f"{answers} answers"

    await attack.until(time.monotonic() + seconds, 32, one)


async def bombing(attack, seconds):
    """Every bomb from many connections; `right` is what the wire contract says."""
    list_ = list(bombs(attack).items())

    async def one(number):
        name, (data, right) = list_[attack.seen.total() % len(list_)]
        link = await attack.connect(number)
        with link:
            try:
                await attack.loop.sock_sendall(link, data)
            except OSError:
                pass  # Refused before the end of it.
            status = await attack.status(link)
            return "right" if status in right else f"{name}: {status}"

    await attack.until(time.monotonic() + seconds, 64, one)


async def crowding(attack, seconds):
    """More connections from one address than it may have: the others are not served."""
    end = time.monotonic() + seconds
    links = []

    async def one(_):
        link = await attack.connect(number=199)
        links.append(link)
        await attack.loop.sock_sendall(link, attack.head())
        return await attack.status(link, seconds=5)

    while time.monotonic() < end:
        served = attack.seen["200"]
        await attack.many(PER_ADDRESS_MAX * 3, one, at_once=PER_ADDRESS_MAX * 3)
        if attack.seen["200"] - served > PER_ADDRESS_MAX:
            attack.seen["served beyond the bound"] += 1
        for link in links:
            link.close()
        links.clear()
        await asyncio.sleep(0.2)


async def half_closed(attack, seconds):
    """A request, then the end of our side: it is answered; one that breaks off is not."""

    async def one(number):
        kind = attack.seen.total() % 3
        link = await attack.connect(number)
        with link:
            head = attack.head()
            await attack.loop.sock_sendall(link, head if kind else head[:40])
            if kind == 2:  # Reset at once.
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return "reset"
            link.shutdown(socket.SHUT_WR)
            status = await attack.status(link)
            return f"{'whole' if kind else 'broken'}: {status}"

    await attack.until(time.monotonic() + seconds, 64, one)


async def guessing(attack, seconds):
    """Refresh tokens and secrets at random, past the rates of an address."""
    form = "Content-Type: application/x-www-form-urlencoded"

    async def one(number):
        kind = attack.seen.total() % 3
        token = os.urandom(54).hex()[:72]
        body = (
            f"grant_type=refresh_token&client_id=app&refresh_token=rt_{token}",
            "grant_type=client_credentials&client_id=api&client_secret=guess",
            f"client_id=app&token=rt_{token}",
        )[kind]
        target = "/oauth2/revoke" if kind == 2 else "/oauth2/token"
        link = await attack.connect(number)
        with link:
            head = attack.head("POST", target, form, f"Content-Length: {len(body)}")
            await attack.loop.sock_sendall(link, head + body.encode())
            return await attack.status(link)

    await attack.until(time.monotonic() + seconds, 64, one)


def run(pipe, port, host, question, name, seconds):
    """In a process of its own, behind everybody who behaves."""
    os.nice(10)

    async def main():
        attack = Attack(port, host, question)
        await globals()[name](attack, seconds)
        return dict(attack.seen)

    pipe.send(asyncio.run(main()))
