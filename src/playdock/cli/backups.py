"""The commands `backup`, `restore`, `move-database` and `move-objects`."""

from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from playdock.backups import restoring
from playdock.backups.errors import SameStorage
from playdock.backups.moving import move, require_database
from playdock.backups.moving_objects import move_objects as copy_objects
from playdock.backups.opening import find
from playdock.backups.restoring import Restoring
from playdock.backups.storage import created
from playdock.backups.writing import Backups
from playdock.cli.opening import bring_up_to_date
from playdock.configuration import error_of_objects_url
from playdock.db.database import Database
from playdock.db.moving import unused
from playdock.kit.clock import utc_now
from playdock.kit.database_urls import error_of_database_url
from playdock.kit.errors import Invalid
from playdock.kit.s3_location import is_s3_url
from playdock.kit.secret_key import SecretKey
from playdock.settings import Settings
from playdock.web.object_storage import open_blobs
from playdock.web.wiring import wire

_MIB = 1024**2


class InvalidDatabaseUrl(Invalid):
    """The target of a move is not the URL of a database."""


class InvalidObjectsUrl(Invalid):
    """The target of a move is neither a folder nor a location in S3."""


def backup(settings: Settings, place: str, *, kept: int) -> str:
    """Make a backup, and return what was done. The service may be running."""
    with closing(wire(settings)) as services:
        bring_up_to_date(services.db, settings)
        made = Backups(services.db, utc_now, settings, services.blobs).write(place, kept=kept)
    new = f"{made.new_objects:,} of {made.objects:,} objects are new ({made.new_bytes // _MIB:,} MiB)."
    removed = f" Deleted {made.pruned} old backups." if made.pruned else ""
    kept_all = f" Old backups could not be deleted. {made.prune_fault}" if made.prune_fault else ""
    return f"The backup {made.place} is complete. {new}{removed}{kept_all}"


def check(settings: Settings, source: str) -> str:
    """Read a backup completely, and return what it contains."""
    found = find(settings, source)
    with TemporaryDirectory(prefix="playdock-backup-") as work:
        objects = restoring.check(found, work=Path(work))
    made = created(found.listed.created)
    return (
        f"The backup {found.place} is intact: {found.listed.database}, schema {found.listed.schema} of Playdock "
        f"{found.listed.release}, {objects:,} objects, made at {made}."
    )


def restore(settings: Settings, source: str) -> list[str]:
    """Restore a backup into the place that the settings name, and return what remains to be done."""
    found = find(settings, source)
    with closing(wire(settings)) as services:
        done = Restoring(services.db, settings, services.blobs).restore(found)
    return [f"The backup {found.place} with {done.objects:,} objects was restored.", *done.remaining]


def move_database(settings: Settings, target: str) -> list[str]:
    """Copy the database into another one, and return what was done and what to set."""
    address = msgspec.structs.replace(settings, database_url=target).database
    if fault := error_of_database_url(address):
        raise InvalidDatabaseUrl(fault)
    SecretKey(settings.secret_key, settings.data_dir).require_same()
    with closing(Database(settings.database)) as source, closing(Database(address)) as destination:
        counts = move(source, destination, progress=lambda _table, _rows: None)
    shown = destination.url.render_as_string(hide_password=True).replace("+psycopg", "")
    return [
        f"Copied {sum(counts.values()):,} rows of {len(counts)} tables, and compared them.",
        f"Now set DATABASE_URL={shown} for all processes, and start them.",
        "The former database was not changed. Keep it until you have seen that the service works.",
    ]


def move_objects(settings: Settings, target: str) -> list[str]:
    """Copy the objects into a folder or an S3 server, and return what was done and what to set."""
    if fault := error_of_objects_url(target):
        raise InvalidObjectsUrl(fault)
    address = target if is_s3_url(target) else str(Path(target.removeprefix("file://")).absolute())
    with ExitStack() as resources:
        # What is compared comes from the target, not from the cache of this machine.
        cache = Path(resources.enter_context(TemporaryDirectory(prefix="playdock-objects-")))
        destination = msgspec.structs.replace(settings, objects_url=address)
        if (destination.objects_in_s3, destination.objects_dir) == (settings.objects_in_s3, settings.objects_dir):
            raise SameStorage
        source = open_blobs(settings, resources)
        copies = open_blobs(msgspec.structs.replace(destination, data_dir=cache), resources)
        database = resources.enter_context(closing(Database(settings.database)))
        require_database(database)
        bring_up_to_date(database, settings)
        resources.enter_context(unused(database, what="database"))
        moved = copy_objects(source, copies)
    return [
        f"Copied {moved.copied:,} of {moved.objects:,} objects ({moved.size // _MIB:,} MiB), and compared all of them.",
        f"Now set OBJECTS_URL={address} for all processes, and start them.",
        "The former objects were not deleted. Keep them until you have seen that the service works.",
    ]
