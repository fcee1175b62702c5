"""Provide the Debian packages that tests and benchmarks need.

`system_packages.py NAME…` looks for the programs of each package. Missing ones are installed if apt is available and
permitted, without starting a service or creating a database cluster. Otherwise a message says what is missing and what
is skipped without it. The exit status is always 0, because the tests that need a package report it too.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SystemPackage:
    name: str
    programs: tuple[str, ...]
    left_out: str


KNOWN = (
    SystemPackage("postgresql", programs=("initdb", "postgres"), left_out="the tests against PostgreSQL"),
    SystemPackage("wrk", programs=("wrk",), left_out="the measurements under many requests at once"),
    SystemPackage("curl", programs=("curl",), left_out="the walk of the README"),
    SystemPackage("nodejs", programs=("node",), left_out="the tests with a real OpenID provider"),
    SystemPackage("npm", programs=("npm",), left_out="the tests with a real OpenID provider"),
    SystemPackage("nginx", programs=("nginx",), left_out="the comparison with nginx"),
    SystemPackage("nginx-light", programs=("nginx",), left_out="the tests with nginx in front"),
    SystemPackage("unzip", programs=("unzip",), left_out="the tests of archives with unzip"),
    SystemPackage("p7zip-full", programs=("7z",), left_out="the tests of archives with 7-Zip"),
    SystemPackage("xorriso", programs=("xorriso",), left_out="the tests of disc images"),
    SystemPackage("libarchive-tools", programs=("bsdtar",), left_out="the tests of .7z, .rar, .iso and .tar archives"),
    SystemPackage("innoextract", programs=("innoextract",), left_out="the tests of unpacking installers"),
    SystemPackage("rsync", programs=("rsync",), left_out="the comparison of updates with rsync"),
    SystemPackage("bsdiff", programs=("bsdiff",), left_out="the comparison of patches with bsdiff"),
    SystemPackage("zstd", programs=("zstd",), left_out="the tests of compressed downloads with zstd"),
    SystemPackage("build-essential", programs=("cc",), left_out="full and failing disks in fault-injection runs"),
    SystemPackage("iproute2", programs=("ip",), left_out="the fault-injection runs with several machines"),
    SystemPackage("binutils", programs=("objdump", "objcopy"), left_out="the client for Linux"),
    SystemPackage("nsis", programs=("makensis",), left_out="the setup program for Windows"),
    SystemPackage("osslsigncode", programs=("osslsigncode",), left_out="the setup program for Windows"),
    SystemPackage("wine", programs=("wine",), left_out="the test of the setup program for Windows"),
    SystemPackage("wine64", programs=("wine",), left_out="the test of the setup program for Windows"),
    SystemPackage(
        "gcc-mingw-w64-x86-64-win32",
        programs=("x86_64-w64-mingw32-gcc",),
        left_out="the test of the setup program for Windows",
    ),
    SystemPackage(
        "desktop-file-utils", programs=("desktop-file-validate",), left_out="the validation of desktop entries"
    ),
    SystemPackage("xvfb", programs=("Xvfb",), left_out="the tests of the app's windows with wine and WebKitGTK"),
    SystemPackage("prometheus", programs=("promtool",), left_out="the validation of alert rules"),
    SystemPackage("xdg-utils", programs=("xdg-mime",), left_out="the test of links that open the client"),
    SystemPackage("radosgw", programs=("radosgw", "radosgw-admin"), left_out="the tests with a real S3 server"),
    SystemPackage("ceph-mon", programs=("ceph-mon", "ceph", "monmaptool"), left_out="the tests with a real S3 server"),
    SystemPackage("ceph-osd", programs=("ceph-osd",), left_out="the tests with a real S3 server"),
    SystemPackage("mmdebstrap", programs=("mmdebstrap",), left_out="the test of the image"),
    SystemPackage("buildah", programs=("buildah",), left_out="the test of the image"),
    SystemPackage("podman", programs=("podman",), left_out="the test of the image"),
    SystemPackage("runc", programs=("runc",), left_out="the test of the image"),
    SystemPackage("docker.io", programs=("dockerd", "docker"), left_out="the test of the compose files"),
    SystemPackage("chromium", programs=("chromium",), left_out="the tests of the web pages in a browser"),
)


@dataclass(frozen=True, slots=True)
class Precaution:
    """A file that restricts the installation of packages."""

    path: Path
    text: str
    mode: int


PRECAUTIONS = (
    Precaution(Path("/usr/sbin/policy-rc.d"), text="#!/bin/sh\n# Set by Playdock's tests\nexit 101\n", mode=0o755),
    Precaution(
        Path("/etc/postgresql-common/createcluster.d/playdock-tests.conf"),
        text="create_main_cluster = false\n",
        mode=0o644,
    ),
)

SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
PATIENCE = ("-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20")


def program_folders() -> str:
    """Return the PATH with Debian's folders for administrators."""
    postgresql = map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin")))
    return os.pathsep.join((os.environ.get("PATH", ""), *SYSTEM_FOLDERS, *postgresql))


