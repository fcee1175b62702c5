"""The task that starts importing all versions on disk that imported games do not have."""

from msgspec import Struct

from playdock.content.layouts import titled
from playdock.content.naming import version_key
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.domain.found_versions.rules import RENAMED
from playdock.domain.games import queries as game_queries
from playdock.features.game_import.service import GameImports
from playdock.features.version_import.errors import VersionAlreadyImported
from playdock.features.version_import.rules import is_one_missing
from playdock.features.version_import.service import NEW_VERSIONS, VersionImports
from playdock.kit.errors import PlaydockError, Unavailable
from playdock.kit.messages import Message
from playdock.models import Game
from playdock.tasks import queries as task_queries
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import Cancelled, TaskAlreadyRunning, TaskFailed


class ImportNewVersions(Struct, frozen=True):
    """Starts importing the versions on disk that imported games do not have. One that cannot be started is skipped.

    If that is so with all of them, the task fails.
    """

    game_imports: GameImports
    version_imports: VersionImports
    task_type: str = NEW_VERSIONS

    def run(self, context: TaskContext) -> None:
        started: list[str] = []
        try:
            self._start_all(context, started)
            with context.complete():
                pass
        except Cancelled:
            with context.db.write() as session:
                for task_id in sorted(started):
                    task_queries.cancel(session, task_id, at=context.clock())
            raise

    def _start_all(self, context: TaskContext, started: list[str]) -> None:
        found = [
            (each.game, name)
            for each in self.game_imports.imported()
            for name in sorted(each.unimported_versions or (), key=version_key)
        ]
        incomplete = {
            game.id: self._is_one_missing(context, game) for game in {each.id: each for each, _ in found}.values()
        }
        skipped: list[Message] = []
        are_importing = False
        for number, (game, name) in enumerate(found):
            context.advance(number, len(found))
            if incomplete[game.id]:
                skipped.append(self._leave_out(context, game, name, Message(RENAMED)))
                continue
            try:
                started.append(self.version_imports.begin_new(game.id, name))
            except (VersionAlreadyImported, TaskAlreadyRunning):
                # Perhaps by this task, before it was interrupted.
                are_importing = True
            except PlaydockError as error:
                skipped.append(
                    self._leave_out(context, game, name, error.message(), lasts=not isinstance(error, Unavailable))
                )
        if skipped and not (started or are_importing):
            only = skipped[0] if len(skipped) == 1 else Message("no-version-imported")
            raise TaskFailed("Nothing imported", only)

    def _leave_out(
        self, context: TaskContext, game: Game, name: str, reason: Message, *, lasts: bool = True
    ) -> Message:
        """Log why a version is not imported, and record it if it ``lasts``; return what was logged."""
        skipped = Message("version-left-out", version=titled(game.name, name), reason=reason)
        context.log(skipped, level="warn")
        if lasts:
            with context.checkpoint() as session:
                found_queries.leave_out_at(session, game.library_id, Place(game.path, name), reason)
        return skipped

    def _is_one_missing(self, context: TaskContext, game: Game) -> bool:
        """Return whether an imported version is not in the folder of its game: a new one may be that one, renamed."""
        with context.db.read() as session:
            own = {each.name for each in game_queries.versions_of(session, game.id) if not each.beside}
        try:
            return is_one_missing(own, self.version_imports.listed(game.id))
        except PlaydockError:
            # The import says why.
            return False
