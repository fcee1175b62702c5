"""Conditional requests (RFC 9110, section 13): whether what the caller has is still what there is."""

import re

_ENTITY_TAG = re.compile(r'(?:W/)?"([^"]*)"')


def is_unchanged(if_none_match: str | None, etag: str) -> bool:
    """Tell whether an ``If-None-Match`` header names this ETag (given without quotes), so that 304 is the answer."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or etag in _ENTITY_TAG.findall(if_none_match)


def matches(if_match: str | None, etag: str) -> bool:
    """Tell whether an ``If-Match`` header, if there is one, names this ETag; a weak one never does."""
    if if_match is None or if_match.strip() == "*":
        return True
    return f'"{etag}"' in (part.strip() for part in if_match.split(","))
