"""Games and their versions on the wire."""

from playdock.content.programs import Platform
from playdock.kit.bodies import Answer
from playdock.kit.clock import timestamp
from playdock.models import Version


class NamedAnswer(Answer):
    """Something by its id and its name."""

    id: str
    name: str


class VersionAnswer(Answer):
    """A version of a game; sizes are bytes, of its own files and of the whole installation.

    ``baseId`` is the version that a delta is layered over. ``damaged`` is when a file of its own was last found not to
    be as it was imported, null if none is known.
    """

    id: str
    name: str
    platform: Platform
    delta: bool
    base_id: str | None
    size: int
    installed_size: int
    created: str
    only_setup: bool
    launch: str
    launch_args: str
    setup: str
    setup_args: str
    compat_id: str | None
    damaged: str | None

    @classmethod
    def of(cls, row: Version) -> "VersionAnswer":
        return cls(
            id=row.id,
            name=row.name,
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
