"""Images and other bodies: any part is the corresponding slice of the whole."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock.content.bodies import ContentBody, FileBody, MultipartBody, Piece, VersionImageBody
from playdock.content.chunks import MIN_CHUNK, Digest, Digester, digest_small
from playdock.content.file_table import FileTable
from playdock.content.records import FileRecord, Layer


def layer_of(contents: Sequence[bytes]) -> Layer:
    files = []
    for number, content in enumerate(contents):
        digest = digest_small(content) if len(content) <= MIN_CHUNK else digested(content)
        files.append(FileRecord(f"{number:04}", len(content), 0o644, number, digest.crc32, digest.hash, digest.chunks))
    return Layer(tuple(files))


def digested(content: bytes) -> Digest:
    digester = Digester()
    for start in range(0, len(content), 1000):
        piece = content[start : start + 1000]
        digester.buffer[: len(piece)] = piece
        digester.feed(len(piece))
    return digester.finish()


def bytes_of(pieces: Sequence[Piece], contents: Sequence[bytes]) -> bytes:
    """Return the bytes of pieces."""
    return b"".join(
        piece if isinstance(piece, bytes) else contents[int(piece.file.path)][piece.offset :][: piece.length]
        for piece in pieces
    )


def part(body: ContentBody, contents: Sequence[bytes], start: int, end: int) -> bytes:
    return bytes_of(list(body.pieces(start, end)), contents)


CONTENTS = st.lists(st.binary(max_size=30), max_size=20)


@given(contents=CONTENTS, data=st.data())
def test_any_part_of_a_version_image_equals_that_slice(contents: list[bytes], data: st.DataObject) -> None:
    image, whole = VersionImageBody.of(layer_of(contents), image=0), b"".join(contents)
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    assert image.size == len(whole)
    assert part(image, contents, start, end) == whole[start:end]
    assert all(isinstance(piece, bytes) or piece.length for piece in image.pieces(start, end))


@given(contents=CONTENTS)
def test_a_file_is_found_by_its_path(contents: list[bytes]) -> None:
    table = FileTable.of_layer(layer_of(contents), image=3)
    for number, content in enumerate(contents):
        file = table.find(f"{number:04}")
        assert file
        assert (file.image, file.size, file.mtime_ns) == (3, len(content), number)
        assert part(FileBody(file), contents, 0, file.size) == content
    assert table.find("9999") is None


@given(contents=CONTENTS.filter(lambda contents: sum(map(len, contents)) > 2))
def test_each_of_several_ranges_has_its_own_headers(contents: list[bytes]) -> None:
    image, whole = VersionImageBody.of(layer_of(contents), image=0), b"".join(contents)
    body = MultipartBody(image, [(1, 2), (0, len(whole))], "text/plain", "cut")
    sent = part(body, contents, 0, body.size)
    assert len(sent) == body.size
    head = b"\r\n--cut\r\nContent-Type: text/plain\r\nContent-Range: bytes "
    size = str(len(whole)).encode()
    first = head + b"1-1/" + size + b"\r\n\r\n" + whole[1:2]
    second = head + b"0-" + str(len(whole) - 1).encode() + b"/" + size + b"\r\n\r\n" + whole
    assert sent == first + second + b"\r\n--cut--\r\n"


@given(contents=CONTENTS, data=st.data())
def test_a_range_between_boundaries_contains_whole_chunks(contents: list[bytes], data: st.DataObject) -> None:
    image = VersionImageBody.of(layer_of(contents), image=0)
    boundaries = [0, *image.chunk_ends]
    first = data.draw(st.integers(0, len(boundaries) - 1))
    last = data.draw(st.integers(first, len(boundaries) - 1))
    lengths = [len(content) for content in contents if content]
    assert list(image.chunk_lengths(boundaries[first], boundaries[last])) == lengths[first:last]


@pytest.mark.parametrize(("start", "end"), [(1, 10), (0, 9), (10, 0), (0, 99), (99, 99), (-1, 10)])
def test_a_range_that_splits_a_chunk_is_rejected(start: int, end: int) -> None:
    image = VersionImageBody.of(layer_of([bytes(10), bytes(10)]), image=0)
    with pytest.raises(ValueError, match="not a chunk boundary"):
        image.chunk_lengths(start, end)
