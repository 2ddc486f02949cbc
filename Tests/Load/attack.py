"""The way of a badly behaved client to the server."""

import asyncio
import collections
import socket
import time

DISCOVERY = "/.well-known/openid-configuration"


class Attack:
    """The way to a server, from as many loopback addresses as are asked for."""

    def __init__(self, port, host, question):
        self.port, self.host = port, host
        # An introspection: a request that waits for PostgreSQL.
        self.question = question
        self.seen = collections.Counter()
        self.loop = asyncio.get_running_loop()

    async def connect(self, number=0):
        """A socket from the address of this number; 200 connections share one."""
        block = number // 200
        link = socket.socket()
        link.setblocking(False)
        link.setsockopt(socket.SOL_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
        link.bind((f"127.1.{block // 250}.{1 + block % 250}", 0))
        await self.loop.sock_connect(link, ("127.0.0.1", self.port))
        return link

    def head(self, method="GET", target=DISCOVERY, *fields):
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.host}", *fields, "", ""]
        return "\r\n".join(lines).encode()

    async def status(self, link, seconds=20):
        """The status of the next answer, `closed` when there is none, `silent` after a while."""
        data = b""
        try:
            while b"\r\n" not in data:
                part = await asyncio.wait_for(self.loop.sock_recv(link, 65536), seconds)
                if not part:
                    return "closed"
                data += part
        except TimeoutError:
            return "silent"
        except OSError:
            return "closed"
        return data[9:12].decode()

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

    async def until(self, end, workers, body):
        """Runs `body(number)` again and again in so many tasks."""

        async def worker(number):
            while time.monotonic() < end:
                await self.note(body(number))
                await asyncio.sleep(0.01)

        await asyncio.gather(*(worker(number) for number in range(workers)))
