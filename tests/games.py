"""Games for tests, written directly to the database as at the end of an import."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image
from sqlalchemy import select
from sqlalchemy.orm import Session

from playdock.domain.artwork.service import Artwork, StoredImage
from playdock.domain.game_metadata.queries import lock
from playdock.domain.game_metadata.rules import open_fields
from playdock.domain.game_metadata.service import GameMetadataService, PreparedGame
from playdock.domain.games.queries import NewGame, add_version, next_position, set_updated
from playdock.kit.identifiers import new_id
from playdock.metadata.game_metadata import GameMetadata, Role
from playdock.metadata.providers import Providers, Reference
from playdock.models import Library, Version
from world import Caller, World

SOURCE = "Steam"


@dataclass(frozen=True, slots=True)
class Release:
    """A version of a game without files, layer and manifest."""

    name: str = "1.0"
    platform: str = "Linux"
    delta: bool = False
    only_setup: bool = False
    size: int = 1000
    installed_size: int = 2000


def add_game(
    world: World,
    facts: GameMetadata,
    *,
    path: str | None = None,
    library: str | None = None,
    versions: Sequence[Release] = (Release(),),
    pictures: Sequence[Role] = (),
    source: str = SOURCE,
) -> str:
    """Add a game with the metadata of a source, and return its id.

    It lies at ``path`` (its name if none is given) of the library with the id ``library`` (one over the world's own
    folder if none is given). It has one version unless others are given. Each of ``pictures`` becomes a picture in that
    role.
    """
    game_metadata = catalogue_of(world)
    prepared = PreparedGame(source, facts, [_picture(game_metadata.artwork, role, source) for role in pictures])
    game_id = new_id()
    with world.services.db.write() as session:
        library = library or _own_library(session, world)
        new = NewGame(game_id, library, path or facts.name, facts.name, None, Reference(source, game_id, facts.name))
        game_metadata.add(session, new, prepared, at=world.clock())
        for release in versions:
            _add_version(session, world, game_id, release)
    return game_id


def add_release(world: World, game_id: str, release: Release | None = None) -> None:
    """Add a version to a game."""
    with world.services.db.write() as session:
        _add_version(session, world, game_id, release or Release())


def found(caller: Caller, q: str) -> list[str]:
    """Return the names of the games that a search of the store finds."""
    return [each["name"] for each in caller.get("/api/v1/store", params={"q": q}).json()["games"]]


def refresh(world: World, game: str, told: GameMetadata) -> None:
    """Apply the current metadata of a provider, like a refresh."""
    with world.services.db.write() as session:
        row = lock(session, game)
        assert row is not None
        prepared = PreparedGame(SOURCE, told)
        catalogue_of(world).describe(session, game, prepared, fields=open_fields(row.sources), at=world.clock())


def catalogue_of(world: World) -> GameMetadataService:
    """Return a metadata service for the world's database that uses no provider."""
    return GameMetadataService(world.clock, Providers(()), Artwork(world.services.objects, world.clock))


def _own_library(session: Session, world: World) -> str:
    found = session.scalar(select(Library.id).where(Library.name == world.games.name))
    if found is not None:
        return found
    world.games.mkdir(parents=True, exist_ok=True)
    options = {"baseDir": str(world.games)}
    row = Library(id=new_id(), name=world.games.name, backend="Filesystem", options=options, created=world.clock())
    session.add(row)
    session.flush()
    return row.id


def _picture(artwork: Artwork, role: Role, source: str) -> StoredImage:
    drawn = io.BytesIO()
    Image.new("RGB", (600, 900), (120, 40, 200)).save(drawn, "PNG")
    return artwork.take_in(drawn.getvalue(), role, source=source, credit="A painter")


def _add_version(session: Session, world: World, game_id: str, release: Release) -> None:
    version = Version(
        id=new_id(),
        game_id=game_id,
        position=next_position(session, game_id),
        name=release.name,
        platform=release.platform,
        delta=release.delta,
        base_id=None,
        only_setup=release.only_setup,
        launch="" if release.only_setup else "game",
        launch_args="",
        setup="setup.exe" if release.only_setup else "",
        setup_args="",
        compat_id=None,
        size=release.size,
        installed_size=release.installed_size,
        manifest_etag="0" * 64,
        created=world.clock(),
    )
    add_version(session, version)
    session.flush()
    set_updated(session, game_id, at=version.created)
