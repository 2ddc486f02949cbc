"""The way of a badly behaved client to the server."""

import asyncio
import collections
import re
import socket
import time

DISCOVERY = "/.well-known/openid-configuration"


def has_status(data):
    return b"\r\n" in data


def is_whole(data):
    """Whether an answer has come to its end, so that another may follow."""
    head, end, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return bool(end) and len(body) >= int(length[1] if length else 0)


class Attack:
    """The way to a server, from as many loopback addresses as are asked for."""

    def __init__(self, stack, question):
        self.stack, self.port, self.host = stack, stack.port, stack.host
        # An introspection: a request that waits for PostgreSQL.
        self.question = question
        self.seen = collections.Counter()
        self.loop = asyncio.get_running_loop()

    async def connect(self, number=0, takes_little=False, port=None):
        """A socket from the address of this number; 200 connections share one.

        For a peer that takes little at once the server's socket keeps little, too: short segments
        and a small window from the start are what its size follows.
        """
        block = number // 200
        link = socket.socket()
        link.setblocking(False)
        link.setsockopt(socket.SOL_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
        if takes_little:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.bind((f"127.1.{block // 250}.{1 + block % 250}", 0))
        await self.loop.sock_connect(link, ("127.0.0.1", port or self.port))
        return link

    def head(self, method="GET", target=DISCOVERY, *fields):
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.host}", *fields, "", ""]
        return "\r\n".join(lines).encode()

    async def status(self, link, seconds=20, is_enough=has_status):
        """The status of the next answer, `closed` when there is none, `silent` after a while."""
        data = b""
        try:
            while not is_enough(data):
                part = await asyncio.wait_for(self.loop.sock_recv(link, 65536), seconds)
                if not part:
                    return "closed"
                data += part
        except TimeoutError:
            return "silent"
        except OSError:
            return "closed"
        return data[9:12].decode()

    async def ask(self, link, request, seconds=20):
        """Sends, and reads the answer to its end: `status` of it."""
        try:
            await self.loop.sock_sendall(link, request)
        except ConnectionError:
            return "closed"
        return await self.status(link, seconds, is_whole)

    async def leave(self, link, seconds=10):
        """Closes when the server has closed, so that it counts this connection no more."""
        with link:
            try:
                link.shutdown(socket.SHUT_WR)
                while await asyncio.wait_for(self.loop.sock_recv(link, 65536), seconds):
                    pass
            except OSError:
                pass  # Also a TimeoutError.

    async def note(self, body):
        try:
            self.seen[str(await body)] += 1
        except (OSError, TimeoutError) as error:
            self.seen[type(error).__name__] += 1

    async def many(self, count, body, at_once=200):
        """Runs `body(number)` for each number."""
        gate = asyncio.Semaphore(at_once)

        async def one(number):
            async with gate:
                await self.note(body(number))

        await asyncio.gather(*(one(number) for number in range(count)))

    async def until(self, end, workers, body, wants_more=lambda: False):
        """Runs `body(number)` again and again in so many tasks."""

        async def worker(number):
            while time.monotonic() < end or wants_more():
                await self.note(body(number))
                await asyncio.sleep(0.01)

        await asyncio.gather(*(worker(number) for number in range(workers)))
