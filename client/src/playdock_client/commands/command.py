"""The type of commands."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass


def _no_arguments(parser: ArgumentParser) -> None:
    """Add no arguments to the common ones."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, a one-line description, its function, and its arguments.

    `run` is called with the shell and with the arguments by name, and returns the exit status.
    """

    name: str
    purpose: str
    run: Callable[..., int]
    add_arguments: Callable[[ArgumentParser], None] = _no_arguments
