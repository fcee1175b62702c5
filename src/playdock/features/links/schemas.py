"""Signed links on the wire."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from playdock.features.games.schemas import NamedAnswer
from playdock.features.links.queries import LivingLink
from playdock.features.links.rules import LinkKind
from playdock.kit.bodies import Answer, Body
from playdock.kit.clock import timestamp

_Path = Annotated[
    str, Meta(max_length=4096, description="The path of a file, as the manifest has it; only if the kind is file.")
]
_Downloads = Annotated[
    int, Meta(ge=1, le=1000, description="How many downloads may pass, 1 to 1,000; any number if left out.")
]


class DownloadLinkDraft(Body):
    """A link that is to be made."""

    kind: LinkKind
    path: _Path | None = None
    expires: Annotated[
        datetime | None,
        Meta(
            description="When the link stops to work, at most 30 days ahead; in 24 hours if left out.",
            extra_json_schema={"format": "date-time"},
        ),
    ] = None
    downloads: _Downloads | None = None


class NewDownloadLink(Answer):
    """A link with its secret, shown this once."""

    id: str
    url: str
    expires: str
    downloads: int | None


class DownloadLinkAnswer(Answer):
    """A link without its secret: the path that it opens and how many bytes may still pass, null for any number."""

    id: str
    version_id: str
    game: NamedAnswer
    version: NamedAnswer
    target: str
    created: str
    expires: str
    bytes_left: int | None

    @classmethod
    def of(cls, living: LivingLink) -> "DownloadLinkAnswer":
        row, game, version = living
        return cls(
            id=row.id,
            version_id=row.version_id,
            game=NamedAnswer(id=game.id, name=game.name),
            version=NamedAnswer(id=version.id, name=version.name),
            target=row.target,
            created=timestamp(row.created),
            expires=timestamp(row.expires),
            bytes_left=row.bytes_left,
        )
