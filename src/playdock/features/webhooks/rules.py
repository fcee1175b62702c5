"""Signatures, and pauses between attempts."""

import base64
import hmac
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from playdock.kit.identifiers import new_id

# More than a household has programs.
MAX_WEBHOOKS = 20
KEPT = timedelta(days=30)
# Those that Standard Webhooks recommends; together they last three days. The first attempt is immediate.
PAUSES = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
# A program that works for longer accepts the event first.
SECONDS = 10.0
# The type of a test, which is no event.
TEST = "test"
_KEY_PREFIX = "whsec_"
# 256 bits, as many as the hash.
_KEY_BYTES = 32
_ACCEPTED = range(200, 300)


def new_secret() -> str:
    return _KEY_PREFIX + base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()


def headers(delivery_id: str, body: bytes, *, secret: str, at: datetime) -> dict[str, str]:
    """Return the headers of an attempt: the id, the time, and the signature over both and the body."""
    moment = str(int(at.timestamp()))
    key = base64.b64decode(secret.removeprefix(_KEY_PREFIX))
    signed = hmac.new(key, b".".join((delivery_id.encode(), moment.encode(), body)), sha256).digest()
    return {
        "Content-Type": "application/json",
        "User-Agent": "Playdock",
        "webhook-id": delivery_id,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }


def wants(event_types: Sequence[str], event_type: str) -> bool:
    return not event_types or event_type in event_types


def delivery(
    webhook_id: str, event_type: str, data: Mapping[str, Any], *, at: datetime, occurred: datetime | None = None
) -> dict[str, Any]:
    """Return the columns of a new delivery, which is due now."""
    return {
        "id": new_id(),
        "webhook_id": webhook_id,
        "event_type": event_type,
        "occurred": occurred or at,
        "data": data,
        "created": at,
        "attempts": 0,
        "due": at,
        "error_parameters": {},
    }


def is_accepted(status: int) -> bool:
    return status in _ACCEPTED


def next_attempt(event_type: str, attempts: int, *, now: datetime) -> datetime | None:
    """Return when to try again after so many attempts, None if no more. A test is not tried again."""
    if event_type == TEST:
        return None
    return now + PAUSES[attempts - 1] if attempts <= len(PAUSES) else None
