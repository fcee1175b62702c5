"""The audit log on the wire."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from playdock.kit.bodies import Query, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, Timestamp
from playdock.models import AuditEntry

# A text: of a datetime, msgspec would accept a number of seconds in a query, which the document does not describe.
_Moment = Annotated[str, Meta(max_length=64, extra_json_schema={"format": "date-time"})]


class AuditFilter(Query):
    """Which entries are returned."""

    q: Annotated[
        str,
        Meta(
            pattern=r"^[^\x00]*$",
            max_length=256,
            description="Words that must all occur: in the user name, subject, operation, address, ids or details.",
        ),
    ] = ""
    operation: Annotated[
        str, Meta(pattern=r"^[^\x00]*$", max_length=64, description="Only entries of this operation.")
    ] = ""
    since: Annotated[_Moment | UnsetType, Meta(description="Only entries at or after this time.")] = UNSET
    until: Annotated[_Moment | UnsetType, Meta(description="Only entries before this time.")] = UNSET


class AuditQuery(AuditFilter):
    """A page of entries."""

    limit: Annotated[int, Meta(ge=1, le=100, description="How many entries to return at most.")] = 50
    before: Annotated[
        int, Meta(ge=0, le=2**31 - 1, description="The `next` of the previous page, with the same filters.")
    ] = 0


class AuditEntryResponse(ResponseBody):
    """A change by an administrator.

    `userId` and `username` are empty for a command at the server's terminal. `subject` is what it was called at the
    time. Of text that may be a secret, `details` says only that it was given (`…`).
    """

    id: Annotated[int, Meta(examples=[4711])]
    at: Timestamp
    user_id: Id
    username: Annotated[str, Meta(examples=["ada"])]
    credential: Annotated[str, Meta(description="`session`, `token`, `device` or `command`.", examples=["session"])]
    address: Annotated[str, Meta(examples=["192.168.1.7"])]
    operation: Annotated[str, Meta(examples=["change_user"])]
    permissions: Annotated[list[str], Meta(examples=[["system:user:update"]])]
    subject_id: Id
    subject: Annotated[str, Meta(examples=["bob"])]
    details: Annotated[dict[str, Any], Meta(examples=[{"enabled": False}])]
    request_id: Id

    @classmethod
    def of(cls, entry: AuditEntry) -> "AuditEntryResponse":
        return cls(
            id=entry.id,
            at=timestamp(entry.at),
            user_id=entry.user_id,
            username=entry.username,
            credential=entry.credential,
            address=entry.address,
            operation=entry.operation,
            permissions=entry.permissions,
            subject_id=entry.subject_id,
            subject=entry.subject,
            details=entry.details,
            request_id=entry.request_id,
        )


class AuditPage(ResponseBody):
    """Some entries, newest first, how many match, and where the next page begins: null if this is the last one.

    Also all operations that occur in the log, and after how many days entries are deleted.
    """

    entries: list[AuditEntryResponse]
    total: Annotated[int, Meta(examples=[312])]
    next: Annotated[int, Meta(examples=[4661])] | None
    operations: Annotated[list[str], Meta(examples=[["change_user", "delete_game"]])]
    days: Annotated[int, Meta(examples=[365])]
