"""The task that makes a game of a folder."""

from dataclasses import dataclass

from playdock.features.catalogue import rules
from playdock.features.catalogue.rules import Field
from playdock.features.catalogue.service import Catalogue, Prepared
from playdock.features.game_import.service import GROUP
from playdock.features.games.queries import NewGame
from playdock.jobs.work import Work
from playdock.metadata.providers import Reference


@dataclass(frozen=True, slots=True)
class ImportGame:
    """Asks the chosen provider what is known of the game, gathers its pictures, and adds the game."""

    catalogue: Catalogue
    group: str = GROUP

    def run(self, work: Work) -> None:
        arguments = work.arguments
        reference = rules.reference_of(arguments.get("metadata"))
        prepared = self._prepared(work, reference)
        new = NewGame(
            id=arguments["game"],
            library_id=arguments["library"],
            path=arguments["path"],
            name=prepared.facts.name,
            reference=reference,
        )
        try:
            with work.complete() as session:
                self.catalogue.add(session, new, prepared, at=work.clock())
        except BaseException:
            self.catalogue.artwork.discard_gathered(prepared.pictures)
            raise

    def _prepared(self, work: Work, reference: Reference | None) -> Prepared:
        if reference is None:
            return Prepared.of_folder(work.arguments["path"])
        return self.catalogue.prepare(reference, fields=set(Field), work=work)
