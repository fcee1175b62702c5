"""``/api/v1/collection``: the caller's library and collections, compatible with Drop."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown
from playdock.features.game_collections.errors import CollectionUnknown, DefaultCollectionFixed, TooManyCollections
from playdock.features.game_collections.schemas import CollectionCreate, CollectionResponse, EntryCreate
from playdock.features.game_collections.service import Collections
from playdock.server.routing import delete, get, patch, post

PATH = "/api/v1/collection"
_ONE = f"{PATH}/{{collection_id:str}}"
_LIBRARY = f"{PATH}/default"


@get(PATH, requires=Permission.COLLECTIONS_READ)
def list_collections(actor: Actor, collections: Collections) -> list[CollectionResponse]:
    """List your collections, without the library."""
    return [CollectionResponse.of(collection) for collection in collections.list_all(actor)]


@post(PATH, requires=Permission.COLLECTIONS_NEW, status=201, raises=[TooManyCollections])
def create_collection(data: CollectionCreate, actor: Actor, collections: Collections) -> CollectionResponse:
    """Create a collection."""
    return CollectionResponse.of(collections.create(actor, data.name))


@get(_LIBRARY, requires=Permission.COLLECTIONS_READ)
def show_own_library(actor: Actor, collections: Collections) -> CollectionResponse:
    """Return your library."""
    return CollectionResponse.of(collections.own_library(actor))


@post(f"{_LIBRARY}/entry", requires=Permission.OWN_LIBRARY_ADD, raises=[GameUnknown])
def add_to_own_library(entry: EntryCreate, actor: Actor, collections: Collections) -> CollectionResponse:
    """Add a game to your library."""
    return CollectionResponse.of(collections.add_to_library(actor, entry.id))


@delete(f"{_LIBRARY}/entry", requires=Permission.OWN_LIBRARY_REMOVE)
def remove_from_own_library(entry: EntryCreate, actor: Actor, collections: Collections) -> None:
    """Remove a game from your library."""
    collections.remove_from_library(actor, entry.id)


@get(_ONE, requires=Permission.COLLECTIONS_READ, raises=[CollectionUnknown])
def show_collection(collection_id: str, actor: Actor, collections: Collections) -> CollectionResponse:
    """Return one of your collections."""
    return CollectionResponse.of(collections.find(actor, collection_id))


@patch(_ONE, requires=Permission.COLLECTIONS_NEW, raises=[CollectionUnknown, DefaultCollectionFixed])
def rename_collection(
    collection_id: str, data: CollectionCreate, actor: Actor, collections: Collections
) -> CollectionResponse:
    """Rename one of your collections."""
    return CollectionResponse.of(collections.rename(actor, collection_id, data.name))


@delete(_ONE, requires=Permission.COLLECTIONS_DELETE, raises=[CollectionUnknown, DefaultCollectionFixed])
def delete_collection(collection_id: str, actor: Actor, collections: Collections) -> None:
    """Delete one of your collections. Its games are not affected."""
    collections.delete(actor, collection_id)


@post(f"{_ONE}/entry", requires=Permission.COLLECTIONS_ADD, raises=[CollectionUnknown, GameUnknown])
def add_to_collection(
    collection_id: str, entry: EntryCreate, actor: Actor, collections: Collections
) -> CollectionResponse:
    """Add a game to one of your collections."""
    return CollectionResponse.of(collections.add_game(actor, collection_id, entry.id))


@delete(f"{_ONE}/entry", requires=Permission.COLLECTIONS_REMOVE, raises=[CollectionUnknown])
def remove_from_collection(collection_id: str, entry: EntryCreate, actor: Actor, collections: Collections) -> None:
    """Remove a game from one of your collections."""
    collections.remove_game(actor, collection_id, entry.id)


ROUTES = (
    list_collections,
    create_collection,
    show_own_library,
    add_to_own_library,
    remove_from_own_library,
    show_collection,
    rename_collection,
    delete_collection,
    add_to_collection,
    remove_from_collection,
)
