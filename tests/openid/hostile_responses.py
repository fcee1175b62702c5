"""Hostile responses by description, as values of the fields of `HostileProvider`."""

import time
from typing import Any

from . import forging
from .hostile import DISCOVERY, JWKS, TOKEN, USERINFO, Response
from .real import CLIENT_ID

_NOW = int(time.time())
_HOUR = 3600
_NESTED = b"[" * 100_000
MARKUP = "<script>alert(1)</script>"
_EVIL = "https://evil.example"

_INVALID_RESPONSES = {
    "nothing": Response(),
    "a page": Response.html(f"<h1>{MARKUP}</h1>"),
    "an error": Response.html(MARKUP, status=500),
    "not there": Response.json({}, status=404),
    "a list": Response.json([]),
    "deeply nested": Response(200, _NESTED, {"Content-Type": "application/json"}),
    "no text": Response(200, b"\xff\xfe{", {"Content-Type": "application/json"}),
    "an endless body": Response(200, b"{", {"Content-Type": "application/json"}, endless=True),
    "packed, and large when unpacked": Response.bomb(),
    "a redirect": Response.redirect("/elsewhere"),
    "a redirect that keeps the method": Response.redirect("/elsewhere", status=307),
}


def _claims(**changes: Any) -> dict[str, Any]:
    return {"id_token": changes}


def _override(path: str, response: Response, **more: Any) -> dict[str, Any]:
    return {"overrides": {path: response}, **more}


TOKENS = {
    "nonce of another sign-in": _claims(nonce="another"),
    "no nonce": _claims(nonce=None),
    "nonce among others": _claims(nonce=lambda right: [right, "another"]),
    "audience of another service": _claims(aud="another"),
    "no audience": _claims(aud=None),
    "empty audience": _claims(aud=[]),
    "several audiences without azp": _claims(aud=[CLIENT_ID, "another"]),
    "several audiences, for another party": _claims(aud=[CLIENT_ID, "another"], azp="another"),
    "one audience, for another party": _claims(azp="another"),
    "another issuer": _claims(iss=_EVIL),
    "issuer that resembles ours": _claims(iss=lambda ours: f"{ours}/"),
    "issuer among others": _claims(iss=lambda ours: [ours, _EVIL]),
    "no issuer": _claims(iss=None),
    "expired": _claims(iat=_NOW - 2 * _HOUR, exp=_NOW - _HOUR),
    "no expiry": _claims(exp=None),
    "expiry that is no number": _claims(exp="tomorrow"),
    "issued in the future": _claims(iat=_NOW + _HOUR, exp=_NOW + 2 * _HOUR),
    "not issued at all": _claims(iat=None),
    "not valid yet": _claims(nbf=_NOW + _HOUR),
    "no subject": _claims(sub=None),
    "empty subject": _claims(sub=""),
    "subject that is a number": _claims(sub=1815),
    "subject that is a list": _claims(sub=["1815"]),
    "subject without end": _claims(sub="1815" * 10_000),
    "subject with a zero byte": _claims(sub="1815\0"),
    "not signed": {"forge": forging.unsigned},
    "signed with the public key as a secret": {"forge": forging.signed_with_public_key},
    "signed with the client's secret": {"forge": forging.signed_with_client_secret},
    "signed by a stranger under another's name": {"forge": forging.signed_by_stranger},
    "signed by a stranger": {"forge": forging.signed_by_unknown},
    "signed with a key that it brings along": {"forge": forging.signed_with_enclosed_key},
    "changed after signing": {"forge": forging.changed_afterwards},
    "no token at all": {"forge": forging.garbage},
    "no ID token": {"token": {"id_token": None}},
    "ID token that is a number": {"token": {"id_token": 7}},
}

CALLBACKS = {
    "another state": {"callback": {"state": "another"}},
    "no state": {"callback": {"state": None}},
    "state that is markup": {"callback": {"state": MARKUP}},
    "another code": {"callback": {"code": "another"}},
    "no code": {"callback": {"code": None}},
    "another provider": {"callback": {"iss": _EVIL}},
    "no provider, though it announces to name itself": {"callback": {"iss": None}},
    "an error": {"callback": {"code": None, "error": "access_denied", "error_description": MARKUP}},
    "an error that nobody knows": {"callback": {"code": None, "error": MARKUP, "error_uri": "javascript:alert(1)"}},
    "an error beside a code": {"callback": {"error": "server_error"}},
}

ENDPOINTS = {
    **{f"token endpoint: {name}": _override(TOKEN, response) for name, response in _INVALID_RESPONSES.items()},
    **{f"keys: {name}": _override(JWKS, response) for name, response in _INVALID_RESPONSES.items()},
    **{
        f"userinfo: {name}": _override(USERINFO, response, **_claims(name=None))
        for name, response in _INVALID_RESPONSES.items()
    },
    **{f"discovery: {name}": _override(DISCOVERY, response) for name, response in _INVALID_RESPONSES.items()},
    "token endpoint: a refusal": _override(
        TOKEN, Response.json({"error": "invalid_grant", "error_description": MARKUP}, status=400)
    ),
    "token endpoint: an unknown client": _override(TOKEN, Response.json({"error": "invalid_client"}, status=401)),
    "keys: none": _override(JWKS, Response.json({"keys": []})),
    "keys: no keys": _override(
        JWKS, Response.json({"keys": [7, {}, {"kty": "RSA"}, {"kty": "RSA", "n": "", "e": ""}]})
    ),
    "keys: secret ones": _override(JWKS, Response.json({"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "first"}]})),
    "userinfo: about somebody else": {"userinfo": {"sub": "another"}, **_claims(name=None)},
    "userinfo: about nobody": {"userinfo": {"sub": None}, **_claims(name=None)},
    "discovery: of another issuer": {"discovery": {"issuer": _EVIL}},
    "discovery: of nobody": {"discovery": {"issuer": None}},
    "discovery: no token endpoint": {"discovery": {"token_endpoint": None}},
    "discovery: a script": {"discovery": {"authorization_endpoint": "javascript:alert(1)"}},
    "discovery: a file": {"discovery": {"jwks_uri": "file:///etc/hostname"}},
    "discovery: numbers": {"discovery": {"token_endpoint": 7}},
    "discovery: no algorithm but secrets": {"discovery": {"id_token_signing_alg_values_supported": ["HS256", "none"]}},
}
