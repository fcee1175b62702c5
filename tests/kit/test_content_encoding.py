"""Content encodings: their selection, and encoded content."""

import gzip

import pytest
import zstandard

from playdock.kit.content_encoding import ContentEncoding, choose_encoding, encode


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("gzip, zstd", ContentEncoding.ZSTD),
        ("gzip;q=1, zstd;q=0.5", ContentEncoding.GZIP),
        ("*", ContentEncoding.ZSTD),
        ("br", ContentEncoding.IDENTITY),
        ("zstd;q=0, gzip;q=0", ContentEncoding.IDENTITY),
        ("zstd;q=much", ContentEncoding.IDENTITY),
        (None, ContentEncoding.IDENTITY),
    ],
)
def test_the_encoding_with_the_highest_weight_is_chosen(accepted: str | None, chosen: ContentEncoding) -> None:
    assert choose_encoding(accepted) is chosen


def test_only_offered_encodings_are_chosen() -> None:
    assert (
        choose_encoding("br, gzip, zstd", offered=[ContentEncoding.BROTLI, ContentEncoding.GZIP])
        is ContentEncoding.BROTLI
    )
    assert choose_encoding("br, gzip, zstd", offered=[]) is ContentEncoding.IDENTITY


def test_encoded_content_can_be_decoded() -> None:
    content = b"game" * 1000
    assert gzip.decompress(encode(content, ContentEncoding.GZIP)) == content
    assert zstandard.decompress(encode(content, ContentEncoding.ZSTD)) == content
    assert encode(content, ContentEncoding.IDENTITY) is content
