"""The task that fetches a game's metadata again."""

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.domain.game_metadata import queries, rules
from playdock.domain.game_metadata.errors import GameDeleted, MetadataTaken
from playdock.domain.game_metadata.service import GameMetadataService, PreparedGame
from playdock.domain.games import queries as game_queries
from playdock.features.editing.service import TASK_TYPE
from playdock.metadata.providers import Reference
from playdock.stored import RefreshGameArguments
from playdock.tasks.context import TaskContext


class RefreshGame(Struct, frozen=True):
    """Fetches a game's metadata again, and writes it to the fields that were not edited manually."""

    game_metadata: GameMetadataService
    task_type: str = TASK_TYPE

    def run(self, context: TaskContext) -> None:
        arguments = context.arguments(RefreshGameArguments)
        reference = Reference(arguments.metadata.source_id, arguments.metadata.id, arguments.metadata.name)
        prepared = self._prepare(context, arguments, reference)
        with self.game_metadata.artwork.adopting(prepared.pictures), context.complete() as session:
            obsolete = self._describe(session, context, arguments, reference, prepared)
        self.game_metadata.artwork.discard(obsolete)

    def _prepare(self, context: TaskContext, arguments: RefreshGameArguments, reference: Reference) -> PreparedGame:
        with context.db.read() as session:
            game = game_queries.find_game(session, arguments.game)
        if game is None:
            raise GameDeleted
        fields = rules.open_fields(game.sources, overwrite=arguments.overwrite)
        return self.game_metadata.prepare(reference, fields=fields, context=context)

    def _describe(
        self,
        session: Session,
        context: TaskContext,
        arguments: RefreshGameArguments,
        reference: Reference,
        prepared: PreparedGame,
    ) -> list[str]:
        """Apply the prepared metadata, except to fields edited manually in the meantime."""
        game = queries.lock(session, arguments.game)
        if game is None:
            raise GameDeleted
        corrected = game.metadata_source == reference.source_id and game.metadata_id != reference.id
        if not game_queries.set_reference(session, game.id, reference):
            raise MetadataTaken
        if corrected:
            # Ids of the previous, wrong game at other providers would lead to the wrong pictures.
            game_queries.change_game(session, game.id, {"external_ids": {}})
        fields = rules.open_fields(game.sources, overwrite=arguments.overwrite)
        return self.game_metadata.describe(session, game.id, prepared, fields=fields, at=context.clock())
