"""Reading the audit log."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.features.audit_log import queries
from playdock.features.audit_log.queries import Wanted
from playdock.features.audit_log.schemas import AuditEntryResponse, AuditFilter, AuditPage, AuditQuery
from playdock.kit.clock import as_utc
from playdock.kit.errors import FieldError, InvalidInput
from playdock.kit.messages import Message
from playdock.models import AuditEntry
from playdock.settings import Settings

# Half a megabyte, which is read in a few milliseconds.
_EXPORTED_AT_ONCE = 1000


class AuditEntries(Struct, frozen=True):
    """The entries of the audit log."""

    db: Database
    settings: Settings

    def page(self, actor: Actor, query: AuditQuery) -> AuditPage:
        """Return a page of entries, newest first."""
        actor.require(Permission.AUDIT_READ)
        wanted = _wanted(query)
        with self.db.read() as session:
            found = queries.page(session, wanted, before=query.before or None, limit=query.limit + 1)
            total, operations = queries.count(session, wanted), queries.operations(session)
        entries = found[: query.limit]
        return AuditPage(
            entries=[AuditEntryResponse.of(entry) for entry in entries],
            total=total,
            next=entries[-1].id if len(found) > query.limit else None,
            operations=list(operations),
            days=self.settings.audit_log_days,
        )

    def export(self, actor: Actor, wanted: AuditFilter) -> Iterator[Sequence[AuditEntry]]:
        """Return all matching entries, newest first, in batches, each in a transaction of its own."""
        actor.require(Permission.AUDIT_READ)
        return self._batches(_wanted(wanted))

    def _batches(self, wanted: Wanted) -> Iterator[Sequence[AuditEntry]]:
        before: int | None = None
        while True:
            with self.db.read() as session:
                batch = queries.page(session, wanted, before=before, limit=_EXPORTED_AT_ONCE)
            if not batch:
                return
            yield batch
            before = batch[-1].id


def _wanted(query: AuditFilter) -> Wanted:
    """Return which entries are wanted. Raises InvalidInput."""
    return Wanted(query.q, query.operation, _moment("since", query.since), _moment("until", query.until))


def _moment(field: str, text: str | UnsetType) -> datetime | None:
    if text is UNSET:
        return None
    try:
        return as_utc(msgspec.convert(text, Annotated[datetime, Meta(tz=True)]))
    except msgspec.ValidationError:
        raise InvalidInput([FieldError(field, Message("field-time"))]) from None
