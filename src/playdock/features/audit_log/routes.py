"""Routes of the audit log: ``/api/v1/admin/audit``."""

from collections.abc import Iterator, Sequence

import msgspec
from litestar.response import Stream

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.audit_log.schemas import AuditEntryResponse, AuditFilter, AuditPage, AuditQuery
from playdock.features.audit_log.service import AuditEntries
from playdock.models import AuditEntry
from playdock.server.routing import get

PATH = "/api/v1/admin/audit"
_MEDIA_TYPE = "application/jsonl"


@get(PATH, requires=Permission.AUDIT_READ)
def list_audit_entries(query: AuditQuery, actor: Actor, audit_entries: AuditEntries) -> AuditPage:
    """List what administrators have changed, newest first, searched and page by page."""
    return audit_entries.page(actor, query)


@get(f"{PATH}/export", requires=Permission.AUDIT_READ, response_type=bytes, media_type=_MEDIA_TYPE)
def export_audit_entries(query: AuditFilter, actor: Actor, audit_entries: AuditEntries) -> Stream:
    """Return all matching entries as a file with one JSON object per line."""
    headers = {"Content-Disposition": 'attachment; filename="audit-log.jsonl"'}
    return Stream(_lines(audit_entries.export(actor, query)), headers=headers, media_type=_MEDIA_TYPE)


def _lines(batches: Iterator[Sequence[AuditEntry]]) -> Iterator[bytes]:
    for batch in batches:
        yield b"".join(msgspec.json.encode(AuditEntryResponse.of(entry)) + b"\n" for entry in batch)


ROUTES = (list_audit_entries, export_audit_entries)
