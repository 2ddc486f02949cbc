"""Authlib against Chancery: every call that an application would make, through its own API."""

import os
import re
import sys
import time
import uuid
from urllib.parse import parse_qs, urljoin, urlsplit

import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

ISSUER = os.environ.get("ISSUER_URL") or os.environ["ISSUER"]
MAIL_PAGE = os.environ["MAIL_PAGE"]
FAILED = []


def check(sentence, holds, seen=""):
    """One line a test; what was seen only when it fails."""
    print(f"ok {sentence}" if holds else f"not ok {sentence}: {seen}", flush=True)
    if not holds:
        FAILED.append(sentence)


def client(name):
    """The id of a demo client, and its secret when it has one."""
    parts = os.environ[f"CLIENT_{name}"].split(":", 1)
    return parts[0], parts[1] if len(parts) > 1 else None


def newest_link(address):
    for _ in range(200):
        for mail in requests.get(f"{MAIL_PAGE}/links.json", timeout=5).json():
            if address in mail["to"] and mail["links"]:
                return mail["links"][0]
        time.sleep(0.05)
    raise RuntimeError(f"no mail to {address}")


def form(page, action):
    """The hidden fields of the form that posts to `action`."""
    for text in re.findall(r"<form\b.*?</form>", page, re.DOTALL):
        if f'action="{action}"' in text:
            return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
    raise RuntimeError(f"no form for {action} in {page}")


def sign_in(url, address):
    """What a person does in a browser, without script: answers the URL the client is called at."""
    browser = requests.Session()
    answer = browser.get(url, allow_redirects=False, timeout=10)
    for _ in range(12):
        if answer.is_redirect:
            target = urljoin(answer.url, answer.headers["Location"])
            if not target.startswith(ISSUER + "/"):
                return target
            answer = browser.get(target, allow_redirects=False, timeout=10)
            continue
        path = urlsplit(answer.url).path
        if path == "/login/wait":
            # The page has the button "Continue" once the link is approved.
            requests.post(newest_link(address), timeout=10).raise_for_status()
            answer = browser.get(answer.url, timeout=10)
        action = {"/login/wait": "/login/complete"}.get(path, path)
        fields = form(answer.text, action)
        if path == "/login":
            fields["email"] = address
        elif path == "/consent":
            fields["action"] = "allow"
        answer = browser.post(
            ISSUER + action,
            data=fields,
            headers={"Origin": ISSUER},
            allow_redirects=False,
            timeout=10,
        )
    raise RuntimeError("the sign-in goes in circles")


def walk(name, redirect_uri, metadata, keys):
    """The life of one session of one client."""
    client_id, secret = client(name)
    session = OAuth2Session(
        client_id,
        secret,
        scope="openid offline_access email",
        redirect_uri=redirect_uri,
        token_endpoint_auth_method="client_secret_basic" if secret else "none",
        revocation_endpoint_auth_method="client_secret_basic" if secret else "none",
        code_challenge_method="S256",
    )
    address = f"authlib-{uuid.uuid4().hex[:12]}@example.com"
    verifier, nonce = uuid.uuid4().hex * 2, uuid.uuid4().hex
    url, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    back = sign_in(url, address)
    query = parse_qs(urlsplit(back).query)
    check(f"{client_id}: the answer names the issuer (RFC 9207)", query.get("iss") == [ISSUER], back)

    token_endpoint = metadata["token_endpoint"]
    token = session.fetch_token(
        token_endpoint, authorization_response=back, state=state, code_verifier=verifier
    )
    check(f"{client_id}: a code becomes tokens", "refresh_token" in token, token)

    decoded = jwt.decode(token["id_token"], keys, algorithms=["ES256", "RS256"])
    claims = decoded.claims
    id_token = CodeIDToken(
        claims,
        decoded.header,
        options={"iss": {"values": [ISSUER]}, "aud": {"values": [client_id]}},
        params={"nonce": nonce, "client_id": client_id, "access_token": token["access_token"]},
    )
    id_token.validate()
    check(f"{client_id}: Authlib accepts the ID token", id_token["sub"] != "")

    person = session.get(metadata["userinfo_endpoint"], timeout=10).json()
    check(f"{client_id}: userinfo is the same person", person.get("sub") == claims["sub"], person)
    check(f"{client_id}: userinfo has the address", person.get("email") == address, person)

    refreshed = session.refresh_token(token_endpoint)
    check(f"{client_id}: a refresh gives a new access token",
          refreshed["access_token"] != token["access_token"], refreshed)
    rotates = refreshed["refresh_token"] != token["refresh_token"]
    check(f"{client_id}: the refresh token rotates if public", rotates == (secret is None))

    seen = introspect(metadata, refreshed["access_token"], client_id)
    check(f"{client_id}: introspection says active", seen.get("active") is True, seen)
    check(f"{client_id}: for this client", seen.get("client_id") == client_id, seen)

    gone = session.revoke_token(
        metadata["revocation_endpoint"],
        token=refreshed["refresh_token"],
        token_type_hint="refresh_token",
    )
    check(f"{client_id}: revocation is acknowledged", gone.status_code == 200, gone.text)
    seen = introspect(metadata, refreshed["access_token"], client_id)
    check(f"{client_id}: introspection says not active", seen == {"active": False}, seen)
    try:
        session.refresh_token(token_endpoint, refresh_token=refreshed["refresh_token"])
        check(f"{client_id}: a revoked refresh token is refused", False, "it was accepted")
    except OAuthError as error:
        check(f"{client_id}: a revoked refresh token is refused", error.error == "invalid_grant")


def introspect(metadata, token, client_id):
    """By the resource server, or by the client itself where it has a secret."""
    name = "WEB" if client_id == "web" else "API"
    caller = OAuth2Session(*client(name))
    return caller.introspect_token(metadata["introspection_endpoint"], token=token).json()


def service(metadata):
    """A service's own token."""
    session = OAuth2Session(*client("API"), scope="revocations.read")
    token = session.fetch_token(metadata["token_endpoint"], grant_type="client_credentials")
    check("api: client credentials become a token", token["token_type"] == "Bearer", token)
    feed = os.environ.get("REVOCATIONS_URL")
    if feed:
        answer = session.get(feed, timeout=10)
        for _ in range(10):
            if answer.status_code != 503:
                break
            # A projector that has just started says so, and when to ask again.
            time.sleep(int(answer.headers["Retry-After"]))
            answer = session.get(feed, timeout=10)
        check("api: the token opens the revocation feed", answer.status_code == 200, answer.text)


def main():
    metadata = requests.get(f"{ISSUER}/.well-known/openid-configuration", timeout=10).json()
    check("discovery names the issuer", metadata["issuer"] == ISSUER, metadata)
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=10).json())
    walk("APP", "com.example.demo:/callback", metadata, keys)
    walk("WEB", "https://web.demo.example/callback", metadata, keys)
    service(metadata)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
