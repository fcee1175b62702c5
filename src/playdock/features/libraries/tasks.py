"""The task that removes a library with its games."""

from msgspec import Struct

from playdock.domain.game_metadata.service import GameMetadataService
from playdock.domain.games import queries as game_queries
from playdock.domain.libraries import queries
from playdock.domain.library_files import queries as file_queries
from playdock.features.libraries.errors import TrashNotEmpty, UploadsUnfinished
from playdock.features.libraries.service import REMOVE_LIBRARY
from playdock.stored import RemoveLibraryArguments
from playdock.tasks.context import TaskContext


class RemoveLibrary(Struct, frozen=True):
    """Removes the games of a library, then the library. Its files are kept."""

    game_metadata: GameMetadataService
    task_type: str = REMOVE_LIBRARY

    def run(self, context: TaskContext) -> None:
        library_id = context.arguments(RemoveLibraryArguments).library
        # A game may be imported while the others are removed.
        while not self._is_removed(context, library_id):
            self._remove_games(context, library_id)

    def _is_removed(self, context: TaskContext, library_id: str) -> bool:
        with context.checkpoint() as session:
            if not queries.lock(session, library_id):
                return True
            # What they have stored would never be deleted.
            if queries.has_uploads(session, library_id):
                raise UploadsUnfinished
            if queries.has_games(session, library_id):
                return False
            if file_queries.is_library_used(session, library_id):
                raise TrashNotEmpty
            queries.remove(session, library_id)
            return True

    def _remove_games(self, context: TaskContext, library_id: str) -> None:
        with context.db.read() as session:
            games = game_queries.games_of_library(session, library_id)
        for number, game_id in enumerate(games):
            context.advance(number, len(games))
            with context.checkpoint() as session:
                self.game_metadata.stop(session, [game_id], at=context.clock())
                obsolete = self.game_metadata.remove(session, game_id)
            self.game_metadata.artwork.discard(obsolete or [])
