"""Wire types of games and versions."""

from typing import Annotated

from msgspec import Meta

from playdock.content.programs import Platform
from playdock.kit.bodies import ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import Bytes, GameTitle, Id, Timestamp, VersionTitle
from playdock.models import Version


class NamedResponse(ResponseBody):
    """The id and name of an entry."""

    id: Id
    name: GameTitle


class VersionResponse(ResponseBody):
    """A version of a game; `label` is the version and the store according to its name and program, or empty.

    `name` is that of its folder or archive, which is in the folder of its game, or `beside` it in the library.

    `size` is the bytes of its own files, `installedSize` those of the whole installation. `baseId` is the version that
    a delta is layered on. `damaged` is when one of its own files was last found to differ from the import, or null.
    """

    id: Id
    name: VersionTitle
    beside: bool
    label: Annotated[str, Meta(examples=["1.5.78 (GOG)"])]
    platform: Platform
    delta: bool
    base_id: str | None
    size: Bytes
    installed_size: Bytes
    created: Timestamp
    only_setup: bool
    launch: Annotated[str, Meta(examples=["usr/games/supertuxkart"])]
    launch_args: Annotated[str, Meta(examples=[""])]
    setup: Annotated[str, Meta(examples=[""])]
    setup_args: Annotated[str, Meta(examples=[""])]
    compat_id: str | None
    damaged: str | None

    @classmethod
    def of(cls, row: Version) -> "VersionResponse":
        return cls(
            id=row.id,
            name=row.name,
            beside=row.beside,
            label=row.label or "",
            platform=Platform(row.platform),
            delta=row.delta,
            base_id=row.base_id,
            size=row.size,
            installed_size=row.installed_size,
            created=timestamp(row.created),
            only_setup=row.only_setup,
            launch=row.launch,
            launch_args=row.launch_args,
            setup=row.setup,
            setup_args=row.setup_args,
            compat_id=row.compat_id,
            damaged=timestamp(row.damaged) if row.damaged else None,
        )
