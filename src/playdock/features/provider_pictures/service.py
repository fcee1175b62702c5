"""Listing the pictures that providers offer, and using one of them."""

from msgspec import Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.domain.artwork import queries as artwork_queries
from playdock.domain.artwork.service import StoredImage
from playdock.domain.game_metadata import queries as metadata_queries
from playdock.domain.game_metadata.service import PICTURES_SECONDS, GameMetadataService
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import GameUnknown
from playdock.features.provider_pictures.errors import PictureNotOffered, PictureNotUsable
from playdock.features.provider_pictures.schemas import ProviderPictureUse
from playdock.fetching.requests import Deadline
from playdock.kit.clock import Clock
from playdock.metadata.errors import ProviderError
from playdock.metadata.game_metadata import GameMetadata, Precision, ReleaseDate
from playdock.metadata.offered_pictures import OfferedPicture, OfferedPictures, offered_pictures
from playdock.models import Game, Picture
from playdock.pictures.images import UnusablePicture


class PictureChoice(Struct, frozen=True):
    """Operations of administrators on the pictures that providers offer for games."""

    db: Database
    clock: Clock
    game_metadata: GameMetadataService

    def offered(self, actor: Actor, game_id: str) -> OfferedPictures:
        """Ask all providers for their pictures of a game.

        Raises:
            GameUnknown: no game has this id.
        """
        actor.require(Permission.IMAGE_NEW)
        with self.db.read() as session:
            game = game_queries.find_game(session, game_id)
        if game is None:
            raise GameUnknown
        return offered_pictures(self.game_metadata.providers, _known_facts(game))

    def use(self, actor: Actor, game_id: str, data: ProviderPictureUse) -> Picture:
        """Download an offered picture, unless the game has it, and use it in its role.

        Raises:
            GameUnknown: no game has this id.
            PictureNotOffered: no provider offers this picture for the game now.
            PictureNotUsable: it cannot be downloaded, or is not acceptable.
        """
        actor.require(Permission.IMAGE_NEW)
        # The providers' responses are cached, so that this sends no request again.
        offers = self.offered(actor, game_id).offers
        wanted = next((each for each in offers if _is_wanted(each, data)), None)
        if wanted is None:
            raise PictureNotOffered
        stored: list[StoredImage] = []
        with self.game_metadata.artwork.adopting(stored):
            if self._present(game_id, data.address) is None:
                stored.append(self._download(wanted))
            with self.db.write() as session:
                game = metadata_queries.lock(session, game_id)
                if game is None:
                    raise GameUnknown
                self.game_metadata.artwork.adopt(session, game_id, stored)
                picture = artwork_queries.find_downloaded(session, game_id, data.address)
                if picture is None:
                    # It was deleted after it had been found.
                    raise PictureNotOffered
                self.game_metadata.use_pictures(session, game, data.role, [picture.id], at=self.clock())
                return picture

    def _present(self, game_id: str, address: str) -> Picture | None:
        with self.db.read() as session:
            return artwork_queries.find_downloaded(session, game_id, address)

    def _download(self, wanted: OfferedPicture) -> StoredImage:
        offer = wanted.picture
        try:
            data = wanted.provider.download(offer, within=Deadline.after(PICTURES_SECONDS))
            return self.game_metadata.artwork.take_in(
                data, offer.role, source=wanted.provider.source_id, address=offer.address, credit=offer.credit
            )
        except (ProviderError, UnusablePicture) as reason:
            raise PictureNotUsable(reason.message) from None


def _is_wanted(offered: OfferedPicture, data: ProviderPictureUse) -> bool:
    return (offered.picture.role, offered.picture.address) == (data.role, data.address)


def _known_facts(game: Game) -> GameMetadata:
    """Return by what providers find a game: its name, its ids and its year."""
    released = None
    if game.released is not None:
        released = ReleaseDate(game.released, Precision(game.release_precision or Precision.DAY))
    ids = {**game.external_ids, game.metadata_source: game.metadata_id}
    return GameMetadata(game.name, released=released, external_ids=ids)
