"""The network between our processes and what they use: it can be cut, in either direction.

A proxy in a process of its own. A cut holds bytes back as a broken link does: nobody is told. When
it ends the bytes go on, or the connections are reset.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter

import uvloop

CHUNK = 1 << 16


class Link:
    """One listening address, where it leads, and what flows through it now."""

    def __init__(self, listen, target):
        self.listen, self.target = listen, target
        self.gates, self.cuts = {}, Counter()
        self.writers = set()
        # Whoever is not held listens no more.
        self.server = None
        self.held = 0

    async def open(self):
        self.gates = {direction: asyncio.Event() for direction in ("there", "back")}
        for gate in self.gates.values():
            gate.set()
        if isinstance(self.listen, int):
            self.server = await asyncio.start_server(self.take, "127.0.0.1", self.listen)
        else:
            self.server = await asyncio.start_unix_server(self.take, self.listen)
            os.chmod(self.listen, 0o777)

    async def take(self, reader, writer):
        try:
            if isinstance(self.target, int):
                far = await asyncio.open_connection("127.0.0.1", self.target)
            else:
                far = await asyncio.open_unix_connection(self.target)
        except OSError:
            return writer.close()
        writers = {writer, far[1]}
        self.writers |= writers
        try:
            await asyncio.gather(
                self.pump(reader, far[1], "there"), self.pump(far[0], writer, "back")
            )
        finally:
            self.writers -= writers

    async def pump(self, reader, writer, direction):
        try:
            while data := await reader.read(CHUNK):
                self.held += not self.gates[direction].is_set()
                await self.gates[direction].wait()
                try:
                    writer.write(data)
                except RuntimeError:
                    break  # It was reset meanwhile.
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def cut(self, direction, seconds, resets):
        """Answers how often something was held back; of two cuts at once the last one opens."""
        before = self.held
        self.cuts[direction] += 1
        self.gates[direction].clear()
        await asyncio.sleep(seconds)
        if resets:
            self.reset()
        self.cuts[direction] -= 1
        if not self.cuts[direction]:
            self.gates[direction].set()
        return self.held - before

    def reset(self):
        for writer in list(self.writers):
            writer.transport.abort()


def serve(links, commands):
    """The child: runs until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    async def run():
        loop, ended, tasks = asyncio.get_running_loop(), asyncio.Event(), set()
        for link in links.values():
            await link.open()
        commands.send("ready")

        async def cut(link, number, *rest):
            commands.send((number, await link.cut(*rest)))

        def obey():
            try:
                word, name, *rest = commands.recv()
            except EOFError:
                loop.remove_reader(commands.fileno())
                return ended.set()
            if word == "cut":
                task = loop.create_task(cut(links[name], *rest))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            else:
                links[name].target = rest[0]
                links[name].reset()

        loop.add_reader(commands.fileno(), obey)
        await ended.wait()

    # All that processes say to PostgreSQL and Kafka comes by here.
    uvloop.install()
    asyncio.run(run())
    os._exit(0)


class Network:
    """All links; a process is reached, or reaches something, only through its own."""

    def __init__(self):
        self.links, self.commands, self.child = {}, None, None
        self.lock, self.cuts, self.held = threading.Lock(), 0, {}

    def add(self, name, listen, target):
        self.links[name] = Link(listen, target)

    def start(self):
        self.commands, theirs = multiprocessing.Pipe()
        self.child = multiprocessing.Process(target=serve, args=(self.links, theirs), daemon=True)
        self.child.start()
        theirs.close()
        self.commands.recv()

    def stop(self):
        if self.child is not None:
            self.commands.close()
            self.child.terminate()
            self.child.join(5)

    def cut(self, name, direction, seconds, resets):
        """Begins a cut; answers its number."""
        with self.lock:
            self.cuts += 1
            self.commands.send(("cut", name, self.cuts, direction, seconds, resets))
            return self.cuts

    def has_held(self, number):
        """Whether a cut that is over held anything back."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with self.lock:
                while self.commands.poll():
                    cut, held = self.commands.recv()
                    self.held[cut] = held
                if number in self.held:
                    return self.held[number] > 0
            time.sleep(0.1)
        return False

    def aim(self, name, target):
        """Leads somewhere else from now on; what flows is reset."""
        with self.lock:
            self.commands.send(("aim", name, target))
