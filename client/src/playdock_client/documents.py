"""Small JSON files of the client, validated when read and written atomically."""

from pathlib import Path
from typing import TypeVar

import msgspec

from playdock_client.atomic_files import write_atomically
from playdock_client.decoding import decode_json

_T = TypeVar("_T")


def read_document(file: Path, kind: type[_T]) -> _T | None:
    """Return the document in a file, or None if there is no file. Raises msgspec.MsgspecError if it is invalid."""
    try:
        return decode_json(file.read_bytes(), kind)
    except FileNotFoundError:
        return None


def write_document(file: Path, document: object) -> None:
    """Write a document atomically to a file that only its owner can read."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(file, msgspec.json.format(msgspec.json.encode(document), indent=2))
