"""`completion`: scripts with which shells complete commands and options."""

from argparse import ArgumentParser

from playdock_client.commands.command import Command
from playdock_client.shell import Exit, Shell

_SHELLS = ("bash", "zsh", "fish")


def completion_command(program: ArgumentParser) -> Command:
    """Return the command that prints scripts for a program, whose commands are added to its parser later."""

    def complete(shell: Shell, *, kind: str) -> int:
        # Loaded only here, because nothing else needs it.
        import shtab

        script = shtab.complete(program, kind)
        shell.screen.show_result({"event": "completion", "shell": kind, "script": script}, script.splitlines())
        return Exit.DONE

    return Command("completion", "Print a script that completes commands in a shell.", complete, _add_arguments)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("kind", metavar="SHELL", choices=_SHELLS, help="bash, zsh or fish")
