"""`contribute`."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playdock_client.commands.command import Command
from playdock_client.commands.getting import adopt_version
from playdock_client.commands.uploading import selected_library
from playdock_client.connection import Server
from playdock_client.contributing import Availability, Offer, offers_of, place_of, selection_of
from playdock_client.credentials import TOKEN_VARIABLE
from playdock_client.errors import ClientError, NotSignedIn, RequestRefused
from playdock_client.importing_uploads import ImportServer, NotImported
from playdock_client.installing import is_started
from playdock_client.machine import PLATFORMS
from playdock_client.output import show_failure
from playdock_client.recognizing import Recognition, recognize
from playdock_client.responses import GamePage
from playdock_client.screen import Document, Listing
from playdock_client.shell import Exit, Shell, UsageError, folder_of
from playdock_client.stores.examining import FOREIGN_FOLDERS, ExaminedGame, examine
from playdock_client.stores.finding import StoreFinder
from playdock_client.stores.found_game import FoundGame, Store
from playdock_client.uploading import CannotUpload, ManagedLibrary, files_to_upload
from playdock_client.wording import command_line, size

_FORBIDDEN = 403
_LABELS = {
    Availability.NEW: "upload",
    Availability.ON_SERVER: "has it",
    Availability.INSTALLED: "installed from a server",
}


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", nargs="?", help="the folder of a game")
    for store in Store:
        parser.add_argument(
            f"--{store.lower()}", action="store_true", help=f"the games that {store} has installed on this machine"
        )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="upload without asking, except games that are known to need their store; you are responsible for what you "
        "upload",
    )
    parser.add_argument("--library", metavar="NAME", help="the game folder on the server, if it manages several")
    parser.add_argument(
        "--token",
        metavar="TOKEN",
        help=f"an API token for the uploads, with system:library:write, system:library:sources:read, and to import "
        f"system:import:game:read and system:import:version:read; default: {TOKEN_VARIABLE}",
    )


def _contribute(
    shell: Shell, *, folder: str | None, yes: bool, library: str | None, token: str | None, **stores: bool
) -> int:
    """Upload installed games that the server does not have, and use their folders as installations."""
    found = _found(shell, folder, [store for store in Store if stores[store.lower()]])
    with shell.server() as server:
        installed = [str(each.game.folder) for each in found if is_started(each.game.folder)]
        offers = offers_of(found, list(server.games(everything=True)), installed=installed)
        _show(shell, offers)
        selected = _selected(shell, offers, yes=yes)
        contribution = _Contribution(shell, server, library=library, token=token)
        statuses = [contribution.contribute(offer) for offer in selected]
    return max(statuses, default=Exit.DONE)


def _found(shell: Shell, folder: str | None, stores: Sequence[Store]) -> list[ExaminedGame]:
    if bool(folder) == bool(stores):
        raise UsageError("Name the folder of a game, or use --steam, --gog or --epic.")
    finder = StoreFinder(shell.machine.platform, shell.environment)
    if not folder:
        return [examine(game) for store in stores for game in finder.find(store)]
    path = folder_of(folder)
    if not path.is_dir():
        raise CannotUpload(f"There is no folder {path}.")
    return [examine(finder.identify(path))]


def _show(shell: Shell, offers: Sequence[Offer]) -> None:
    rows = [
        (
            str(number),
            each.local.game.name,
            each.local.game.store or "",
            size(each.local.size),
            each.local.assessment.reason,
            _LABELS.get(each.availability, each.local.game.problem or "The folder is empty."),
        )
        for number, each in enumerate(offers, start=1)
    ]
    columns = ("", "Game", "Store", "Size", "Copy protection", "Server")
    documents = [_document(each) for each in offers]
    shell.screen.show_result(
        {"event": "found", "games": documents}, Listing(columns, rows, "No installed games were found.")
    )


def _document(offer: Offer) -> Document:
    game = offer.local.game
    return {
        "name": game.name,
        "folder": str(game.folder),
        "store": game.store,
        "id": game.id,
        "version": game.version,
        "size": offer.local.size,
        "protection": offer.local.assessment.protection.name.lower().replace("_", "-"),
        "reason": offer.local.assessment.reason,
        "availability": offer.availability,
        "problem": game.problem,
    }


def _selected(shell: Shell, offers: Sequence[Offer], *, yes: bool) -> Sequence[Offer]:
    if yes:
        return [each for each in offers if each.is_default]
    if not any(each.is_selectable for each in offers):
        return []
    if shell.for_programs or not sys.stdin.isatty():
        shell.screen.info("Nothing was uploaded. Use --yes to upload without being asked.")
        return []
    shell.screen.info("No file proves that a game runs without its store. Upload only what you may share.")
    while True:
        shell.screen.info("Which games? Numbers such as 1 3-5, all, or nothing to stop:")
        selected = selection_of(sys.stdin.readline(), offers)
        if selected is not None:
            return selected


class _Contribution:
    """Uploads games to one server, and adopts their folders."""

    def __init__(self, shell: Shell, server: Server, *, library: str | None, token: str | None) -> None:
        self._shell, self._server, self._library, self._token = shell, server, library, token

    def contribute(self, offer: Offer) -> Exit:
        """Contribute one game. A failure does not affect the others."""
        game = offer.local.game
        try:
            if offer.known is None or not self._adopt_known(offer):
                self._upload(game)
        except NotSignedIn:
            raise
        except NotImported as error:
            self._shell.screen.info(f"{game.name}: {error} Then run the same command again to use {game.folder}.")
        except ClientError as error:
            return show_failure(self._shell.screen, error, about=game.name)
        return Exit.DONE

    def _adopt_known(self, offer: Offer) -> bool:
        """Adopt the folder if the server has a version with the same files. Return False if it should be uploaded."""
        game, known = offer.local.game, offer.known
        if known is None:
            return False
        found = self._recognized(known, game.folder) if known.versions else None
        if found is not None and found.matching == found.files:
            adopt_version(self._shell, self._server, known, found.version, game.folder)
            return True
        if offer.is_same_id and found is not None:
            self._shell.screen.info(
                f"{game.name}: the server has it with other files. To use this folder for version "
                f"{found.version.title}, run: {command_line('adopt', known.id, '--folder', str(game.folder))}"
            )
            return True
        if offer.is_same_id:
            raise NotImported("The server is still importing it.")
        return False

    def _upload(self, game: FoundGame) -> None:
        files = files_to_upload(game.folder, but=FOREIGN_FOLDERS)
        with self._uploads() as uploads:
            library = selected_library(self._libraries(uploads), self._library)
            place = place_of(game, library)
            self._shell.screen.info(f"Uploading {place.game} {place.version}".rstrip())
            with self._shell.screen.progress() as progress:
                try:
                    uploads.upload(library, place, files, progress)
                except RequestRefused as refused:
                    # It was uploaded before, and not imported then, or it is something else.
                    if refused.type != "destination-taken":
                        raise
            page = self._imported(uploads, library, place.game)
        found = self._recognized(page, game.folder)
        if found.matching != found.files:
            raise CannotUpload(
                f"{library.name} has other files in {place.game}/{place.version}, so nothing was changed here. To "
                f"upload this folder as another version, run: playdock upload"
            )
        self._shell.screen.emit("uploaded", {"library": library.name, "game": place.game, "version": place.version})
        adopt_version(self._shell, self._server, page, found.version, game.folder)

    def _imported(self, uploads: ImportServer, library: ManagedLibrary, folder: str) -> GamePage:
        """Import an upload, and return its game when it has a version."""
        with self._shell.screen.progress() as progress:
            try:
                game_id = uploads.import_folder(library.id, folder, progress)
            except RequestRefused as refused:
                if refused.status != _FORBIDDEN:
                    raise
                raise NotImported("It was uploaded. Import it on the server's Import page.") from None
            uploads.wait_for_version(lambda: bool(self._server.versions(game_id)), progress)
        return self._server.game(game_id)

    def _recognized(self, game: GamePage, folder: Path) -> Recognition:
        runs = self._shell.machine.runs
        # A game that cannot be launched here was installed here nevertheless.
        platforms = [*runs, *(each for each in PLATFORMS if each not in runs)]
        with self._shell.screen.progress() as progress:
            return recognize(self._server, game.versions, folder, platforms=platforms, progress=progress)

    @contextmanager
    def _uploads(self) -> Iterator[ImportServer]:
        address, shell = self._server.address, self._shell
        token = self._token or shell.environment.get(TOKEN_VARIABLE) or shell.credentials.token_for(address)
        with ImportServer(address, token, allow_http=shell.allows_http(address)) as server:
            yield server

    def _libraries(self, uploads: ImportServer) -> list[ManagedLibrary]:
        try:
            return uploads.managed_libraries()
        except RequestRefused as refused:
            if refused.status != _FORBIDDEN:
                raise
            address = self._server.address
            raise CannotUpload(
                f"You may not upload games to {address}. Request the game at {address}/requests, or use an API token "
                f"of an administrator with --token or in {TOKEN_VARIABLE}."
            ) from None


COMMANDS = (
    Command(
        "contribute",
        "Upload installed games that the server does not have, and use their folders.",
        _contribute,
        _add_arguments,
    ),
)
