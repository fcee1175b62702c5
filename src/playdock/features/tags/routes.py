"""``/api/v1/admin/tags``: tags as administrators see and change them."""

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.features.tags.errors import TagTaken, TagUnknown
from playdock.features.tags.schemas import TagAnswer, TagChanges, TagDraft, TagMerge, TagQuery
from playdock.features.tags.service import Tags
from playdock.http.routing import delete, get, patch, post

PATH = "/api/v1/admin/tags"
_ONE = f"{PATH}/{{tag_id:str}}"


@get(PATH, needs=Acl.TAGS_READ)
def list_tags(wanted: TagQuery, actor: Actor, tags: Tags) -> list[TagAnswer]:
    """List the tags, kind by kind, by name."""
    return [TagAnswer.of(each) for each in tags.listing(actor, wanted)]


@post(PATH, needs=Acl.TAGS_NEW, status=201, raises=[TagTaken])
def add_tag(draft: TagDraft, actor: Actor, tags: Tags) -> TagAnswer:
    """Add a tag."""
    return TagAnswer.of(tags.add(actor, draft))


@patch(_ONE, needs=Acl.TAGS_UPDATE, raises=[TagUnknown, TagTaken])
def change_tag(tag_id: str, changes: TagChanges, actor: Actor, tags: Tags) -> TagAnswer:
    """Rename a tag, or make it one of another kind; what is left out stays."""
    return TagAnswer.of(tags.change(actor, tag_id, changes))


@delete(_ONE, needs=Acl.TAGS_DELETE, raises=[TagUnknown])
def delete_tag(tag_id: str, actor: Actor, tags: Tags) -> None:
    """Delete a tag; its games stay."""
    tags.delete(actor, tag_id)


@post(f"{_ONE}/merge", needs=(Acl.TAGS_UPDATE, Acl.TAGS_DELETE), raises=[TagUnknown])
def merge_tags(tag_id: str, merge: TagMerge, actor: Actor, tags: Tags) -> TagAnswer:
    """Give all games of this tag another one, and delete this one."""
    return TagAnswer.of(tags.merge(actor, tag_id, merge.into))


ROUTES = (list_tags, add_tag, change_tag, delete_tag, merge_tags)
