"""The journal of what is on disk already."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock_client.journal import Claim, Journal, read_journal, this_boot

CLAIM = Claim("etag", "boot")


def test_what_was_noted_is_read(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", claim=CLAIM, done=bytearray(b"\x01\x00\x00\x00\x00\x00"))
    journal.note([2, 3, 5])
    journal.close()

    assert read_journal(tmp_path / "journal", chunks=6) == (CLAIM, bytearray(b"\x01\x00\x01\x01\x00\x01"))


@given(cut=st.integers(0, 200))
def test_a_journal_that_was_cut_never_claims_too_much(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder / "journal", claim=CLAIM, done=bytearray(10))
    for number in range(0, 10, 2):
        journal.note([number])
    journal.close()
    (folder / "journal").write_bytes((folder / "journal").read_bytes()[:cut])
    read = read_journal(folder / "journal", chunks=10)

    assert read is None or not any(read[1][1::2])


def test_a_journal_of_more_chunks_than_there_are_is_not_believed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", claim=CLAIM, done=bytearray(10))
    journal.note([8, 9])
    journal.close()

    assert read_journal(tmp_path / "journal", chunks=9) == (CLAIM, bytearray(9))


def test_there_may_be_no_journal(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "journal", chunks=1) is None


def test_a_run_of_the_machine_has_one_name() -> None:
    assert this_boot() == this_boot()
