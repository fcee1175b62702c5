"""The task that makes a game of a folder."""

from dataclasses import dataclass

from playdock.content.naming import title
from playdock.features.game_import.service import GROUP
from playdock.features.games import queries
from playdock.features.libraries import queries as library_queries
from playdock.jobs.errors import TaskFailed
from playdock.jobs.work import Work
from playdock.metadata.providers import GameFacts, Providers, Reference
from playdock.models import Game


@dataclass(frozen=True, slots=True)
class ImportGame:
    """Asks the chosen provider what is known of the game, and adds the game."""

    providers: Providers
    group: str = GROUP

    def run(self, work: Work) -> None:
        arguments = work.arguments
        game_id, path = arguments["game"], arguments["path"]
        chosen = arguments.get("metadata") or {"sourceId": "Manual", "id": game_id, "name": title(path)}
        reference = Reference(source_id=chosen["sourceId"], id=chosen["id"], name=chosen["name"])
        facts = self._fetch(reference)
        game = Game(
            id=game_id,
            library_id=arguments["library"],
            path=path,
            name=facts.name,
            metadata_source=reference.source_id,
            metadata_id=reference.id,
            created=work.clock(),
        )
        with work.complete() as session:
            if not library_queries.hold(session, game.library_id):
                raise TaskFailed("Library gone", "The game's library was removed. Add it again, then import the game.")
            if not queries.add_game(session, game):
                raise TaskFailed("Already imported", "This folder or this metadata belongs to another game already.")

    def _fetch(self, reference: Reference) -> GameFacts:
        provider = self.providers.find(reference.source_id)
        if provider is None:
            detail = f"The provider {reference.source_id} is not set up any more. Import the game without metadata."
            raise TaskFailed("Provider missing", detail)
        return provider.fetch(reference)
