"""A root folder with a shell and a few Unix programs, and without Python: a Linux that has nothing else."""

import re
import shutil
import subprocess
from pathlib import Path

from system_packages import program_folders

# For what never ends, also on a busy machine.
_PATIENCE = 600
_PROGRAMS = (
    "sh",
    "tar",
    "gzip",
    "dirname",
    "uname",
    "mkdir",
    "chmod",
    "rm",
    "cp",
    "mv",
    "ln",
    "sed",
    "readlink",
    "find",
)
UNIX = (*_PROGRAMS, "sleep")


def _libraries_of(program: Path) -> set[str]:
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
    return set(re.findall(r"(/\S+) \(0x", done.stdout))


def make_bare_root(root: Path) -> None:
    programs = [Path(shutil.which(name, path=program_folders()) or "") for name in UNIX]
    # What every Linux has: the C library in its parts, and zlib.
    [libc] = {Path(each).parent for each in _libraries_of(programs[0]) if "libc.so" in each}
    parts = [libc / f"lib{name}.so.{number}" for name, number in (("m", 6), ("dl", 2), ("pthread", 0), ("rt", 1))]
    parts += [libc / "libz.so.1", libc / "libutil.so.1", libc / "libresolv.so.2", libc / "libnss_files.so.2"]
    for file in {*programs, *parts, *(Path(each) for program in programs for each in _libraries_of(program))}:
        target = root / "bin" / file.name if file in programs else root / file.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    for folder in ("tmp", "dev", "proc", "home/ada/Downloads"):
        (root / folder).mkdir(parents=True)
    (root / "dev/null").touch()


def command_in(root: Path, *words: str) -> list[str]:
    """Return the command that runs a program in a root folder, where it sees the processes as in any Linux."""
    mounting = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    return ["unshare", "--mount", "sh", "-c", f"PATH={program_folders()}; {mounting}", str(root), *words]


def environment_in(**variables: str) -> dict[str, str]:
    own = {"HOME": "/home/ada", "PATH": "/bin", "LC_ALL": "C.UTF-8", "PLAYDOCK_DISCOVERY": "off"}
    return {**own, **variables}


def in_root(root: Path, *words: str, token: str = "") -> str:
    """Run a program in a root folder, and return its output."""
    done = subprocess.run(
        command_in(root, *words),
        env=environment_in(PLAYDOCK_TOKEN=token),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout
