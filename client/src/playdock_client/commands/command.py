"""The type of commands."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass


def _no_arguments(parser: ArgumentParser) -> None:
    """Add no arguments to the common ones."""


def add_installed_game(parser: ArgumentParser) -> None:
    """Add the argument that names an installed game."""
    parser.add_argument("game", metavar="GAME", help="an installed game: its name, its id or its folder (./Doom)")


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, a one-line description, its function, and its arguments.

    `run` is called with the shell and with the arguments by name, and returns the exit status.
    """

    name: str
    purpose: str
    run: Callable[..., int]
    add_arguments: Callable[[ArgumentParser], None] = _no_arguments
