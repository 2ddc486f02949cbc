"""How a person of the load asks: until the outcome is known, at either node, now and then at both.
"""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from canaries import digests
from held import Told

# An outcome must be known within this; the client's grace is longer (60 s).
RETRY_SECONDS = 45
DIGESTS_MAX = 4000


class GaveUp(Exception):
    """No node answered for `RETRY_SECONDS`."""


class Lost(Exception):
    """The session is not known any more; its person starts again."""


class Asker(threading.Thread):
    """Lives one session after the other, asks, and keeps what it was told.

    A tolerant one takes any refusal, as where clocks are wrong; what was acknowledged counts.
    """

    def __init__(self, stack, stop, name, history, tolerant):
        super().__init__(daemon=True)
        self.stack, self.stop, self.random = stack, stop, random.Random(name)
        self.nodes = [stack.node(0, timeout=8), stack.node(1, timeout=8)]
        # For a second request at the same moment.
        self.others = [stack.node(0, timeout=8), stack.node(1, timeout=8)]
        self.history, self.tolerant, self.told = history, tolerant, Told()
        # What is asked about the session that ended last, until another ends.
        self.former = None

    def run(self):
        while not self.stop.is_set():
            try:
                if self.former:
                    self.send(self.former)  # Whatever failed meanwhile: the history judges.
                self.live()
            except (GaveUp, Lost):
                pass
            except (OSError, RuntimeError, LookupError, ValueError) as error:
                # A page met a fault: a person starts again.
                self.told.unknown += 1
                self.told.given_up[f"{type(error).__name__} {error}"[:100]] += 1
                time.sleep(0.1)

    def send(self, request, node=None, nodes=None):
        """An outcome for sure: unknown ones are asked again, at the other node unless one is named.
        """
        number = self.random.randrange(2) if node is None else node
        deadline = time.monotonic() + RETRY_SECONDS
        while time.monotonic() < deadline:
            start, answer = time.monotonic(), None
            request.since = request.since or start
            headers = request.headers() if callable(request.headers) else request.headers
            try:
                answer = (nodes or self.nodes)[number].send(
                    request.method, request.target, request.form, headers)
            except TimeoutError:
                request.is_left = True
            except OSError:
                pass
            known = answer is not None and answer.is_known
            worked = known and request.worked(answer)
            outcome = "unknown" if not known else "ok" if worked else "refused"
            self.history.write(request, start, outcome)
            if answer is not None and answer.is_mistake:
                self.refused(request.kind, answer)
            if known:
                self.told.done[request.kind] += answer.is_good
                return answer
            self.told.unknown += 1
            if node is None:
                number = 1 - number
            time.sleep(0.05 + self.random.random() / 10)
        raise GaveUp

    def at_once(self, request):
        """The same request at both nodes at the same moment; both answers."""
        with ThreadPoolExecutor(2) as pool:
            pair = [
                pool.submit(self.send, request, node, nodes)
                for node, nodes in enumerate((self.nodes, self.others))
            ]
            return [one.result() for one in pair]

    def spend(self, request, again=0.1):
        """The answer to what works once; None when it may have worked without an answer.

        Every fifth goes to both nodes at the same moment, and what worked is tried `again`.
        """
        unknown = self.told.unknown
        if self.random.random() < 0.2:
            both = self.at_once(request)
            good = [one for one in both if one.is_good]
            if len(good) == 2:
                self.wrong("double-spent", f"{request.kind} worked at both nodes")
            answer = (good or both)[0]
        else:
            answer = self.send(request)
        if not answer.is_good:
            # The first answer may have been lost after its commit: then it is spent.
            if self.told.unknown == unknown:
                self.refused(request.kind, answer)
            return None
        if self.random.random() < again and self.send(request).is_good:
            self.wrong("double-spent", f"{request.kind} worked twice")
        return answer

    def wrong(self, kind, what):
        self.told.wrong.append((kind, what))

    def happened(self, kind, name):
        """An event was acknowledged; its type, and what it is looked up by."""
        self.told.kept.add((kind, name.replace("-", "")))

    def keep(self, *secrets):
        if len(self.told.secrets) < DIGESTS_MAX:
            self.told.secrets.update(*(digests(secret) for secret in secrets if secret))

    def sure(self, request, nodes=None):
        """What may be repeated, and must work."""
        answer = self.send(request, nodes=nodes)
        if not answer.is_good:
            self.refused(request.kind, answer)
            raise Lost
        if request.is_left:
            # That node may do it yet, behind all that follows: rightly taken for an attack.
            raise Lost
        return answer

    def refused(self, what, answer):
        if not self.tolerant:
            self.wrong("refused", f"{what}: {answer.words}")
