"""The task that imports a game."""

from msgspec import Struct

from playdock.domain.game_metadata import rules
from playdock.domain.game_metadata.rules import Field
from playdock.domain.game_metadata.service import GameMetadataService, PreparedGame
from playdock.domain.games.queries import NewGame
from playdock.domain.libraries.service import LibraryBackends
from playdock.features.game_import.service import TASK_TYPE
from playdock.metadata.providers import Reference
from playdock.stored import ImportGameArguments
from playdock.tasks.context import TaskContext


class ImportGame(Struct, frozen=True):
    """Fetches the selected metadata, downloads its pictures, and adds the game."""

    game_metadata: GameMetadataService
    backends: LibraryBackends
    task_type: str = TASK_TYPE

    def run(self, context: TaskContext) -> None:
        arguments = context.arguments(ImportGameArguments)
        reference = rules.reference_of(arguments.metadata)
        prepared = self._prepare(context, arguments.path, reference)
        new = NewGame(
            id=arguments.game,
            library_id=arguments.library,
            path=arguments.path,
            name=prepared.facts.name,
            layout=self.backends.layout_of(context.db, arguments.library, arguments.path),
            reference=reference,
        )
        with self.game_metadata.artwork.adopting(prepared.pictures), context.complete() as session:
            self.game_metadata.add(session, new, prepared, at=context.clock())

    def _prepare(self, context: TaskContext, path: str, reference: Reference | None) -> PreparedGame:
        if reference is None:
            return PreparedGame.of_folder(path)
        return self.game_metadata.prepare(reference, fields=set(Field), context=context)
