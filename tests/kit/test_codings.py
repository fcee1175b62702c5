"""Codings on the way: what the caller takes of what is offered, and content in it."""

import gzip

import pytest
import zstandard

from playdock.kit.codings import Coding, choose_coding, coded


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("gzip, zstd", Coding.ZSTD),
        ("gzip;q=1, zstd;q=0.5", Coding.GZIP),
        ("*", Coding.ZSTD),
        ("br", Coding.IDENTITY),
        ("zstd;q=0, gzip;q=0", Coding.IDENTITY),
        ("zstd;q=much", Coding.IDENTITY),
        (None, Coding.IDENTITY),
    ],
)
def test_what_the_caller_likes_best_is_chosen(accepted: str | None, chosen: Coding) -> None:
    assert choose_coding(accepted) is chosen


def test_only_what_is_offered_is_chosen() -> None:
    assert choose_coding("br, gzip, zstd", offered=[Coding.BROTLI, Coding.GZIP]) is Coding.BROTLI
    assert choose_coding("br, gzip, zstd", offered=[]) is Coding.IDENTITY


def test_packed_content_is_the_content() -> None:
    content = b"game" * 1000
    assert gzip.decompress(coded(content, Coding.GZIP)) == content
    assert zstandard.decompress(coded(content, Coding.ZSTD)) == content
    assert coded(content, Coding.IDENTITY) is content
