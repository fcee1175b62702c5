"""Recording what administrators do."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.audit import queries, rules
from playdock.audit.rules import Action, Value
from playdock.auth.actor import Actor
from playdock.db.accompanying import accompanied_by
from playdock.db.database import Database
from playdock.kit.clock import Clock
from playdock.kit.security_log import request_id

_Result = TypeVar("_Result")

_added: ContextVar[dict[str, Value] | None] = ContextVar("audit_details", default=None)

# The field `id` of these operations is the id of a row, as a path parameter of this name would be.
_BODY_IDS = {
    "add_pictures": "game_id",
    "change_library": "library_id",
    "import_version": "game_id",
    "import_version_beside": "game_id",
    "remove_library": "library_id",
}


def add_details(**details: Value) -> None:
    """Add details that are no secrets to the entry of the running call, if it is recorded."""
    added = _added.get()
    if added is not None:
        added.update({name: rules.shortened(each) if isinstance(each, str) else each for name, each in details.items()})


class AuditLog(Struct, frozen=True):
    """Writes an entry with each change."""

    db: Database
    clock: Clock

    def record(self, actor: Actor | None, action: Action, call: Callable[[], _Result]) -> _Result:
        """Return the result of a call, and record it; without an actor, as that of a command.

        The entry is written in the first transaction that the call commits. A call that commits none has changed
        nothing, and has no entry.
        """
        subject_id, subject = self._subject(action)
        values: dict[str, Any] = {
            "user_id": actor.user.id if actor else "",
            "username": actor.user.username if actor else "",
            "credential": actor.credential.kind.value if actor else "command",
            "address": action.address,
            "operation": action.operation,
            "permissions": list(action.permissions),
            "subject_id": subject_id,
            "subject": subject,
            "request_id": request_id(),
        }
        added: dict[str, Value] = {}
        token = _added.set(added)
        try:
            with accompanied_by(partial(self._write, action=action, added=added, values=values)):
                return call()
        finally:
            _added.reset(token)

    def _write(self, session: Session, *, action: Action, added: dict[str, Value], values: dict[str, Any]) -> None:
        details = {**rules.details_of(action.body), **added, **self._names_of_ids(session, action)}
        queries.add(session, {**values, "at": self.clock(), "details": details})

    def _names_of_ids(self, session: Session, action: Action) -> dict[str, Value]:
        """Return the names of the rows whose ids are the values of fields, and the ids: `into` and `intoId`."""
        # Rows are merged into one of the same kind.
        kinds = {
            "game": "game_id",
            "library": "library_id",
            "target": "library_id",
            "into": next(iter(action.ids), ""),
        }
        found: dict[str, Value] = {}
        for field, kind in kinds.items():
            row_id = rules.text_of(action.body, field)
            if name := queries.name_of(session, kind, row_id):
                found |= {field: name, f"{field}Id": row_id}
        return found

    def _subject(self, action: Action) -> tuple[str, str]:
        """Return the id and the name of what is changed, before it is deleted; empty if there is none yet."""
        ids = dict(action.ids)
        given = _BODY_IDS.get(action.operation, "")
        body_id = getattr(action.body, "id" if given else "game_id", None)
        if isinstance(body_id, str):
            ids[given or "game_id"] = body_id
        if not ids:
            return "", rules.named_in(action.body)
        kind, subject_id = next(iter(ids.items()))
        with self.db.read() as session:
            names = [queries.game_of(session, subject_id)] if kind == "version_id" else []
            names.append(queries.name_of(session, kind, subject_id))
        return subject_id, " · ".join(name for name in names if name) or rules.named_in(action.body)
