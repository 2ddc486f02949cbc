"""An operator gives the signing key up: from the answer on nothing counts that it has signed."""

import json

from wire import Node

SESSIONS = 3
KEYS = "/admin/v1/keys"


def order(stack, admin, word, **more):
    headers = {**stack.operator, "Content-Type": "application/json"}
    body = json.dumps({"reason": "torture", **more}).encode()
    answer = admin.send("POST", f"{KEYS}/{word}?project=torture", body, headers)
    if answer.status != 200:
        raise RuntimeError(f"{word} of a key: {answer.words}")
    return answer.json["result"]


def rotate(stack):
    """Answers what was wrong, in words. Sessions go on, with tokens of the new key."""
    patience, stack.patience = stack.patience, 20
    held, wrong = [stack.tokens("app") for _ in range(SESSIONS)], []
    port = stack.processes["token-issuer"].admin_port
    admin = Node(port, "localhost", patience=stack.patience)
    kid = order(stack, admin, "stage")["kid"]
    if "compromised" not in order(stack, admin, "promote", kid=kid, emergency=True):
        wrong.append("no key was given up")
    for tokens in held:
        for node in (0, 1):
            if stack.introspect(tokens["access_token"], node)["active"]:
                wrong.append(f"a token of the former key is active at node {node + 1}")
        form = {"grant_type": "refresh_token", "client_id": "app",
                "refresh_token": tokens["refresh_token"]}
        answer = stack.node(1).token(**form)
        if answer.status != 200:
            wrong.append(f"a refresh after it: {answer.words}")
        elif not all(stack.introspect(answer.json["access_token"], n)["active"] for n in (0, 1)):
            wrong.append("a token of the new key is not active")
    stack.patience = patience
    return wrong
