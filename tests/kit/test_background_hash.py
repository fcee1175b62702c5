"""The SHA-256 of bytes that are stored meanwhile."""

import threading
from hashlib import sha256

import pytest

from playdock.kit.background_hash import BackgroundHash

PIECES = [bytes([number]) * (1 << 20) for number in range(8)]


@pytest.mark.parametrize("pieces", [[], [b""], PIECES])
def test_the_hash_is_that_of_all_pieces_in_their_order(pieces: list[bytes]) -> None:
    hashing = BackgroundHash()
    for piece in pieces:
        hashing.update(piece)
    assert hashing.digest() == sha256(b"".join(pieces)).digest()
    hashing.close()


def test_no_thread_remains() -> None:
    before = threading.active_count()
    hashing = BackgroundHash()
    hashing.update(PIECES[0])
    assert threading.active_count() == before + 1
    hashing.close()
    assert threading.active_count() == before
