"""The task that asks a provider about a game again."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from playdock.features.catalogue import queries, rules
from playdock.features.catalogue.errors import GameGone, MetadataTaken
from playdock.features.catalogue.service import Catalogue, Prepared
from playdock.features.editing.service import GROUP
from playdock.features.games import queries as game_queries
from playdock.jobs.work import Work
from playdock.metadata.providers import Reference


@dataclass(frozen=True, slots=True)
class RefreshGame:
    """Asks a provider what it knows now, and writes that to the fields that are not an administrator's."""

    catalogue: Catalogue
    group: str = GROUP

    def run(self, work: Work) -> None:
        reference = rules.reference_of(work.arguments["metadata"])
        assert reference is not None
        prepared = self._prepared(work, reference)
        try:
            with work.complete() as session:
                left = self._describe(session, work, reference, prepared)
        except BaseException:
            self.catalogue.artwork.discard_gathered(prepared.pictures)
            raise
        self.catalogue.artwork.discard(left)

    def _prepared(self, work: Work, reference: Reference) -> Prepared:
        with work.db.read() as session:
            game = game_queries.find_game(session, work.arguments["game"])
        if game is None:
            raise GameGone
        fields = rules.open_fields(game.sources, overwrite=work.arguments["overwrite"])
        return self.catalogue.prepare(reference, fields=fields, work=work)

    def _describe(self, session: Session, work: Work, reference: Reference, prepared: Prepared) -> list[str]:
        """Write what was prepared, but to no field that an administrator has written meanwhile."""
        game = queries.hold(session, work.arguments["game"])
        if game is None:
            raise GameGone
        corrected = game.metadata_source == reference.source_id and game.metadata_id != reference.id
        if not queries.refer(session, game.id, reference):
            raise MetadataTaken
        if corrected:
            # What another game is called elsewhere would lead to that one's pictures.
            queries.change(session, game.id, {"external_ids": {}})
        fields = rules.open_fields(game.sources, overwrite=work.arguments["overwrite"])
        return self.catalogue.describe(session, game.id, prepared, fields=fields, at=work.clock())
