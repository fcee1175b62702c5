"""Evaluation of conditional requests (RFC 9110, section 13)."""

import re

_ENTITY_TAG = re.compile(r'(?:W/)?"([^"]*)"')


def is_unchanged(if_none_match: str | None, etag: str) -> bool:
    """Return whether an ``If-None-Match`` header contains this ETag (without quotes), so that the response is 304."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or etag in _ENTITY_TAG.findall(if_none_match)


def matches(if_match: str | None, etag: str) -> bool:
    """Return whether an ``If-Match`` header is absent or contains this ETag; weak ETags never match."""
    if if_match is None or if_match.strip() == "*":
        return True
    return f'"{etag}"' in (part.strip() for part in if_match.split(","))
