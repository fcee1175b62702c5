"""What a command is."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass


def _nothing(parser: ArgumentParser) -> None:
    """Offer no words beyond those that all commands take."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it is called, what it does in a line, who carries it out, and which words it takes.

    `carry_out` is called with the shell, and with the words by name; it gives the status to exit with.
    """

    name: str
    purpose: str
    carry_out: Callable[..., int]
    offer: Callable[[ArgumentParser], None] = _nothing
