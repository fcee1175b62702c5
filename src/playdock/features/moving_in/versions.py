"""Starting the imports of versions as they were at another server.

A delta is based on the version before it for the same platform. It waits until that one has been imported, and all
later versions for the platform wait for it: the newest one would become the base of the next delta. A task of the
service starts their imports (`tasks.py`).

The start of an import is recorded with the task. So a version that was deleted here does not come back.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from itertools import product

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.permissions import Permission
from playdock.content.programs import Platform
from playdock.db.accompanying import accompanied_by
from playdock.db.retrying import retry_conflicts
from playdock.domain.games import queries as game_queries
from playdock.features.moving_in import queries
from playdock.features.moving_in.rules import REMOVED, MovedKind
from playdock.features.version_import.errors import VersionAlreadyImported
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.features.version_import.service import VersionImports
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput, PlaydockError
from playdock.kit.messages import Message
from playdock.other_servers.model import Command, SourceGame, SourceVersion
from playdock.stored import version_subject
from playdock.stored_moves import MovedCommand, MovedVersion, MoveVersionsArguments, moved_versions_subject
from playdock.tasks import queries as task_queries
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.errors import TaskAlreadyRunning
from playdock.tasks.new_task import NewTask, Queue

_WAITS = "is imported by the service after the version before it."
TASK_TYPE = "move:versions"


class VersionState(Enum):
    """Whether a version is here; the import of a failed one is not started again."""

    ABSENT = auto()
    FAILED = auto()
    IMPORTING = auto()
    PRESENT = auto()
    REMOVED = auto()
    WAITING = auto()


class StartedVersion(Struct, frozen=True):
    """A version by its name, whether its import was started, and what is to be said of it."""

    name: str
    remark: str
    is_started: bool


class MovedVersions(Struct, frozen=True):
    """Starts the imports of the versions of moved games."""

    server: str
    clock: Clock
    imports: VersionImports

    def start(self, game: SourceGame, game_id: str, states: dict[str, VersionState]) -> Iterator[StartedVersion]:
        """Start importing the versions of a game that are not here. One whose import failed is started again."""
        before: dict[Platform | None, str] = {}
        waiting: set[Platform | None] = set()
        for version in game.versions:
            base, before[version.platform] = before.get(version.platform, ""), version.name
            if states[version.name] is VersionState.REMOVED:
                yield StartedVersion(version.name, f"{REMOVED}.", is_started=False)
            if states[version.name] is not VersionState.ABSENT:
                continue
            is_early = version.delta and states.get(base) is VersionState.IMPORTING
            if is_early or version.platform in waiting:
                states[version.name], reason = VersionState.WAITING, _WAITS
            elif version.delta and (obstacle := _obstacle(version, base, states)):
                reason = obstacle
            else:
                states[version.name], reason = self._start_one(game, game_id, version, base)
            if states[version.name] is VersionState.WAITING:
                waiting.add(version.platform)
            is_started = states[version.name] is VersionState.IMPORTING
            if reason or is_started:
                yield StartedVersion(version.name, reason, is_started=is_started)

    def start_later(self, session: Session, game: SourceGame, game_id: str, states: Mapping[str, VersionState]) -> None:
        """Let the service start the imports that wait for others, unless it does."""
        new_task = NewTask(
            task_type=TASK_TYPE,
            name=Message("import-moved-versions", game=game.facts.name),
            subject=moved_versions_subject(game_id),
            queue=Queue.LOW,
            acls=(Permission.IMPORT_VERSION,),
            arguments=MoveVersionsArguments(
                server=self.server,
                game=game_id,
                key=game.key,
                versions=tuple(map(_stored, game.versions)),
                waiting=tuple(name for name, state in states.items() if state is VersionState.WAITING),
            ),
        )
        with suppress(TaskAlreadyRunning):
            enqueue(session, new_task, at=self.clock())

    def _start_one(self, game: SourceGame, game_id: str, version: SourceVersion, base: str) -> tuple[VersionState, str]:
        """Start an import. Return the state of the version, and what is to be said of it."""
        try:
            with accompanied_by(partial(self._record, game, game_id, version)):
                remark = retry_conflicts(partial(self._begin, game_id, version, base))
        except VersionAlreadyImported:
            return VersionState.PRESENT, ""
        except TaskAlreadyRunning:
            # It imports this version or, if this is a delta, any version for its platform.
            return (VersionState.WAITING, _WAITS) if version.delta else (VersionState.IMPORTING, "")
        except PlaydockError as error:
            return VersionState.ABSENT, f"is not imported: {error.detail}"
        return VersionState.IMPORTING, remark

    def _record(self, game: SourceGame, game_id: str, version: SourceVersion, session: Session) -> None:
        queries.add(session, self.server, MovedKind.VERSION, key_of(game, version), target=game_id, at=self.clock())

    def _begin(self, game_id: str, version: SourceVersion, base: str) -> str:
        """Start the import of a version with its commands, or with likely ones if its files have none of these.

        Return what is to be said of commands that are left out.
        """
        for request in _requests(game_id, version):
            try:
                self.imports.begin(request, base_name=base if version.delta else None)
            except InvalidInput as error:
                reason = error
            else:
                is_left_out = bool(version.setup.program) and not request.setup
                return f"is imported without its setup command {version.setup.program}." if is_left_out else ""
        if version.delta:
            # Guesses have no base.
            raise reason
        self.imports.begin_new(game_id, version.name, beside=version.beside)
        if not version.launches and not version.setup.program:
            return ""
        return f"is imported with a likely program instead of {version.commands}, which is not in its files."


def states_of(session: Session, game: SourceGame, game_id: str, started: Collection[str]) -> dict[str, VersionState]:
    """Return the states of the versions of a game by name; ``started`` are the keys of the recorded ones."""
    here = {each.name for each in game_queries.versions_of(session, game_id)}
    absent = {
        each.name: _state_of_absent(
            session, version_subject(game_id, each.name), was_started=key_of(game, each) in started
        )
        for each in game.versions
        if each.name not in here
    }
    return dict.fromkeys(here, VersionState.PRESENT) | absent


def source_versions(versions: Iterable[MovedVersion]) -> tuple[SourceVersion, ...]:
    """Return versions that wait as they were at the other server."""
    return tuple(
        SourceVersion(
            each.name,
            Platform(each.platform) if each.platform else None,
            tuple(Command(command.program, command.arguments) for command in each.launches),
            Command(each.setup.program, each.setup.arguments),
            each.only_setup,
            each.delta,
            each.compat_id,
            each.beside,
        )
        for each in versions
    )


def _stored(version: SourceVersion) -> MovedVersion:
    return MovedVersion(
        name=version.name,
        platform=version.platform,
        launches=tuple(map(_stored_command, version.launches)),
        setup=_stored_command(version.setup),
        only_setup=version.only_setup,
        delta=version.delta,
        compat_id=version.compat_id,
        beside=version.beside,
    )


def _stored_command(command: Command) -> MovedCommand:
    return MovedCommand(program=command.program, arguments=command.arguments)


def key_of(game: SourceGame, version: SourceVersion) -> str:
    """Return under which key the start of an import is recorded."""
    return f"{game.key}:{version.name}"


def _state_of_absent(session: Session, subject: str, *, was_started: bool) -> VersionState:
    """Return the state of a version that is not here, by the last task on it, which is deleted after some weeks."""
    if task_queries.active_task_on(session, subject):
        return VersionState.IMPORTING
    if not was_started:
        return VersionState.ABSENT
    last = task_queries.last_on(session, subject)
    return VersionState.REMOVED if last is None or last.success else VersionState.ABSENT


def _obstacle(version: SourceVersion, base: str, states: Mapping[str, VersionState]) -> str:
    """Return why a delta cannot be imported, empty if it can."""
    if version.platform is None:
        return "is a delta whose platform is unknown."
    if states.get(base) is not VersionState.PRESENT:
        return f"is a delta over the version {base or 'before it'}, which is not here."
    return ""


def _requests(game_id: str, version: SourceVersion) -> Iterator[VersionImportRequest]:
    """Yield the imports of a version with each reading of its command; none if its platform is unknown.

    Those without the setup command follow.
    """
    if version.platform is None:
        return
    setups = (version.setup, Command()) if version.setup.program and not version.only_setup else (version.setup,)
    for setup, launch in product(setups, version.launches or (Command(),)):
        yield VersionImportRequest(
            id=game_id,
            version=version.name,
            platform=version.platform,
            beside=version.beside,
            delta=version.delta,
            only_setup=version.only_setup,
            launch=launch.program,
            launch_args=launch.arguments,
            setup=setup.program,
            setup_args=setup.arguments,
            compat_id=version.compat_id,
        )
