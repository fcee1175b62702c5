"""Conditional requests (RFC 9110, section 13): whether what the caller has is still what there is."""

import re

_ENTITY_TAG = re.compile(r'(?:W/)?"([^"]*)"')


def is_unchanged(if_none_match: str | None, etag: str) -> bool:
    """Tell whether an ``If-None-Match`` header names this ETag (given without quotes), so that 304 is the answer."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or etag in _ENTITY_TAG.findall(if_none_match)
