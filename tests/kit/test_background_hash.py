"""The SHA-256 of bytes while they are stored."""

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
    hashing = BackgroundHash()
    hashing.update(PIECES[0])
    assert hash_threads()
    hashing.close()
    assert not hash_threads()


def hash_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("hash")]
