"""What badly behaved clients do. Each attack says what it saw, as counts by status or fate."""

import asyncio
import itertools
import os
import socket
import struct
import time

from attack import Attack
from bombs import bombs
from feeds import feed_readers  # Found by its name, as the next one.
from floods import MORE_SECONDS_MAX, flooding

# Of Security 7.2: connections of a node, and of one address.
CONNECTIONS_MAX, PER_ADDRESS_MAX = 10_000, 256
# Connections beyond those of a node, and some whose end the server has not seen yet.
MORE_MAX, UNSEEN_MAX = 100, 6
# From the connection to the first byte; from the first byte of a head to its last; from there to
# the end of the body; from the first byte of an answer to its last; to the next request.
FIRST_BYTE_SECONDS, HEAD_SECONDS, BODY_SECONDS, WRITE_SECONDS, IDLE_SECONDS = 10, 5, 10, 10, 60
# Numbers of addresses that no other attack has.
CROWD, GUESSERS = 50_000, 60_000


async def silent(attack, seconds):
    """Connections that never say a word: the first byte has a deadline, too."""

    async def one(number):
        link = await attack.connect(number)
        with link:
            return await fate_within(attack, link, FIRST_BYTE_SECONDS)

    await attack.until(time.monotonic() + seconds, 1_000, one)


async def fate_within(attack, link, deadline):
    """What becomes of a connection, which it must within a deadline or soon after."""
    start = time.monotonic()
    fate = await attack.status(link, deadline * 3)
    took = time.monotonic() - start
    return fate if took < deadline * 2 else f"{fate} after {took:.0f} s"


async def idle(attack, seconds):
    """More open connections than a node takes, each after one request: the first make room.

    Then some of the others have another one.
    """
    served = []

    async def one(number):
        link = await attack.connect(number)
        status = await attack.ask(link, attack.head())
        if status == "200":
            served.append((link, time.monotonic()))
        else:
            link.close()
        return status

    await attack.many(CONNECTIONS_MAX + MORE_MAX, one)
    # The place that one loop has made another may take.
    if len(served) < (CONNECTIONS_MAX + MORE_MAX) * 0.999:
        attack.seen["too few served"] += 1

    async def is_open(number):
        link, since = served[number]
        status = await attack.ask(link, attack.head())
        is_late = time.monotonic() - since > IDLE_SECONDS - 5
        return "late" if is_late and status != "200" else status

    # They came at the same time as some that did not have to go.
    await attack.many(min(MORE_MAX, len(served)), is_open)
    await asyncio.sleep(seconds)
    some = served[MORE_MAX * 10::max(1, len(served) // 100)]

    async def again(number):
        link, since = some[number]
        status = await attack.ask(link, attack.head())
        is_late = time.monotonic() - since > IDLE_SECONDS - 5
        return "late" if is_late and status != "200" else f"again: {status}"

    await attack.many(len(some), again)
    for link, _ in served:
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
    """Long bodies that never come: each has its deadline, and a promise takes nobody's room."""
    form = ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 65000"]

    async def one(number):
        link = await attack.connect(number)
        with link:
            head = attack.head("POST", "/oauth2/token", *form)
            await attack.loop.sock_sendall(link, head + b"grant_type=")
            return await fate_within(attack, link, BODY_SECONDS)

    await attack.until(time.monotonic() + seconds, 1_500, one)


async def slow_readers(attack, seconds):
    """Many requests, and nobody reads the answers."""
    await send_ahead(attack, seconds, attack.head())


async def slow_askers(attack, seconds):
    """The same with requests that wait for PostgreSQL."""
    await send_ahead(attack, seconds, attack.question)


async def send_ahead(attack, seconds, request):
    many = request * 2_000

    async def one(number):
        # Where all answers fit into the server's socket, none of them is late.
        if number % 10 == 0:
            return await cut_off(attack, number, many)
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


async def cut_off(attack, number, requests):
    """Sends ahead more than sockets hold: the first answer that does not fit has a deadline."""
    link = await attack.connect(number, takes_little=True)
    rest, end = memoryview(requests), time.monotonic() + WRITE_SECONDS * 5
    with link:
        while time.monotonic() < end:
            try:
                rest = rest[link.send(rest):]
            except BlockingIOError:
                pass
            except OSError:
                return "cut off"
            await asyncio.sleep(0.5)
    return "still open"


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
    """Every bomb from many connections; its name alone when it met what the contract says."""
    turns = itertools.cycle(bombs(attack.head).items())

    async def one(number):
        name, (data, right) = next(turns)
        link = await attack.connect(number)
        with link:
            try:
                await attack.loop.sock_sendall(link, data)
            except OSError:
                pass  # Refused before the end of it.
            status = await attack.status(link)
            return name if status in right else f"{name}: {status}"

    await attack.until(time.monotonic() + seconds, 64, one)


async def crowding(attack, seconds):
    """More connections from one address than it may have: the others are not served."""
    end = time.monotonic() + seconds
    links = []

    async def one(_):
        link = await attack.connect(CROWD)
        links.append(link)
        return await attack.ask(link, attack.head())

    while time.monotonic() < end:
        before = attack.seen["200"]
        await attack.many(PER_ADDRESS_MAX * 3, one, at_once=PER_ADDRESS_MAX * 3)
        served = attack.seen["200"] - before
        if not PER_ADDRESS_MAX - UNSEEN_MAX <= served <= PER_ADDRESS_MAX:
            attack.seen[f"{served} served at once"] += 1
        await asyncio.gather(*map(attack.leave, links))
        links.clear()


async def half_closed(attack, seconds):
    """A request, then the end of our side: it is answered; one that breaks off is not."""

    turns = itertools.cycle(range(3))

    async def one(number):
        kind = next(turns)
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
    """Refresh tokens and secrets at random, past the rates: of each kind from another address."""
    form = "Content-Type: application/x-www-form-urlencoded"
    kinds = ("refresh", "secret", "revoke")
    end = time.monotonic() + seconds

    def wants_more():
        is_over = time.monotonic() > end + MORE_SECONDS_MAX
        return not is_over and any(attack.seen[f"{kind}: 429"] == 0 for kind in kinds)

    async def one(number):
        place = number % len(kinds)
        token = os.urandom(54).hex()[:72]
        body = (
            f"grant_type=refresh_token&client_id=app&refresh_token=rt_{token}",
            "grant_type=client_credentials&client_id=api&client_secret=guess",
            f"client_id=app&token=rt_{token}",
        )[place]
        target = "/oauth2/revoke" if kinds[place] == "revoke" else "/oauth2/token"
        link = await attack.connect(GUESSERS + place * 200)
        with link:
            head = attack.head("POST", target, form, f"Content-Length: {len(body)}")
            status = await attack.ask(link, head + body.encode())
            return f"{kinds[place]}: {status}"

    await attack.until(end, 63, one, wants_more)


def run(pipe, stack, question, name, seconds):
    """In a process of its own, behind everybody who behaves."""
    os.nice(10)

    async def main():
        attack = Attack(stack, question)
        await globals()[name](attack, seconds)
        return dict(attack.seen)

    pipe.send(asyncio.run(main()))
