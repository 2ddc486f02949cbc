"""The load: people in several processes."""

import multiprocessing
import signal

from history import Notebook
from phone import Phone


def run(stack, stop, seed, first, clients, tolerant, results):
    """One process of the load."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    notebook = Notebook(stack.folder / f"history-{seed}-{first}")
    people = [
        Phone(stack, stop, f"{seed}/{first + n}", notebook, tolerant) for n in range(clients)
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    notebook.close()
    results.put([person.told for person in people])


class Load:
    """People in several processes, until told to stop."""

    def __init__(self, stack, seed, processes, clients, tolerant=False):
        self.stop, self.results = multiprocessing.Event(), multiprocessing.Queue()
        self.children = [
            multiprocessing.Process(
                target=run, daemon=True,
                args=(stack, self.stop, seed, n * clients, clients, tolerant, self.results),
            )
            for n in range(processes)
        ]
        for child in self.children:
            child.start()

    def end(self):
        """What all of them were told."""
        self.stop.set()
        told = [one for _ in self.children for one in self.results.get(timeout=240)]
        for child in self.children:
            child.join(10)
        return told
