"""Starting the imports of versions as they were at another server.

A delta is based on the version before it for the same platform. It waits until that one has been imported, and all
later versions for the platform wait for it: the newest one would become the base of the next delta.

The start of an import is recorded with the task. So a version that was deleted here does not come back.
"""

from collections.abc import Collection, Iterator, Mapping
from enum import Enum, auto
from functools import partial

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.content.programs import Platform
from playdock.db.accompanying import accompanied_by
from playdock.db.database import Database
from playdock.db.retrying import retry_conflicts
from playdock.domain.games import queries as game_queries
from playdock.features.moving_in import queries
from playdock.features.moving_in.rules import REMOVED, MovedKind
from playdock.features.version_import.errors import VersionAlreadyImported
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.features.version_import.service import VersionImports
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput, PlaydockError
from playdock.other_servers.model import Command, SourceGame, SourceVersion
from playdock.stored import version_subject
from playdock.tasks import queries as task_queries
from playdock.tasks.errors import TaskAlreadyRunning

_WAITS = "waits for the import of a version before it. Run this again when that has ended."


class _State(Enum):
    """Whether a version is here."""

    ABSENT = auto()
    IMPORTING = auto()
    PRESENT = auto()
    REMOVED = auto()
    WAITING = auto()


class MovedVersions(Struct, frozen=True):
    """Starts the imports of the versions of moved games."""

    server: str
    db: Database
    clock: Clock
    imports: VersionImports

    def started(self) -> Collection[str]:
        """Return the keys of the versions whose imports were started."""
        with self.db.read() as session:
            return queries.targets(session, self.server, MovedKind.VERSION).keys()

    def start(self, game: SourceGame, game_id: str, *, started: Collection[str]) -> Iterator[tuple[SourceVersion, str]]:
        """Start importing the versions of a game that are not here.

        Yield each of them with the reason why it was not started, which is empty if it was. One whose import failed is
        started again.
        """
        states = self._states(game, game_id, started)
        before: dict[Platform | None, str] = {}
        waiting: set[Platform | None] = set()
        for version in game.versions:
            base, before[version.platform] = before.get(version.platform, ""), version.name
            if states[version.name] is _State.REMOVED:
                yield version, f"{REMOVED}."
            if states[version.name] is not _State.ABSENT:
                continue
            is_early = version.delta and states.get(base) is _State.IMPORTING
            if is_early or version.platform in waiting:
                states[version.name], reason = _State.WAITING, _WAITS
            elif version.delta and (obstacle := _obstacle(version, base, states)):
                reason = obstacle
            else:
                states[version.name], reason = self._start_one(game, game_id, version, base)
            if states[version.name] is _State.WAITING:
                waiting.add(version.platform)
            if reason or states[version.name] is _State.IMPORTING:
                yield version, reason

    def _start_one(self, game: SourceGame, game_id: str, version: SourceVersion, base: str) -> tuple[_State, str]:
        """Start an import. Return the state of the version, and the reason if this failed."""
        try:
            with accompanied_by(partial(self._record, game, game_id, version)):
                retry_conflicts(partial(self._begin, game_id, version, base))
        except VersionAlreadyImported:
            return _State.PRESENT, ""
        except TaskAlreadyRunning:
            # It imports this version or, if this is a delta, any version for its platform.
            return (_State.WAITING, _WAITS) if version.delta else (_State.IMPORTING, "")
        except PlaydockError as error:
            return _State.ABSENT, f"is not imported: {error.detail}"
        return _State.IMPORTING, ""

    def _states(self, game: SourceGame, game_id: str, started: Collection[str]) -> dict[str, _State]:
        with self.db.read() as session:
            here = {each.name for each in game_queries.versions_of(session, game_id)}
            absent = {
                each.name: _state_of_absent(
                    session, version_subject(game_id, each.name), was_started=_key(game, each) in started
                )
                for each in game.versions
                if each.name not in here
            }
        return dict.fromkeys(here, _State.PRESENT) | absent

    def _record(self, game: SourceGame, game_id: str, version: SourceVersion, session: Session) -> None:
        queries.add(session, self.server, MovedKind.VERSION, _key(game, version), target=game_id, at=self.clock())

    def _begin(self, game_id: str, version: SourceVersion, base: str) -> None:
        """Start the import of a version with its commands, or with likely ones if its files have none of these."""
        for request in _requests(game_id, version):
            try:
                self.imports.begin(request, base_name=base if version.delta else None)
            except InvalidInput as error:
                reason = error
            else:
                return
        if version.delta:
            # Guesses have no base.
            raise reason
        self.imports.begin_new(game_id, version.name)


def _key(game: SourceGame, version: SourceVersion) -> str:
    return f"{game.key}:{version.name}"


def _state_of_absent(session: Session, subject: str, *, was_started: bool) -> _State:
    """Return the state of a version that is not here, by the last task on it, which is deleted after some weeks."""
    if task_queries.active_task_on(session, subject):
        return _State.IMPORTING
    if not was_started:
        return _State.ABSENT
    last = task_queries.last_on(session, subject)
    return _State.REMOVED if last is None or last.success else _State.ABSENT


def _obstacle(version: SourceVersion, base: str, states: Mapping[str, _State]) -> str:
    """Return why a delta cannot be imported, empty if it can."""
    if version.platform is None:
        return "is a delta whose platform is unknown."
    if states.get(base) is not _State.PRESENT:
        return f"is a delta over the version {base or 'before it'}, which is not here."
    return ""


def _requests(game_id: str, version: SourceVersion) -> Iterator[VersionImportRequest]:
    """Yield the imports of a version with each reading of its command; none if its platform is unknown."""
    if version.platform is None:
        return
    for launch in version.launches or (Command(),):
        yield VersionImportRequest(
            id=game_id,
            version=version.name,
            platform=version.platform,
            delta=version.delta,
            only_setup=version.only_setup,
            launch=launch.program,
            launch_args=launch.arguments,
            setup=version.setup.program,
            setup_args=version.setup.arguments,
            compat_id=version.compat_id,
        )
