"""Small JSON documents of ours on disk: read with care, written whole or not at all."""

from pathlib import Path
from typing import TypeVar

import msgspec

from playdock_client.own_folder import write_whole

_T = TypeVar("_T")


def read_document(file: Path, kind: type[_T]) -> _T | None:
    """Read a document, or give None where there is none. Raises msgspec.MsgspecError if it is something else."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(str(error)) from error


def write_document(file: Path, document: object) -> None:
    """Write a document that only its owner can read, so that a reader finds the old one or the new one, whole."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(file, msgspec.json.format(msgspec.json.encode(document), indent=2))
