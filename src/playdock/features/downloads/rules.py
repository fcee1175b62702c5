"""In which coding a stored manifest is sent (RFC 9110, section 12.5.3)."""

from enum import StrEnum


class Coding(StrEnum):
    """A content coding."""

    ZSTD = "zstd"
    GZIP = "gzip"
    IDENTITY = "identity"


def choose_coding(accept_encoding: str | None) -> Coding:
    """Choose what the caller takes: zstd before gzip before nothing, unless it gives one a higher weight."""
    weights = dict(_weight(part) for part in (accept_encoding or "").split(",") if part.strip())
    everything = weights.get("*", 0.0)
    offers = {coding: weights.get(coding.value, everything) for coding in (Coding.ZSTD, Coding.GZIP)}
    best = max(offers, key=lambda coding: offers[coding])
    return best if offers[best] > 0 else Coding.IDENTITY


def _weight(part: str) -> tuple[str, float]:
    name, _, parameters = part.partition(";")
    text = parameters.strip().removeprefix("q=")
    try:
        weight = float(text) if parameters.strip() else 1.0
    except ValueError:
        weight = 0.0
    return name.strip().lower(), weight
