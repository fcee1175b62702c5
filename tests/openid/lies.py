"""What a provider may lie about: fields of `HostileProvider` and what they are set to, by what that means."""

import time
from typing import Any

from . import forging
from .hostile import DISCOVERY, JWKS, TOKEN, USERINFO, Reply
from .real import CLIENT_ID

_NOW = int(time.time())
_HOUR = 3600
_NESTED = b"[" * 100_000
MARKUP = "<script>alert(1)</script>"
_EVIL = "https://evil.example"

_WHOLE_ANSWERS = {
    "nothing": Reply(),
    "a page": Reply.html(f"<h1>{MARKUP}</h1>"),
    "an error": Reply.html(MARKUP, status=500),
    "not there": Reply.json({}, status=404),
    "a list": Reply.json([]),
    "deeply nested": Reply(200, _NESTED, {"Content-Type": "application/json"}),
    "no text": Reply(200, b"\xff\xfe{", {"Content-Type": "application/json"}),
    "an endless body": Reply(200, b"{", {"Content-Type": "application/json"}, endless=True),
    "packed, and large when unpacked": Reply.bomb(),
    "a redirect": Reply.redirect("/elsewhere"),
    "a redirect that keeps the method": Reply.redirect("/elsewhere", status=307),
}


def _claims(**changes: Any) -> dict[str, Any]:
    return {"id_token": changes}


def _reply(path: str, reply: Reply, **more: Any) -> dict[str, Any]:
    return {"replies": {path: reply}, **more}


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

RESPONSES = {
    "another state": {"response": {"state": "another"}},
    "no state": {"response": {"state": None}},
    "state that is markup": {"response": {"state": MARKUP}},
    "another code": {"response": {"code": "another"}},
    "no code": {"response": {"code": None}},
    "another provider": {"response": {"iss": _EVIL}},
    "no provider, though it announces to name itself": {"response": {"iss": None}},
    "an error": {"response": {"code": None, "error": "access_denied", "error_description": MARKUP}},
    "an error that nobody knows": {"response": {"code": None, "error": MARKUP, "error_uri": "javascript:alert(1)"}},
    "an error beside a code": {"response": {"error": "server_error"}},
}

ENDPOINTS = {
    **{f"token endpoint: {name}": _reply(TOKEN, reply) for name, reply in _WHOLE_ANSWERS.items()},
    **{f"keys: {name}": _reply(JWKS, reply) for name, reply in _WHOLE_ANSWERS.items()},
    **{f"userinfo: {name}": _reply(USERINFO, reply, **_claims(name=None)) for name, reply in _WHOLE_ANSWERS.items()},
    **{f"discovery: {name}": _reply(DISCOVERY, reply) for name, reply in _WHOLE_ANSWERS.items()},
    "token endpoint: a refusal": _reply(
        TOKEN, Reply.json({"error": "invalid_grant", "error_description": MARKUP}, status=400)
    ),
    "token endpoint: an unknown client": _reply(TOKEN, Reply.json({"error": "invalid_client"}, status=401)),
    "keys: none": _reply(JWKS, Reply.json({"keys": []})),
    "keys: no keys": _reply(JWKS, Reply.json({"keys": [7, {}, {"kty": "RSA"}, {"kty": "RSA", "n": "", "e": ""}]})),
    "keys: secret ones": _reply(JWKS, Reply.json({"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "first"}]})),
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
