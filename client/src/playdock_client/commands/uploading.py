"""`upload`."""

from argparse import ArgumentParser
from pathlib import Path

from playdock_client.commands.command import Command
from playdock_client.credentials import TOKEN_VARIABLE
from playdock_client.errors import NotSignedIn
from playdock_client.shell import Exit, Shell
from playdock_client.uploading import (
    CannotUpload,
    ManagedLibrary,
    UploadServer,
    files_to_upload,
    renamed,
    suggested_place,
)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("source", metavar="FOLDER", type=Path, help="the folder or archive of a game")
    parser.add_argument("--library", metavar="NAME", help="the game folder on the server, if it manages several")
    parser.add_argument("--game", default="", metavar="NAME", help="the name of the game's folder there")
    parser.add_argument("--version", default="", metavar="NAME", help="the name of the version, such as 1.4")
    parser.add_argument(
        "--token",
        metavar="TOKEN",
        help=f"an administrator's API token with system:library:write and system:library:sources:read; others on this "
        f"machine cannot see it if it is in {TOKEN_VARIABLE} instead",
    )


def _upload(shell: Shell, *, source: Path, library: str | None, game: str, version: str, token: str | None) -> int:
    """Upload a game, or continue an interrupted upload."""
    source = source.resolve()
    address, token = shell.selected_server, token or shell.environment.get(TOKEN_VARIABLE)
    if address is None:
        raise NotSignedIn(f"Give the server with --server, and an API token with --token or in {TOKEN_VARIABLE}.")
    if token is None:
        raise NotSignedIn(
            f"Uploading to {address} needs an administrator's API token. Create it there in the account, and give it "
            f"with --token or in {TOKEN_VARIABLE}."
        )
    files = files_to_upload(source)
    with UploadServer(address, token, allow_http=shell.allows_http(address)) as server:
        selected = selected_library(server.managed_libraries(), library)
        place = suggested_place(source, selected, game=game, version=version)
        with shell.screen.progress() as progress:
            server.upload(selected, place, renamed(files, place), progress)
    name = " ".join(part for part in (place.game, place.version) if part)
    document = {"library": selected.name, "game": place.game, "version": place.version}
    shell.screen.show_result(document, [f"Uploaded {name} to {selected.name}. Import it on the server's Import page."])
    return Exit.DONE


def selected_library(libraries: list[ManagedLibrary], name: str | None) -> ManagedLibrary:
    """Return the library with a name, or the only one. Raises CannotUpload."""
    names = ", ".join(each.name for each in libraries)
    found = [each for each in libraries if name is None or each.name.casefold() == name.casefold()]
    if not libraries:
        raise CannotUpload("The server manages no game folder. Add one on its page of game folders.")
    if not found:
        raise CannotUpload(f"The server manages no game folder with this name, only: {names}.")
    if len(found) > 1:
        raise CannotUpload(f"Select one of the game folders with --library: {names}.")
    return found[0]


COMMANDS = (
    Command("upload", "Upload a game to a server, or continue an interrupted upload.", _upload, _add_arguments),
)
