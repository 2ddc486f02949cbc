"""Readers of the feed who all begin again at once, as after a failover (decision 0249)."""

import asyncio
import json
import time

from attack import is_whole

FOLLOWERS = ("event-relay", "revocation-projector")
READERS, PAGES, LIMIT = 32, 6, 1_000
# Pages that a reader takes at most: what else has ended meanwhile may be on some more.
PAGES_MAX = PAGES + 10
# Numbers of addresses that no other attack has.
FIRST = 80_000
# How far behind the log the projector is, once it has claimed to be anywhere.
BEHIND = """
SELECT (SELECT count(*) FROM es.events) - 1 - coalesce(max(frontier), -1)
  FROM revocation.progress WHERE complete_through IS NOT NULL
"""
# The good client goes on refreshing.
BEHIND_MAX = 50
# A page of them with each of the first numbers of the log, which are of other events: to revoke so
# many takes minutes, and to be read all are alike.
ROWS = f"""
INSERT INTO revocation.revocations (key, project, sid, revoked_at, expires_at, reason, log_id,
                                    log_index)
SELECT format('load/%s/%s', page, place), (SELECT max(project) FROM es.events), gen_random_uuid(),
       now(), now() + interval '1 hour', 'logout', log_id, page
  FROM es.log, generate_series(0, {PAGES - 1}) AS page, generate_series(1, {LIMIT}) AS place
    ON CONFLICT (key) DO NOTHING
"""


def prepare(stack):
    """Begins relay and projector, and gives them what is to be read."""
    for name in FOLLOWERS:
        if name not in stack.processes:
            stack.begin(name)
    end = time.monotonic() + 60
    while stack.number(BEHIND) > BEHIND_MAX:
        if time.monotonic() > end:
            raise RuntimeError("the projector does not come to the end of the log")
        time.sleep(0.2)
    stack.rows(ROWS)


async def feed_readers(attack, seconds):
    """All read all of it side by side, and then again."""
    form = {"grant_type": "client_credentials", "scope": "revocations.read"}
    granted = attack.stack.node(0).send("POST", "/oauth2/token", form, attack.stack.api)
    port, token = attack.stack.feed_ports[0], granted.json["access_token"]
    host = f"{attack.host.split(':')[0]}:{port}"

    async def one(number):
        seen, after = 0, ""
        link = await attack.connect(FIRST + number, port=port)
        with link:
            for _ in range(PAGES_MAX):
                status, body = await answer(
                    attack, link,
                    f"GET /revocations?limit={LIMIT}{after} HTTP/1.1\r\nHost: {host}\r\n"
                    f"Authorization: Bearer {token}\r\n\r\n")
                if status != "200":
                    return status
                page = json.loads(body)
                seen += sum(item["key"].startswith("load/") for item in page["items"])
                if "watermark" in page:
                    return "arrived" if seen == PAGES * LIMIT else f"{seen} revocations"
                after = f"&after={page['next']}"
        return "no end"

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await attack.many(READERS, one, at_once=READERS)


async def answer(attack, link, request):
    """The status of the answer, or `closed`, and its body."""
    await attack.loop.sock_sendall(link, request.encode())
    data = b""
    while not is_whole(data):
        part = await asyncio.wait_for(attack.loop.sock_recv(link, 262_144), 20)
        if not part:
            return "closed", b""
        data += part
    return data[9:12].decode(), data.partition(b"\r\n\r\n")[2]
