"""The settings of a process, with those from the database."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import structlog
from anyio import to_thread
from msgspec.structs import replace
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from playdock.configuration import Configuration, Merged, merge
from playdock.db.database import Database
from playdock.domain.server_settings import queries
from playdock.editable_settings import EDITABLE, Editable
from playdock.kit.environment import SettingError
from playdock.kit.messages import Message
from playdock.kit.secret_key import Purpose, SecretKey
from playdock.settings import Settings

_log = structlog.get_logger()

# What doctor and the settings page call the source of stored settings.
DATABASE = "the database"
# Soon enough for a person who has saved a setting and tries it; reading a revision takes microseconds (SQLite), or one
# query, which is shared with those of requests.
_PERIOD_SECONDS = 2.0

_EDITABLE: Mapping[str, Editable] = {each.name: each for each in EDITABLE}


class ServerSettings:
    """The settings that all services of this process share.

    `settings` is changed in place, one field at a time: code that reads a field when it needs it has the new value.
    """

    def __init__(self, db: Database, configuration: Configuration, secret_key: SecretKey | None = None) -> None:
        self.db = db
        self.settings = configuration.settings
        self.secret_key = secret_key or SecretKey(self.settings.secret_key, self.settings.data_dir)
        self.listeners: list[Callable[[], object]] = []
        self.faults: tuple[SettingError, ...] = ()
        self._fixed = Configuration(replace(configuration.settings), configuration.sources)
        self._merged = Merged(self._fixed, ())
        self._lock = threading.Lock()

    @property
    def sources(self) -> Mapping[str, str]:
        """The source of each setting that is not as by default: the environment, a file or the database."""
        return self._merged.configuration.sources

    @property
    def fixed_sources(self) -> Mapping[str, str]:
        """The source of each setting that the database cannot change."""
        return self._fixed.sources

    @property
    def wanted(self) -> Settings:
        """The settings as they are after the next restart."""
        return self._merged.configuration.settings

    def load(self) -> None:
        """Read the stored settings at the start, when all of them can take effect."""
        self._adopt(set(_EDITABLE))

    def refresh(self) -> None:
        """Read the stored settings again; those that need a restart are left as they are."""
        self._adopt({each.name for each in EDITABLE if not each.restart})

    def try_stored(self, changes: Mapping[str, str | None]) -> Merged:
        """Return the settings as they would be with some changes, and the errors. None stands for the default."""
        with self.db.read() as session:
            stored = self._decrypted(queries.all_values(session))
        return self._with(stored, changes)

    def store(self, session: Session, changes: Mapping[str, str | None]) -> None:
        """Store changed settings, secrets encrypted."""
        values = {name: self._encrypted(name, text) for name, text in changes.items() if text}
        queries.replace(session, values, names=changes.keys())

    @asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """Within the context, read the stored settings whenever any process has changed them."""
        task = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _follow(self) -> None:
        known: int | None = None
        while True:
            numbers = await self.db.revisions.latest()
            if numbers is not None and numbers.settings != known:
                known = numbers.settings
                await to_thread.run_sync(self._refresh_or_log)
            await asyncio.sleep(_PERIOD_SECONDS)

    def _refresh_or_log(self) -> None:
        try:
            self.refresh()
        except (SQLAlchemyError, OSError) as error:
            _log.error("the settings in the database could not be read", reason=str(error))

    def _adopt(self, names: set[str]) -> None:
        # Otherwise a thread that has read older values could apply them after another one has applied newer ones.
        with self._lock:
            self._read_and_apply(names)

    def _read_and_apply(self, names: set[str]) -> None:
        with self.db.read() as session:
            stored = self._decrypted(queries.all_values(session))
        merged = self._with(stored, {})
        if merged.errors != self.faults:
            for error in merged.errors:
                _log.warning("a setting in the database is not used", setting=error.name, reason=str(error.detail))
        self._merged, self.faults = merged, merged.errors
        wanted = merged.configuration.settings
        changed = [name for name in names if getattr(self.settings, name) != getattr(wanted, name)]
        for name in changed:
            setattr(self.settings, name, getattr(wanted, name))
        if changed:
            for listener in self.listeners:
                listener()

    def _with(self, stored: Mapping[str, str | None], changes: Mapping[str, str | None]) -> Merged:
        values = {name: text for name, text in {**stored, **changes}.items() if text is not None}
        unreadable = [name for name, text in stored.items() if text is None and name not in changes]
        merged = merge(self._fixed, values, source=DATABASE)
        errors = (*merged.errors, *(SettingError(each.upper(), Message("setting-unreadable")) for each in unreadable))
        return Merged(merged.configuration, errors)

    def _encrypted(self, name: str, text: str) -> str:
        return self.secret_key.encrypt(text, Purpose.SETTING) if _EDITABLE[name].secret else text

    def _decrypted(self, stored: Mapping[str, str]) -> dict[str, str | None]:
        """Return the texts; None for a secret that was encrypted with another key."""
        known = {name: text for name, text in stored.items() if name in _EDITABLE}
        return {
            name: self.secret_key.decrypt(text, Purpose.SETTING) if _EDITABLE[name].secret else text
            for name, text in known.items()
        }
