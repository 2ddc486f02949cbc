"""How much memory and how many descriptors processes of ours have while everything fails."""

import os
import re
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

    def forget_peak(self):
        """Lets the peak begin anew; else it is that of the whole life, which is no less."""
        try:
            Path(f"/proc/{self.number}/clear_refs").write_text("5")
        except OSError:
            pass  # What forbids dumps belongs to root.

    @property
    def peak_mib(self):
        """The most since then; 0 of a process that has ended."""
        try:
            status = Path(f"/proc/{self.number}/status").read_text()
        except OSError:
            return 0
        peak = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
        return int(peak[1]) / 1024 if peak else 0

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
