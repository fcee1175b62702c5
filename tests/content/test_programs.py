"""Machine code is recognized by its first bytes."""

import pytest

from playdock.content.programs import is_machine_code


@pytest.mark.parametrize("head", [b"\x7fELF\2\1\1", b"MZ\x90\0", b"MZ", b"\xcf\xfa\xed\xfe\7", b"\xca\xfe\xba\xbe\0"])
def test_programs_and_libraries_are_machine_code(head: bytes) -> None:
    assert is_machine_code(head)


@pytest.mark.parametrize("head", [b"", b"M", b"\x7fEL", b"#!/bin/sh", b"PK\3\4"])
def test_other_files_are_not(head: bytes) -> None:
    assert not is_machine_code(head)
