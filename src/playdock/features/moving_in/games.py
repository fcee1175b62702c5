"""Moving games, with their metadata and images."""

from datetime import datetime

import msgspec
from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.db.database import Database
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.companies import queries as company_queries
from playdock.domain.game_metadata.rules import PICTURES, open_fields
from playdock.domain.game_metadata.service import GameMetadataService, PreparedGame
from playdock.domain.games import queries as game_queries
from playdock.domain.games.queries import NewGame
from playdock.domain.libraries.service import LibraryBackends
from playdock.domain.tags import queries as tag_queries
from playdock.features.moving_in import queries, rules
from playdock.features.moving_in.errors import MoveRunning
from playdock.features.moving_in.reporting import MoveReport
from playdock.features.moving_in.rules import MovedKind
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.metadata.providers import MANUAL, Reference
from playdock.other_servers.model import SourceGame
from playdock.other_servers.objects import ObjectFolder
from playdock.pictures.images import UnusablePicture


class GameMoves(Struct, frozen=True):
    """Moves games from one kind of server."""

    server: str
    db: Database
    clock: Clock
    backends: LibraryBackends
    game_metadata: GameMetadataService
    files: ObjectFolder
    report: MoveReport

    def add(self, game: SourceGame, library_id: str) -> str:
        """Add a game, and return its id."""
        game_id, at = new_id(), self.clock()
        reference = Reference(game.source, game.metadata_id, game.facts.name) if game.source != MANUAL else None
        with self.db.read() as session:
            if reference and game_queries.game_of_metadata(session, reference.source_id, reference.id):
                self.report.remark(f"Game {game.facts.name}", f"its id at {game.source} belongs to another game here.")
                reference = None
        layout = rules.layout_of(game, self.backends.layout_of(self.db, library_id, game.path))
        new = NewGame(game_id, library_id, game.path, game.facts.name, layout, reference)
        prepared = self._prepare(game)
        with self.game_metadata.artwork.adopting(prepared.pictures), self.db.write() as session:
            self.game_metadata.add(session, new, prepared, at=at)
            game_queries.change_game(session, game_id, rules.game_values(game))
            if not queries.add(session, self.server, MovedKind.GAME, game.key, target=game_id, at=at):
                raise MoveRunning
            self._record_attributes(session, game_id, at)
        return game_id

    def add_images(self, game: SourceGame, game_id: str) -> None:
        """Add the images of a game that was moved without them, unless it has others here."""
        with self.db.read() as session:
            row = game_queries.find_game(session, game_id)
            # An administrator may have deleted them.
            fields = set(PICTURES.values()) & open_fields(row.sources) if row else set()
            if not fields or artwork_queries.of_game(session, game_id):
                return
        wanted = [image for image in game.images if PICTURES[image.role] in fields]
        facts = msgspec.structs.replace(game.facts, external_ids={})
        prepared = self._prepare(msgspec.structs.replace(game, images=tuple(wanted), facts=facts))
        with self.game_metadata.artwork.adopting(prepared.pictures), self.db.write() as session:
            if prepared.pictures and not artwork_queries.of_game(session, game_id):
                self.game_metadata.describe(session, game_id, prepared, fields=fields, at=self.clock())

    def _prepare(self, game: SourceGame) -> PreparedGame:
        """Return the metadata of a game with its images, which are stored."""
        pictures, missing = [], 0
        for image in game.images:
            data = self.files.read(image.path)
            if data is None:
                missing += 1
                continue
            try:
                source = image.source or game.source
                pictures.append(
                    self.game_metadata.artwork.take_in(
                        data, image.role, source=source, address=image.address, credit=image.credit
                    )
                )
                self.report.count("images")
            except UnusablePicture as reason:
                self.report.remark(f"Game {game.facts.name}", f"its {image.role} is left out: {reason.message}")
        if missing and self.files.folder is not None:
            self.report.remark(
                f"Game {game.facts.name}", f"{missing} of its images are not in the folder of --objects."
            )
        return PreparedGame(game.source, game.facts, pictures)

    def _record_attributes(self, session: Session, game_id: str, at: datetime) -> None:
        """Record the companies and tags that were added together with a game."""
        for company in company_queries.added_with(session, game_id, at=at):
            queries.add(session, self.server, MovedKind.COMPANY, company, target=company, at=at)
        for tag in tag_queries.added_with(session, game_id, at=at):
            queries.add(session, self.server, MovedKind.TAG, tag, target=tag, at=at)
