"""The task that makes a game of a folder."""

from dataclasses import dataclass

from playdock.content.naming import title
from playdock.features.catalogue import rules
from playdock.features.catalogue.rules import Field
from playdock.features.catalogue.service import Catalogue, Prepared
from playdock.features.game_import.service import GROUP
from playdock.features.games.queries import NewGame
from playdock.jobs.work import Work
from playdock.metadata.facts import GameFacts
from playdock.metadata.providers import Reference


@dataclass(frozen=True, slots=True)
class ImportGame:
    """Asks the chosen provider what is known of the game, gathers its pictures, and adds the game."""

    catalogue: Catalogue
    group: str = GROUP

    def run(self, work: Work) -> None:
        arguments = work.arguments
        chosen = arguments.get("metadata")
        prepared = self._prepared(work)
        new = NewGame(
            id=arguments["game"],
            library_id=arguments["library"],
            path=arguments["path"],
            name=prepared.facts.name,
            metadata_source=chosen["sourceId"] if chosen else rules.MANUAL,
            metadata_id=chosen["id"] if chosen else arguments["game"],
        )
        try:
            with work.complete() as session:
                self.catalogue.add(session, new, prepared, at=work.clock())
        except BaseException:
            self.catalogue.artwork.discard_gathered(prepared.pictures)
            raise

    def _prepared(self, work: Work) -> Prepared:
        chosen = work.arguments.get("metadata")
        if chosen is None:
            return Prepared(rules.FOLDER, GameFacts(name=title(work.arguments["path"])))
        reference = Reference(source_id=chosen["sourceId"], id=chosen["id"], name=chosen["name"])
        return self.catalogue.prepare(reference, fields=set(Field), work=work)
