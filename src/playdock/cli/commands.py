"""The commands and their options. The other modules of this package implement them.

uvicorn loads Click, too; other libraries for commands would take a tenth of the time of a start. What a command needs
is loaded when it runs, so that the shell completes commands quickly.
"""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import get_completion_class

from playdock import __version__
from playdock.auth.permissions import grantable_to
from playdock.configuration import CONFIG, Configuration, read
from playdock.kit import log_config
from playdock.kit.collection import collection_paused
from playdock.settings import Settings


class _Time(click.ParamType[datetime]):
    """A date or a time in ISO 8601."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a time in ISO 8601, such as 2030-01-31T12:00:00Z.", param, ctx)


@click.group(context_settings={"show_default": True})
@click.version_option(__version__)
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"A TOML file with settings. The environment takes precedence. {CONFIG} names it, too.",
)
def app(config: Path | None) -> None:
    """A self-hosted game distribution service."""
    if config:
        # The processes that a command starts read it, too.
        os.environ[CONFIG] = str(config.absolute())


def _configuration() -> Configuration:
    """Read the settings, and configure the log accordingly."""
    configuration = read()
    log_config.configure(configuration.settings.log_level, configuration.settings.log_format)
    return configuration


def _settings() -> Settings:
    return _configuration().settings


@app.command(short_help="Run the server.")
@click.option("--host", default="127.0.0.1", help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=3000, help="The port to listen on.")
@click.option(
    "--unix-socket",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The path of a Unix domain socket to listen on instead, for a web server on the same machine.",
)
@click.option("--workers", type=click.IntRange(1, 64), default=1, help="The number of server processes.")
def serve(host: str, port: int, unix_socket: Path | None, workers: int) -> None:
    """Upgrade the database if necessary, then serve the API and run background tasks."""
    with collection_paused():
        from playdock.cli import server
    server.serve(_configuration(), host=host, port=port, unix_socket=unix_socket, workers=workers)


@app.command(short_help="Run only background tasks.")
def worker() -> None:
    """Run only background tasks, in addition to servers with the same database."""
    with collection_paused():
        from playdock.cli import server
    server.work(_configuration())


@app.command(short_help="Create an invitation.")
@click.option("--admin/--no-admin", default=False, help="Whether the new user becomes an administrator.")
@click.option("--username", help="The required user name.")
@click.option("--email", help="The required email address.")
@click.option("--expires", type=_Time(), help="The expiry time in ISO 8601, by default in one week.")
def invite(*, admin: bool, username: str | None, email: str | None, expires: datetime | None) -> None:
    """Create an invitation and print its link, which begins with EXTERNAL_URL (http://localhost:3000 if unset)."""
    from playdock.cli import people

    print(people.invite(_configuration(), admin=admin, username=username, email=email, expires=expires))  # noqa: T201 - the answer


@app.command(short_help="Create an API token.")
@click.option("--user", required=True, help="The user name of its owner.")
@click.option("--name", required=True, help="A name that describes the purpose of the token.")
@click.option(
    "--acl",
    type=click.Choice(sorted(each.value for each in grantable_to(admin=True))),
    metavar="PERMISSION",
    required=True,
    multiple=True,
    help="A permission, such as user:read; can be repeated.",
)
@click.option(
    "--expires", type=_Time(), help="The expiry time in ISO 8601, by default as late as TOKEN_MAX_DAYS allows."
)
def token(user: str, name: str, acl: tuple[str, ...], expires: datetime | None) -> None:
    """Create an API token for a user and print its secret, which is shown only once."""
    from playdock.cli import people

    print(people.token(_configuration(), user=user, name=name, acls=list(acl), expires=expires))  # noqa: T201 - the answer


@app.command(short_help="Check the installation.")
@click.option(
    "--openid/--no-openid",
    default=False,
    help="Test OpenID sign-in interactively instead, while the service is running.",
)
def doctor(*, openid: bool) -> None:
    """Check settings, database, libraries, providers, storage, OpenID and clock, and explain how to fix problems."""
    from playdock.cli import doctor as checks
    from playdock.cli import guided_test

    if not (guided_test.run(_configuration()) if openid else checks.examine(_configuration())):
        sys.exit(1)


@app.command(short_help="Make a backup.")
@click.argument("destination")
@click.option(
    "--keep", type=click.IntRange(0), default=0, help="How many backups to keep in DESTINATION; 0 for all of them."
)
def backup(destination: str, keep: int) -> None:
    """Back up database, objects and secrets into DESTINATION, while the service runs. Games are not included.

    DESTINATION is a folder or s3://bucket/prefix in the S3 server of the settings.
    """
    from playdock.cli import backups

    print(backups.backup(_settings(), destination, kept=keep))  # noqa: T201 - the answer


@app.command(short_help="Restore a backup.")
@click.argument("source")
@click.option("--check", is_flag=True, help="Only read the whole backup and compare its hashes.")
def restore(source: str, *, check: bool) -> None:
    """Restore the backup SOURCE into an empty place.

    SOURCE is a backup, or a folder or s3://bucket/prefix with backups, of which the newest is taken.
    """
    from playdock.cli import backups

    print("\n".join([backups.check(_settings(), source)] if check else backups.restore(_settings(), source)))  # noqa: T201 - the answer


@app.command(short_help="Copy the database into another one.")
@click.argument("target")
def move_database(target: str) -> None:
    """Copy the database that DATABASE_URL names into the empty one with the URL TARGET. The service must not run."""
    from playdock.cli import backups

    print("\n".join(backups.move_database(_settings(), target)))  # noqa: T201 - the answer


@app.command(short_help="Copy the objects into another storage.")
@click.argument("target")
def move_objects(target: str) -> None:
    """Copy the images, manifests and patches that OBJECTS_URL names into TARGET. The service must not run.

    TARGET is a folder or s3://bucket/prefix in the S3 server of the settings. Interrupted, it continues.
    """
    from playdock.cli import backups

    print("\n".join(backups.move_objects(_settings(), target)))  # noqa: T201 - the answer


@app.command(short_help="Move from another game server.")
@click.argument("server", type=click.Choice(["drop", "gamevault", "romm"]))
@click.option(
    "--from",
    "address",
    metavar="URL",
    envvar="PLAYDOCK_MIGRATE_FROM",
    help="The URL of the other server's database, which is only read. PLAYDOCK_MIGRATE_FROM can contain it, too, which "
    "hides its password from other users of the machine.",
)
@click.option(
    "--objects",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder in which the other server stores images, and Drop saved games.",
)
@click.option(
    "--saves",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder in which GameVault or RomM stores saved games.",
)
@click.option(
    "--map",
    "mapped",
    multiple=True,
    metavar="OLD=NEW",
    help="A folder as the other server sees it, and where it is on this machine; can be repeated.",
)
@click.option(
    "--openid-issuer",
    "issuer",
    metavar="ISSUER",
    default="",
    help="The issuer of the OpenID provider that both servers use. People of Drop then sign in with it as before.",
)
@click.option("--plan", is_flag=True, help="Only show what would be moved and what cannot be, or what --undo deletes.")
@click.option("--undo", is_flag=True, help="Delete everything that was moved from such a server.")
@click.pass_context
def migrate(
    ctx: click.Context,
    server: str,
    *,
    address: str | None,
    objects: Path | None,
    saves: Path | None,
    mapped: tuple[str, ...],
    issuer: str,
    plan: bool,
    undo: bool,
) -> None:
    """Move users, libraries, games and collections from SERVER to this one. It can be interrupted and repeated."""
    from playdock.cli import moving_in

    if undo:
        if objects or saves or mapped or issuer or ctx.get_parameter_source("address") is ParameterSource.COMMANDLINE:
            raise click.UsageError("--undo only takes --plan, since it does not read the other server.")
        undo_or_plan = moving_in.plan_undo if plan else moving_in.undo
        print(undo_or_plan(_configuration(), server))  # noqa: T201 - the answer
        return
    if address is None:
        raise click.UsageError("--from is missing: the URL of the other server's database.")
    if saves and server == "drop":
        raise click.UsageError("Drop stores saved games and images together. Name their folder with --objects.")
    origin = moving_in.origin_in_database(server, address, objects=objects, saves=saves, issuer=issuer)
    folders = moving_in.mapping_of(mapped)
    act = moving_in.plan if plan else moving_in.move
    print(act(_configuration(), origin, mapped=folders))  # noqa: T201 - the answer


@app.command(short_help="Write everything to documented files.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--user", metavar="USERNAME", help="Write only what belongs to one user.")
def export(folder: Path, user: str | None) -> None:
    """Write users, libraries, games with images, versions and collections into the new FOLDER, while the service runs.

    Files of games are not included. The format is described in docs/export-format.md.
    """
    from playdock.cli import moving_out

    print(moving_out.export(_configuration(), folder, username=user))  # noqa: T201 - the answer


@app.command(short_help="Read an export of another server.")
@click.argument("source", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--map",
    "mapped",
    multiple=True,
    metavar="OLD=NEW",
    help="A folder as the exported server saw it, and where it is on this machine; can be repeated.",
)
@click.option("--user", metavar="USERNAME", default="", help="The account that gets the export of one person.")
@click.option(
    "--plan",
    is_flag=True,
    help="Check the export, and only show what would be added and what cannot be, or what --undo deletes.",
)
@click.option("--undo", is_flag=True, help="Delete everything that was added from exports.")
def import_export(source: Path | None, *, mapped: tuple[str, ...], user: str, plan: bool, undo: bool) -> None:
    """Add everything in SOURCE, a folder written by playdock export. It can be interrupted and repeated."""
    from playdock.cli import moving_in

    if undo:
        if source or mapped or user:
            raise click.UsageError("--undo only takes --plan, since it does not read an export.")
        undo_or_plan = moving_in.plan_undo if plan else moving_in.undo
        print(undo_or_plan(_configuration(), moving_in.EXPORT))  # noqa: T201 - the answer
        return
    if source is None:
        raise click.UsageError("SOURCE is missing: the folder with the export.")
    act = moving_in.plan if plan else moving_in.move
    origin, folders = moving_in.origin_in_export(source, username=user), moving_in.mapping_of(mapped)
    print(act(_configuration(), origin, mapped=folders))  # noqa: T201 - the answer


@app.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    from playdock.web.openapi import document_as_json

    print(document_as_json())  # noqa: T201 - the answer


@app.command(short_help="Print a script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script with which a shell completes commands and options of playdock."""
    script = get_completion_class(shell)
    assert script is not None
    print(script(app, {}, "playdock", "_PLAYDOCK_COMPLETE").source())  # noqa: T201 - the answer
