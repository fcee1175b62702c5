"""``/api/v1/admin/game/{id}/provider-pictures``: the pictures that providers offer for a game."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.artwork.schemas import PictureResponse
from playdock.domain.games.errors import GameUnknown
from playdock.features.provider_pictures.errors import PictureNotOffered, PictureNotUsable
from playdock.features.provider_pictures.schemas import ProviderPictures, ProviderPictureUse
from playdock.features.provider_pictures.service import PictureChoice
from playdock.server.routing import get, post


@get("/api/v1/admin/game/{game_id:str}/provider-pictures", requires=Permission.IMAGE_NEW, raises=[GameUnknown])
def list_provider_pictures(game_id: str, actor: Actor, picture_choice: PictureChoice) -> ProviderPictures:
    """List the pictures that all providers offer for a game. This asks the providers, and takes some seconds."""
    return ProviderPictures.of(picture_choice.offered(actor, game_id))


@post(
    "/api/v1/admin/game/{game_id:str}/provider-pictures",
    requires=Permission.IMAGE_NEW,
    status=201,
    raises=[GameUnknown, PictureNotOffered, PictureNotUsable],
    processes_images=True,
)
def use_provider_picture(
    game_id: str, data: ProviderPictureUse, actor: Actor, picture_choice: PictureChoice
) -> PictureResponse:
    """Download a picture that a provider offers, and use it; in the carousel it is appended."""
    return PictureResponse.of(picture_choice.use(actor, game_id, data))


ROUTES = (list_provider_pictures, use_provider_picture)
