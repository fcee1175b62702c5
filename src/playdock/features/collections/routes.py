"""``/api/v1/collection``: the own library and collections, by Drop's calls."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.collections.errors import CollectionUnknown, OwnLibraryStays
from playdock.features.collections.schemas import CollectionAnswer, CollectionDraft, EntryDraft
from playdock.features.collections.service import Collections
from playdock.features.games.errors import GameUnknown
from playdock.http.routing import delete, get, patch, post

PATH = "/api/v1/collection"
_ONE = f"{PATH}/{{collection_id:str}}"
_LIBRARY = f"{PATH}/default"


@get(PATH, needs=Acl.COLLECTIONS_READ)
def list_collections(actor: Actor, collections: Collections) -> list[CollectionAnswer]:
    """List the own collections, without the own library."""
    return [CollectionAnswer.of(each) for each in collections.everything(actor)]


@post(PATH, needs=Acl.COLLECTIONS_NEW, status=201)
def create_collection(draft: CollectionDraft, actor: Actor, collections: Collections) -> CollectionAnswer:
    """Create a collection."""
    return CollectionAnswer.of(collections.create(actor, draft.name))


@get(_LIBRARY, needs=Acl.COLLECTIONS_READ)
def show_own_library(actor: Actor, collections: Collections) -> CollectionAnswer:
    """Show the own library."""
    return CollectionAnswer.of(collections.own_library(actor))


@post(f"{_LIBRARY}/entry", needs=Acl.OWN_LIBRARY_ADD, raises=[GameUnknown])
def add_to_own_library(entry: EntryDraft, actor: Actor, collections: Collections) -> CollectionAnswer:
    """Add a game to the own library."""
    return CollectionAnswer.of(collections.put_in_library(actor, entry.id))


@delete(f"{_LIBRARY}/entry", needs=Acl.OWN_LIBRARY_REMOVE)
def remove_from_own_library(entry: EntryDraft, actor: Actor, collections: Collections) -> None:
    """Take a game out of the own library."""
    collections.take_out_of_library(actor, entry.id)


@get(_ONE, needs=Acl.COLLECTIONS_READ, raises=[CollectionUnknown])
def show_collection(collection_id: str, actor: Actor, collections: Collections) -> CollectionAnswer:
    """Show one of the own collections."""
    return CollectionAnswer.of(collections.find(actor, collection_id))


@patch(_ONE, needs=Acl.COLLECTIONS_NEW, raises=[CollectionUnknown, OwnLibraryStays])
def rename_collection(
    collection_id: str, draft: CollectionDraft, actor: Actor, collections: Collections
) -> CollectionAnswer:
    """Rename one of the own collections."""
    return CollectionAnswer.of(collections.rename(actor, collection_id, draft.name))


@delete(_ONE, needs=Acl.COLLECTIONS_DELETE, raises=[CollectionUnknown, OwnLibraryStays])
def delete_collection(collection_id: str, actor: Actor, collections: Collections) -> None:
    """Delete one of the own collections; its games stay in the store."""
    collections.delete(actor, collection_id)


@post(f"{_ONE}/entry", needs=Acl.COLLECTIONS_ADD, raises=[CollectionUnknown, GameUnknown])
def add_to_collection(
    collection_id: str, entry: EntryDraft, actor: Actor, collections: Collections
) -> CollectionAnswer:
    """Add a game to one of the own collections."""
    return CollectionAnswer.of(collections.put_in(actor, collection_id, entry.id))


@delete(f"{_ONE}/entry", needs=Acl.COLLECTIONS_REMOVE, raises=[CollectionUnknown])
def remove_from_collection(collection_id: str, entry: EntryDraft, actor: Actor, collections: Collections) -> None:
    """Take a game out of one of the own collections."""
    collections.take_out(actor, collection_id, entry.id)


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
