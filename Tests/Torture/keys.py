"""A key in a phone, and what apps sign with it (WireContract 6)."""

import base64
import hashlib
import json
import secrets
import time

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

APP2APP, BIOMETRIC = "vnd.authgear.app2app-request", "vnd.authgear.biometric-request"


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def claims(token):
    """What a JWT says; whoever asks got it from the server."""
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def stream(token):
    """The stream that an opaque value names (WireContract 8)."""
    return base64.urlsafe_b64decode(token[-64:])[:16].hex()


def verifier():
    """A code verifier and its challenge (RFC 7636)."""
    text = secrets.token_urlsafe(48)
    return text, encoded(hashlib.sha256(text.encode()).digest())


class Key:
    """An ES256 key; `name` is its `kid` where it needs one."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        x, y = (encoded(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        self.jwk = {"kty": "EC", "crv": "P-256", "x": x, "y": y}
        self.name = secrets.token_hex(16)

    def jwt(self, header, payload):
        signed = ".".join(
            encoded(json.dumps(part).encode()) for part in ({"alg": "ES256", **header}, payload))
        r, s = decode_dss_signature(self.key.sign(signed.encode(), ec.ECDSA(SHA256())))
        return f"{signed}.{encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def proof(self, url, method="POST"):
        """A proof of possession (RFC 9449), good once."""
        payload = {"htm": method, "htu": url, "iat": int(time.time()), "jti": secrets.token_hex(16)}
        return self.jwt({"typ": "dpop+jwt", "jwk": self.jwk}, payload)

    def app2app(self, challenge, **more):
        header = {"typ": APP2APP, "jwk": self.jwk}
        return self.jwt(header, self.fresh(challenge, action="setup", **more))

    def biometric(self, challenge, action, **more):
        """Only a setup shows the key itself."""
        header = {"typ": BIOMETRIC, "kid": self.name}
        if action == "setup":
            header["jwk"] = self.jwk
        return self.jwt(header, self.fresh(challenge, action=action, **more))

    @staticmethod
    def fresh(challenge, **more):
        now = int(time.time())
        return {"challenge": challenge, "iat": now, "exp": now + 300, **more}
