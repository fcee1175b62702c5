"""The journal of what is on disk already."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playdock_client.journal import Journal, JournalHeader, read_journal, this_boot

CLAIM = JournalHeader("etag", "boot")


def test_recorded_chunks_are_read(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", header=CLAIM, done=bytearray(b"\x01\x00\x00\x00\x00\x00"))
    journal.note([2, 3, 5])
    journal.close()

    assert read_journal(tmp_path / "journal", chunks=6) == (CLAIM, bytearray(b"\x01\x00\x01\x01\x00\x01"))


@given(cut=st.integers(0, 200))
def test_a_truncated_journal_never_lists_missing_chunks(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder / "journal", header=CLAIM, done=bytearray(10))
    for number in range(0, 10, 2):
        journal.note([number])
    journal.close()
    (folder / "journal").write_bytes((folder / "journal").read_bytes()[:cut])
    read = read_journal(folder / "journal", chunks=10)

    assert read is None or not any(read[1][1::2])


def test_records_beyond_the_last_chunk_are_ignored(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", header=CLAIM, done=bytearray(10))
    journal.note([8, 9])
    journal.close()

    assert read_journal(tmp_path / "journal", chunks=9) == (CLAIM, bytearray(9))


def test_reading_a_missing_journal_returns_none(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "journal", chunks=1) is None


def test_the_boot_id_does_not_change_while_the_machine_runs() -> None:
    assert this_boot() == this_boot()
