"""The scripts that complete commands, in real shells."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

_PROGRAMS = Path(sys.executable).parent
_ENVIRONMENT = {"PATH": f"{_PROGRAMS}:{os.environ['PATH']}", "HOME": "/nonexistent"}
# Completes the words as bash does when the tabulator is pressed after the last one.
_PRESS_TAB = """
eval "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
registered=$(complete -p "$1"); registered=${registered##*-F }
"${registered%% *}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def _run(*words: str) -> str:
    return subprocess.run(words, env=_ENVIRONMENT, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["playdock", "wor"], ["worker"]),
        (["playdock", "serve", "--un"], ["--unix-socket"]),
        (["playdock", "token", "--acl", "user:st"], ["user:store:read"]),
        (["playdock-client", "unin"], ["uninstall"]),
        (["playdock-client", "install", "--plat"], ["--platform"]),
        (["playdock-client", "install", "--platform", "L"], ["Linux"]),
    ],
)
def test_bash_completes_commands_and_options(words: Sequence[str], completed: list[str]) -> None:
    script = _run(words[0], "completion", "bash")
    found = _run("bash", "--norc", "-c", _PRESS_TAB, "bash", script, *words)
    assert found.split() == completed


@pytest.mark.parametrize("program", ["playdock", "playdock-client"])
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_their_scripts(program: str, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is missing: install Debian's package {shell}.")
    _run(shell, "-n", "-c", _run(program, "completion", shell))


def test_completing_loads_no_service() -> None:
    loading = "import sys, playdock.cli.commands; print(*sys.modules)"
    assert {"litestar", "uvicorn"}.isdisjoint(_run(sys.executable, "-c", loading).split())
