"""What is missing on this machine to launch an installed game, found before the player tries: with the fix in words.

Linux: the shared libraries of the launch program that the loader would not find, and umu-run for Windows games. No
program of the game is run; its files are only read.
"""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from playdock_client.elf import ElfFile, read_elf
from playdock_client.errors import CannotLaunch
from playdock_client.installation import OWN_FOLDER, Installation
from playdock_client.launch_command import path_of
from playdock_client.launch_properties import read_properties
from playdock_client.library_packages import package_advice
from playdock_client.machine import LINUX, WINDOWS, Machine

_LDCONFIG = re.compile(r"^\s*(\S+) \(([^)]*)\) => (\S+)$", re.MULTILINE)
_DEFAULT_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib", "/lib32", "/usr/lib32")
# From elf.h, for the names of platform.machine().
_MACHINES = {"x86_64": (62, 3), "i686": (3,), "i386": (3,), "aarch64": (183, 40), "armv7l": (40,), "riscv64": (243,)}
# A program with its libraries rarely has more; the search ends there.
_MAX_FILES = 500


class LaunchProblemKind(StrEnum):
    """What is missing."""

    UMU = "umu-missing"
    LIBRARY = "library-missing"
    LIBRARY_NOT_SEARCHED = "library-not-searched"
    LOADER = "loader-missing"
    PROCESSOR = "other-processor"
    PLATFORM = "other-platform"
    PROGRAM = "program-missing"


@dataclass(frozen=True, slots=True)
class LaunchProblem:
    """Something that keeps a game from being launched: what is missing, and a sentence with the fix."""

    kind: LaunchProblemKind
    name: str
    message: str


def launch_problems(
    installation: Installation, folder: Path, machine: Machine, environment: Mapping[str, str] = os.environ
) -> Sequence[LaunchProblem]:
    """Return what is missing to launch an installed game on this machine, nothing if it can be launched."""
    game, version = installation.game.name, installation.version
    if version.platform not in machine.runs:
        text = f"This version of {game} is for {version.platform} and cannot run on {machine.platform}."
        return [LaunchProblem(LaunchProblemKind.PLATFORM, version.platform, text)]
    if version.platform == WINDOWS and machine.platform != WINDOWS:
        return [] if machine.umu else [LaunchProblem(LaunchProblemKind.UMU, "umu-run", umu_advice(game))]
    command = version.launch or version.setup
    if machine.platform != LINUX or not command:
        return []
    try:
        program = path_of(folder, command)
    except CannotLaunch as error:
        return [LaunchProblem(LaunchProblemKind.PROGRAM, command, str(error))]
    variables = {**environment, **read_properties(folder).environment}
    return LibraryCheck(folder.resolve(), game, variables.get("LD_LIBRARY_PATH", "")).problems(program)


def umu_advice(game: str) -> str:
    """Return how to get umu-run, for the package managers that are present."""
    known = {"pacman": "sudo pacman -S umu-launcher", "dnf": "sudo dnf install umu-launcher"}
    command = next((command for manager, command in known.items() if shutil.which(manager)), None)
    source = f"run: {command}" if command else "get it from https://github.com/Open-Wine-Components/umu-launcher"
    return f"{game} is a Windows game. To run it on Linux, umu-run must be on the PATH: {source}."


