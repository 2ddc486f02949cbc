"""Inputs beyond a bound."""

from attack import DISCOVERY


def bombs(head):
    """By name: what to send, and the statuses that are right for it."""
    form = "Content-Type: application/x-www-form-urlencoded"
    chunked = head("POST", "/oauth2/token", form, "Transfer-Encoding: chunked")
    long = "a" * 20_000
    return {
        "a long header": (head("GET", DISCOVERY, f"X-Long: {long}"), {"431"}),
        "many headers": (head("GET", DISCOVERY, *["X-Many: 1"] * 100), {"431"}),
        "a long target": (head("GET", "/" + "a" * 9_000), {"414"}),
        "an endless line": (b"G" * 200_000, {"400", "414", "431", "501"}),
        "a long body": (
            head("POST", "/oauth2/token", form, "Content-Length: 999999999"), {"413"},
        ),
        "a number too long": (
            head("POST", "/oauth2/token", form, "Content-Length: " + "9" * 40), {"400"},
        ),
        "a chunk too long": (chunked + b"7fffffff\r\n", {"413"}),
        "a chunk size too long": (chunked + b"0" * 100 + b"1\r\n", {"400"}),
        "a long chunk extension": (chunked + b"1;" + b"x" * 5_000, {"400"}),
        "chunks beyond the bound": (
            chunked + (b"4000\r\n" + b"a" * 0x4000 + b"\r\n") * 5, {"413"},
        ),
        "many fields": (
            head("POST", "/oauth2/token", form, "Content-Length: 4000") + b"a=1&" * 1_000,
            {"400"},
        ),
        "chunk extensions beyond the bound": (
            chunked + (b"1;" + b"x" * 60 + b"\r\na\r\n") * 20, {"400"},
        ),
        "many trailers": (chunked + b"0\r\n" + b"X-Many: 1\r\n" * 20 + b"\r\n", {"400"}),
        "long trailers": (
            chunked + b"0\r\n" + (b"X-Long: " + b"a" * 1_000 + b"\r\n") * 5 + b"\r\n", {"400"},
        ),
        "a compressed body": (
            head("POST", "/oauth2/token", form, "Content-Encoding: gzip", "Content-Length: 0"),
            {"415"},
        ),
    }


NAMES = frozenset(bombs(lambda *words: b""))
