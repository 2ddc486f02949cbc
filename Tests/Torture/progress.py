"""What a long run says meanwhile."""

import time

START = time.monotonic()


def say(text):
    """A line, and how long after the start it is said."""
    minutes, seconds = divmod(int(time.monotonic() - START), 60)
    print(f"  {minutes}:{seconds:02} {text}", flush=True)
