"""``/api/v1/admin/tags``: managing tags."""

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.features.tags.errors import TagTaken, TagUnknown
from playdock.features.tags.schemas import TagChanges, TagCreate, TagMerge, TagPage, TagQuery, TagResponse
from playdock.features.tags.service import Tags
from playdock.server.routing import delete, get, patch, post

PATH = "/api/v1/admin/tags"
_ONE = f"{PATH}/{{tag_id:str}}"


@get(PATH, requires=Permission.TAGS_READ)
def list_tags(query: TagQuery, actor: Actor, tags: Tags) -> TagPage:
    """List tags by kind and name, with pagination."""
    listing = tags.listing(actor, query)
    return TagPage(tags=[TagResponse.of(tag) for tag in listing.tags], total=listing.total, next=listing.next)


@post(PATH, requires=Permission.TAGS_NEW, status=201, raises=[TagTaken])
def add_tag(data: TagCreate, actor: Actor, tags: Tags) -> TagResponse:
    """Add a tag."""
    return TagResponse.of(tags.add(actor, data))


@patch(_ONE, requires=Permission.TAGS_UPDATE, raises=[TagUnknown, TagTaken])
def change_tag(tag_id: str, changes: TagChanges, actor: Actor, tags: Tags) -> TagResponse:
    """Change a tag's name or kind. Omitted fields are unchanged."""
    return TagResponse.of(tags.change(actor, tag_id, changes))


@delete(_ONE, requires=Permission.TAGS_DELETE, raises=[TagUnknown])
def delete_tag(tag_id: str, actor: Actor, tags: Tags) -> None:
    """Delete a tag. Its games are kept."""
    tags.delete(actor, tag_id)


@post(f"{_ONE}/merge", requires=(Permission.TAGS_UPDATE, Permission.TAGS_DELETE), raises=[TagUnknown])
def merge_tags(tag_id: str, merge: TagMerge, actor: Actor, tags: Tags) -> TagResponse:
    """Replace this tag by another one in all its games, and delete this tag. Returns the other tag."""
    return TagResponse.of(tags.merge(actor, tag_id, merge.into))


ROUTES = (list_tags, add_tag, change_tag, delete_tag, merge_tags)
