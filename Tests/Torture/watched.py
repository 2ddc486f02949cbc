"""How much memory and how many descriptors processes of ours have while everything fails."""

import os
import resource
from pathlib import Path


class Watched:
    """A process as the kernel sees it."""

    def __init__(self, number):
        self.number = number

    @property
    def resident_mib(self):
        pages = Path(f"/proc/{self.number}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize() / 1048576

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.number}/fd"))


class Largest:
    """The most that any process of a program had, over all samples."""

    def __init__(self):
        self.mib, self.descriptors, self.samples = {}, {}, 0

    def look(self, processes):
        for process in processes:
            child = process.child
            if child is None or child.poll() is not None:
                continue
            watched, program = Watched(child.pid), process.program
            try:
                mib, descriptors = watched.resident_mib, watched.descriptors
            except OSError:
                continue  # It was killed meanwhile.
            self.samples += 1
            self.mib[program] = max(mib, self.mib.get(program, 0))
            self.descriptors[program] = max(descriptors, self.descriptors.get(program, 0))

    @property
    def text(self):
        return ", ".join(
            f"{program} {mib:.0f} MiB, {self.descriptors[program]} descriptors"
            for program, mib in sorted(self.mib.items()))
