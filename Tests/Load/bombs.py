"""Inputs beyond a bound."""

from attack import DISCOVERY


def bombs(attack):
    """By name: what to send, and the statuses that are right for it."""
    form = "Content-Type: application/x-www-form-urlencoded"
    chunked = attack.head("POST", "/oauth2/token", form, "Transfer-Encoding: chunked")
    long = "a" * 20_000
    return {
        "a long header": (attack.head("GET", DISCOVERY, f"X-Long: {long}"), {"431"}),
        "many headers": (attack.head("GET", DISCOVERY, *["X-Many: 1"] * 100), {"431"}),
        "a long target": (attack.head("GET", "/" + "a" * 9_000), {"414"}),
        "an endless line": (b"G" * 200_000, {"400", "414", "431", "501"}),
        "a long body": (
            attack.head("POST", "/oauth2/token", form, "Content-Length: 999999999"), {"413"},
        ),
        "a number too long": (
            attack.head("POST", "/oauth2/token", form, "Content-Length: " + "9" * 40), {"400"},
        ),
        "a chunk too long": (chunked + b"7fffffff\r\n", {"413"}),
        "a chunk size too long": (chunked + b"0" * 100 + b"1\r\n", {"400"}),
        "a long chunk extension": (chunked + b"1;" + b"x" * 5_000, {"400"}),
        "chunks beyond the bound": (
            chunked + (b"4000\r\n" + b"a" * 0x4000 + b"\r\n") * 5, {"413"},
        ),
        "many fields": (
            attack.head("POST", "/oauth2/token", form, "Content-Length: 4000") + b"a=1&" * 1_000,
            {"400"},
        ),
        "a compressed body": (
            attack.head("POST", "/oauth2/token", form, "Content-Encoding: gzip",
                        "Content-Length: 0"), {"415"},
        ),
    }
