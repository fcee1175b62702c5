"""Blobs in the encodings of responses: compressed with gzip once."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from playdock.kit.content_encoding import ContentEncoding
from playdock.storage import encoded_blobs
from playdock.storage.blobs import LocalBlobs, NoSuchBlob
from playdock.storage.encoded_blobs import EncodedBlobs
from world import at_once

KEY = "manifests/0123456789abcdef"
CONTENT = b"a manifest " * 100_000


class CountingBlobs(LocalBlobs, frozen=True):
    """Blobs that count how often each is opened."""

    opened: list[str]

    def open(self, key: str, *, block: int = 262_144) -> Iterator[bytes]:
        self.opened.append(key)
        return super().open(key, block=block)


@pytest.fixture
def blobs(tmp_path: Path) -> CountingBlobs:
    blobs = CountingBlobs(tmp_path, [])
    blobs.put(KEY, [zstandard.compress(CONTENT)])
    return blobs


def test_a_blob_can_be_read_in_each_encoding(blobs: CountingBlobs) -> None:
    encoded = EncodedBlobs(blobs)
    read = {encoding: b"".join(encoded.open(KEY, encoding)) for encoding in ContentEncoding}
    assert zstandard.decompress(read[ContentEncoding.ZSTD]) == CONTENT
    assert gzip.decompress(read[ContentEncoding.GZIP]) == CONTENT
    assert read[ContentEncoding.IDENTITY] == CONTENT


def test_a_very_large_blob_is_not_kept(blobs: CountingBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoded_blobs, "_MAX_CACHED_BLOB_BYTES", 10)
    encoded = EncodedBlobs(blobs)
    read = [b"".join(encoded.open(KEY, ContentEncoding.GZIP)) for _ in range(2)]
    assert (gzip.decompress(read[0]), len(blobs.opened)) == (CONTENT, 2)


def test_a_blob_is_compressed_once(blobs: CountingBlobs) -> None:
    encoded = EncodedBlobs(blobs)
    read = at_once([lambda: b"".join(encoded.open(KEY, ContentEncoding.GZIP))] * 8)
    assert (len(set(read)), blobs.opened) == (1, [KEY])


def test_only_some_blobs_are_kept(blobs: CountingBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoded_blobs, "_MAX_CACHED_BYTES", 10)
    encoded, other = EncodedBlobs(blobs), KEY.replace("0", "f")
    blobs.put(other, [zstandard.compress(b"another")])
    for key in (KEY, other, KEY):
        assert b"".join(encoded.open(key, ContentEncoding.GZIP))
    assert blobs.opened == [KEY, other, KEY]


@pytest.mark.parametrize("encoding", [ContentEncoding.GZIP, ContentEncoding.ZSTD])
def test_a_missing_blob_is_an_error_each_time(blobs: CountingBlobs, encoding: ContentEncoding) -> None:
    encoded = EncodedBlobs(blobs)
    for _ in range(2):
        with pytest.raises(NoSuchBlob):
            encoded.open("manifests/ffffffffffffffff", encoding)


def test_a_deleted_blob_is_missing_although_it_was_cached(blobs: CountingBlobs) -> None:
    encoded = EncodedBlobs(blobs)
    encoded.open(KEY, ContentEncoding.GZIP)
    blobs.delete(KEY)
    with pytest.raises(NoSuchBlob):
        encoded.open(KEY, ContentEncoding.GZIP)
