"""Wire types of download links."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from playdock.domain.games.schemas import NamedResponse
from playdock.features.links.queries import ActiveLink
from playdock.features.links.rules import LinkKind
from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Id, Timestamp

_Path = Annotated[
    str, Meta(max_length=4096, description="The path of a file, as in the manifest; only for the kind `file`.")
]
_Downloads = Annotated[
    int, Meta(ge=1, le=1000, description="The number of downloads, 1 to 1,000; unlimited if omitted.")
]


class DownloadLinkCreate(RequestBody):
    """A download link to create."""

    kind: LinkKind
    path: _Path | None = None
    expires: Annotated[
        datetime | None,
        Meta(
            description="When the link expires, at most 30 days ahead; in 24 hours if omitted.",
            extra_json_schema={"format": "date-time"},
        ),
    ] = None
    downloads: Annotated[_Downloads, Meta(examples=[2])] | None = None


class NewDownloadLink(ResponseBody):
    """A link with its secret, which is shown only once."""

    id: Id
    url: Annotated[
        str,
        Meta(
            examples=[
                "https://games.example.org/api/v1/versions/3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77/archive.zip?link=pdl_cUeV7aTgK2sWnBd8hQpY1iOoE4jRbsXy0L5rJzqf3M9"
            ]
        ),
    ]
    expires: Timestamp
    downloads: Annotated[int, Meta(examples=[2])] | None


class DownloadLinkResponse(ResponseBody):
    """A link without its secret: the path it opens, and the bytes left to download, null for unlimited."""

    id: Id
    version_id: Id
    game: NamedResponse
    version: NamedResponse
    target: Annotated[str, Meta(examples=["/api/v1/versions/3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77/archive.zip"])]
    created: Timestamp
    expires: Timestamp
    bytes_left: Annotated[int, Meta(examples=[1_486_013_860])] | None

    @classmethod
    def of(cls, active: ActiveLink) -> "DownloadLinkResponse":
        row, game, version = active
        return cls(
            id=row.id,
            version_id=row.version_id,
            game=NamedResponse(id=game.id, name=game.name),
            version=NamedResponse(id=version.id, name=version.name),
            target=row.target,
            created=timestamp(row.created),
            expires=timestamp(row.expires),
            bytes_left=row.bytes_left,
        )
