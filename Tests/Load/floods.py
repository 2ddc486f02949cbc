"""Past the rates of Security 9 that a node keeps, each by somebody who may go so far."""

import time
import uuid

# An attack that is about a limit goes on until it meets it, so long at most.
MORE_SECONDS_MAX = 60
# In development a hundred times as many are let in: so about as many as in service. What an
# address may fail at (L1, L9) is met without, and failed links (L7) are not multiplied.
LIMITS = {
    f"CHANCERY__RATE_LIMITS__PER_MINUTE__{name}": "1"
    for name in ("ADMIN", "CHALLENGE", "PAGE", "PAGE_PER_CLIENT", "REFRESH")
}
# The bound that each kind of request meets, as the metrics call it, and its status before that.
BOUNDS = {
    "admin": ("admin", "200"), "challenge": ("challenge", "200"), "page": ("page", "404"),
    "client": ("page_per_client", "400"), "link": ("failed_link", "403"),
    "refresh": ("refresh", "200"),
}
RIGHT = {f"{kind}: {status}" for kind, (_, first) in BOUNDS.items() for status in (first, "429")}
MET = {fate for fate in RIGHT if fate.endswith("429")}
# One stream takes one append after the other; of the rest there are more at once.
WORKERS = ["refresh"] * 3 + [kind for kind in BOUNDS if kind != "refresh"] * 9
# Numbers of addresses that no other attack has: one address a kind, and many for one client.
FLOODERS, MANY = 70_000, 200


def requests(attack):
    """What is sent, by kind."""
    stack, form = attack.stack, "application/x-www-form-urlencoded"

    def post(target, type_, body):
        fields = f"Content-Type: {type_}", f"Content-Length: {len(body)}"
        return attack.head("POST", target, *fields) + body.encode()

    token = stack.tokens("steady")["refresh_token"]
    return {
        "admin": attack.head("GET", "/admin/v1/keys?project=torture",
                             f"Authorization: {stack.operator['Authorization']}"),
        "challenge": post(
            "/oauth2/challenge", "application/json", '{"purpose":"app2app_request"}'),
        "page": attack.head("GET", f"/login?tx={uuid.uuid4()}"),
        "client": post("/oauth2/par", form, "client_id=guest&scope=openid"),
        "link": post("/clients/app/flows/verify_login_link?token=ll_no", form, ""),
        "refresh": post(
            "/oauth2/token", form,
            f"grant_type=refresh_token&client_id=steady&refresh_token={token}"),
    }


async def flooding(attack, seconds):
    """Each kind of request goes on until it is refused by its own limit."""
    sent, end = requests(attack), time.monotonic() + seconds
    admin_port = attack.stack.processes["token-issuer"].admin_port

    def wants_more():
        is_over = time.monotonic() > end + MORE_SECONDS_MAX
        return not is_over and any(attack.seen[f"{kind}: 429"] == 0 for kind in BOUNDS)

    async def one(number):
        kind = WORKERS[number]
        place = list(BOUNDS).index(kind)
        if kind == "client":  # From another address each time.
            place = len(BOUNDS) + attack.seen.total() % MANY
        port = admin_port if kind == "admin" else attack.port
        link = await attack.connect(FLOODERS + place * 200, port=port)
        with link:
            return f"{kind}: {await attack.ask(link, sent[kind])}"

    await attack.until(end, len(WORKERS), one, wants_more)