@dataclass(frozen=True)
class LibraryCheck:
    """Finds the libraries of programs in a game's folder like the loader does (``ld.so(8)``).

    A RUNPATH of the program is searched for the libraries of its libraries too, as an RPATH is: no false alarm is worth
    more than a missed one.
    """

    folder: Path
    game: str
    library_path: str = ""

    def problems(self, program: Path) -> Sequence[LaunchProblem]:
        elf = read_elf(program)
        if elf is None:
            return self._script_problems(program)
        if elf.machine not in _MACHINES.get(platform.machine(), (elf.machine,)):
            text = f"{self.game} is made for another processor than this machine's ({platform.machine()})."
            return [LaunchProblem(LaunchProblemKind.PROCESSOR, program.name, text)]
        if elf.loader and not Path(elf.loader).exists():
            return [LaunchProblem(LaunchProblemKind.LOADER, elf.loader, self._loader_text(elf))]
        return [self._missing_library(name, elf) for name in self._missing(program, elf)]

    def _missing(self, program: Path, elf: ElfFile) -> Sequence[str]:
        """Return the missing libraries of a program, and of the libraries in the game's folder that it needs."""
        missing: dict[str, None] = {}
        pending, seen = [(program, elf)], {program}
        for path, each in pending:
            for name in each.needed:
                found = self._find(name, path, each, inherited=elf.search_path, program=program)
                if found is None:
                    missing[name] = None
                elif found not in seen and found.is_relative_to(self.folder) and len(seen) < _MAX_FILES:
                    seen.add(found)
                    if (library := read_elf(found)) is not None:
                        pending.append((found, library))
        return list(missing)

    def _find(self, name: str, user: Path, elf: ElfFile, *, inherited: Sequence[str], program: Path) -> Path | None:
        """Return the library that the loader would use, None if there is none."""
        if "/" in name:
            path = _expanded(name, user)
            return path if path.exists() else None
        folders = [
            *(_expanded(folder, user) for folder in elf.search_path),
            *(_expanded(folder, program) for folder in inherited),
            *(self.folder / folder for folder in self.library_path.split(":") if folder),
        ]
        for folder in folders:
            if (path := folder / name).exists() and (library := read_elf(path)) and library.bits == elf.bits:
                return path.resolve()
        if (name, elf.bits) in self._system_libraries:
            return Path("/") / name
        system = (Path(folder, name) for folder in _DEFAULT_FOLDERS)
        return next((path for path in system if (found := read_elf(path)) and found.bits == elf.bits), None)

    @cached_property
    def _system_libraries(self) -> frozenset[tuple[str, int]]:
        """The names and word sizes of the libraries in the loader's cache."""
        command = shutil.which("ldconfig", path="/sbin:/usr/sbin:/bin:/usr/bin") or "ldconfig"
        with suppress(OSError):
            listed = subprocess.run([command, "-p"], capture_output=True, text=True, check=False)  # noqa: S603
            found = _LDCONFIG.findall(listed.stdout)
            return frozenset((name, 64 if "64" in kind else 32) for name, kind, _ in found)
        return frozenset()

    def _missing_library(self, name: str, elf: ElfFile) -> LaunchProblem:
        inside = next(self._inside(name), None)
        if inside is not None:
            where = inside.parent.relative_to(self.folder).as_posix()
            text = (
                f"{self.game} needs {name}, which is in its folder {where}, but it does not look there. Set the "
                f"environment variable LD_LIBRARY_PATH to {inside.parent} in the properties of the game."
            )
            return LaunchProblem(LaunchProblemKind.LIBRARY_NOT_SEARCHED, name, text)
        text = f"{self.game} needs the library {name}, which is not installed. {package_advice(name, bits=elf.bits)}"
        return LaunchProblem(LaunchProblemKind.LIBRARY, name, text)

    def _inside(self, name: str) -> Iterator[Path]:
        for folder, folders, files in os.walk(self.folder):
            if OWN_FOLDER in folders:
                folders.remove(OWN_FOLDER)
            if name in files:
                yield Path(folder, name)

    def _loader_text(self, elf: ElfFile) -> str:
        if elf.bits == 32:  # noqa: PLR2004 - bits of a word
            return f"{self.game} is a 32-bit program, and this system has no 32-bit libraries. " + package_advice(
                "libc.so.6", bits=32
            )
        return f"{self.game} needs the program loader {elf.loader}, which this system does not have."

    def _script_problems(self, program: Path) -> Sequence[LaunchProblem]:
        """Return whether the interpreter of a script is missing. What the script starts is unknown."""
        with suppress(OSError), program.open("rb") as file:
            line = file.read(256).partition(b"\n")[0]
            words = line[2:].decode(errors="replace").split() if line.startswith(b"#!") else []
            if words and not Path(words[0]).exists():
                text = f"{self.game} needs {words[0]}, which is not installed. Install it, then launch the game."
                return [LaunchProblem(LaunchProblemKind.PROGRAM, words[0], text)]
        return []


def _expanded(folder: str, user: Path) -> Path:
    """Return a folder of a search path, in which ``$ORIGIN`` is the folder of the file that has it."""
    origin = str(user.resolve().parent)
    return Path(folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin))
