"""The command of a version: a program in the installation's folder, and its arguments. They come from a server."""

import re
import shlex
from pathlib import Path

from playdock_client.errors import CannotLaunch
from playdock_client.machine import WINDOWS
from playdock_client.names import path_problem

_BUNDLE = re.compile(r"((?:.*/)?[^/]+\.app)(?:/Contents/MacOS/[^/]+)?")


def path_of(folder: Path, command: str) -> Path:
    """Return the path of a command. Raises CannotLaunch if it is missing or outside the folder."""
    if not command or path_problem(command):
        raise CannotLaunch("The launch command from the server is not inside the installation, so it was not started.")
    root = folder.resolve()
    # Do not resolve the returned path: some programs depend on the name they are started with.
    path = root.joinpath(*command.split("/"))
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise CannotLaunch(f"{command} is missing from the installation. Repair the game to restore it.") from error
    if not real.is_relative_to(root):
        raise CannotLaunch(f"{command} is a link that leaves the installation, so it was not started.")
    return path


def split(arguments: str, *, platform: str) -> list[str]:
    r"""Split arguments like the platform does. On Windows ``\`` and ``'`` have no special meaning.

    Raises CannotLaunch if a quotation is not closed.
    """
    lexer = shlex.shlex(arguments, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    if platform == WINDOWS:
        lexer.escape, lexer.quotes = "", '"'
    try:
        return list(lexer)
    except ValueError as error:
        raise CannotLaunch("A quotation in the launch arguments is not closed.") from error


def bundle_of(folder: Path, path: Path) -> Path | None:
    """Return the macOS application bundle that a path is or belongs to, if any."""
    root = folder.resolve()
    base = root if path.is_relative_to(root) else Path(path.anchor)
    found = _BUNDLE.fullmatch(path.relative_to(base).as_posix())
    return base / found[1] if found else None
