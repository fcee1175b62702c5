"""What a deletion includes follows from the foreign keys: no table is forgotten."""

from sqlalchemy import LargeBinary

from playdock.features.library_files.switching import NOT_KEPT
from playdock.models import Base

# Foreign keys to deleted rows that neither delete nor clear the row: it must not exist then.
_PREVENTING = {("versions", "base_id"), ("games", "library_id")}


def _referring() -> set[tuple[str, str, str | None]]:
    """The foreign keys of all rows that are deleted with a game, or refer to one of them."""
    deleted = {"games"}
    found: set[tuple[str, str, str | None]] = set()
    while True:
        keys = {
            (table.name, key.parent.name, key.ondelete)
            for table in Base.metadata.sorted_tables
            for key in table.foreign_keys
            if key.column.table.name in deleted
        }
        if keys == found:
            return found
        found = keys
        deleted |= {table for table, _, ondelete in keys if ondelete == "CASCADE" and table not in NOT_KEPT}


def test_everything_that_refers_to_a_game_is_restored_or_left_out_on_purpose() -> None:
    kinds = {(table, column): ondelete for table, column, ondelete in _referring()}
    assert {place for place, ondelete in kinds.items() if ondelete is None} <= _PREVENTING
    assert {table for table, _ in kinds} >= NOT_KEPT


def test_what_is_restored_can_be_stored_as_json() -> None:
    tables = {table for table, _, ondelete in _referring() if ondelete == "CASCADE"} - NOT_KEPT
    columns = [column for table in tables for column in Base.metadata.tables[table].columns]
    assert [column for column in columns if isinstance(column.type, LargeBinary)] == []


def test_references_of_a_table_to_itself_are_by_id() -> None:
    itself = {
        (table.name, key.column.name)
        for table in Base.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table is table
    }
    assert itself == {("versions", "id")}
