"""Starting the imports of versions as they were at another server.

A delta is based on the version before it for the same platform. It waits until that one has been imported, and all
later versions for the platform wait for it: the newest one would become the base of the next delta.
"""

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from functools import partial

from msgspec import Struct

from playdock.content.programs import Platform
from playdock.db.database import Database
from playdock.db.retrying import retry_conflicts
from playdock.domain.games import queries as game_queries
from playdock.features.version_import.errors import VersionAlreadyImported
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.features.version_import.service import VersionImports
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


class MovedVersions(Struct, frozen=True):
    """Starts the imports of the versions of moved games."""

    db: Database
    imports: VersionImports

    def start(self, game: SourceGame, game_id: str) -> Iterator[tuple[SourceVersion, str]]:
        """Start importing the versions of a game that are not here.

        Yield each of them with the reason why it was not started, which is empty if it was.
        """
        states = self._states(game, game_id)
        before: dict[Platform | None, str] = {}
        waiting: set[Platform | None] = set()
        for version in game.versions:
            base, before[version.platform] = before.get(version.platform, ""), version.name
            if states[version.name] is not _State.ABSENT:
                continue
            is_early = version.delta and states.get(base) is _State.IMPORTING
            if is_early or version.platform in waiting:
                waiting.add(version.platform)
                yield version, _WAITS
            elif version.delta and (obstacle := _obstacle(version, base, states)):
                yield version, obstacle
            else:
                try:
                    retry_conflicts(partial(self._begin, game_id, version, base))
                except VersionAlreadyImported:
                    states[version.name] = _State.PRESENT
                except TaskAlreadyRunning:
                    if not version.delta:
                        states[version.name] = _State.IMPORTING
                        continue
                    # The task may import any version for the platform.
                    waiting.add(version.platform)
                    yield version, _WAITS
                except PlaydockError as error:
                    yield version, f"is not imported: {error.detail}"
                else:
                    states[version.name] = _State.IMPORTING
                    yield version, ""

    def _states(self, game: SourceGame, game_id: str) -> dict[str, _State]:
        with self.db.read() as session:
            here = {each.name for each in game_queries.versions_of(session, game_id)}
            absent = {each.name for each in game.versions} - here
            importing = {
                name for name in absent if task_queries.active_task_on(session, version_subject(game_id, name))
            }
        states = dict.fromkeys(here, _State.PRESENT) | dict.fromkeys(absent, _State.ABSENT)
        return states | dict.fromkeys(importing, _State.IMPORTING)

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