def missing_programs(package: SystemPackage, *, path: str) -> list[str]:
    return [program for program in package.programs if shutil.which(program, path=path) is None]


@contextmanager
def in_place(precaution: Precaution) -> Iterator[None]:
    """Create the file for the duration of the block. An existing file with other content is not changed."""
    path = precaution.path
    # A file with this content is left over from a killed run.
    if path.exists() and path.read_text() != precaution.text:
        yield
        return
    new_folders = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_text(precaution.text)
        path.chmod(precaution.mode)
        yield
    finally:
        path.unlink(missing_ok=True)
        with suppress(OSError):  # a package has put something of its own there
            for folder in new_folders:
                folder.rmdir()


def apt(*arguments: str) -> str:
    """Run apt-get, and return its error output, empty on success."""
    calm = {"DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_SUSPEND": "1", "LC_ALL": "C"}
    done = subprocess.run(
        ("apt-get", "--yes", *PATIENCE, *arguments),
        env=os.environ | calm,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    message = done.stderr.strip().splitlines() or [f"apt-get ended with status {done.returncode}"]
    return message[-1] if done.returncode else ""


def install(packages: Sequence[SystemPackage]) -> str:
    """Install the packages, updating the package lists if necessary, and return apt's error output."""
    names = [package.name for package in packages]
    print(f"Installing {', '.join(names)} with apt-get …", flush=True)
    with ExitStack() as precautions:
        for precaution in PRECAUTIONS:
            precautions.enter_context(in_place(precaution))
        if not apt("install", "--no-install-recommends", *names):
            return ""
        apt("update")
        return apt("install", "--no-install-recommends", *names)


def may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def tell_missing(package: SystemPackage, *, programs: Sequence[str], message: str) -> None:
    reason = f" (apt-get said: {message})" if message else ""
    print(
        f"{package.name} is missing: there is no {' and no '.join(programs)}{reason}. Left out without it: "
        f"{package.left_out}. Install it with: sudo apt-get install --no-install-recommends {package.name}"
    )


def known_package(name: str) -> SystemPackage:
    for package in KNOWN:
        if package.name == name:
            return package
    names = ", ".join(package.name for package in KNOWN)
    raise argparse.ArgumentTypeError(f"{name} is not a package known here. Choose from {names}.")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", metavar="NAME", nargs="+", type=known_package)
    packages: list[SystemPackage] = parser.parse_args(arguments).packages
    absent = [package for package in packages if missing_programs(package, path=program_folders())]
    message = install(absent) if absent and may_install() else ""
    for package in absent:
        if programs := missing_programs(package, path=program_folders()):
            tell_missing(package, programs=programs, message=message)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # runs the cleanup of context managers
    sys.exit(main())
