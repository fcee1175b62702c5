r"""Application bundles of macOS, which are folders with the suffix ``.app``, for shortcuts and for links.

A shortcut's program is a shell script. Links are sent to programs as Apple events, which scripts do not receive, so
the bundle for links is an applet that macOS compiles from AppleScript.
"""

import plistlib
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from playdock_client.wording import plain

_INFO = Path("Contents/Info.plist")
_LAUNCHER = "launch"
_SCRIPT_KEY = "PlaydockScript"
# Without a window of its own, a bundle would be shown as not responding if it were in the Dock. A bundle whose program
# is a script runs as an Intel program, unless it prefers another processor.
_COMMON = {"LSUIElement": True, "LSArchitecturePriority": ["arm64", "x86_64"]}
_DETACHED = " >/dev/null 2>&1 &"


def write_shortcut(bundle: Path, name: str, identifier: str, command: Sequence[str]) -> None:
    """Write a bundle that runs a command, or replace it. Raises OSError."""
    unfinished = _unfinished(bundle)
    program = unfinished / "Contents/MacOS" / _LAUNCHER
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")
    program.chmod(0o755)
    own = {
        "CFBundleInfoDictionaryVersion": "6.0",
        "CFBundlePackageType": "APPL",
        "CFBundleExecutable": _LAUNCHER,
        "CFBundleVersion": "1",
        "CFBundleShortVersionString": "1.0",
    }
    _write_info(unfinished, {**own, **_COMMON, **_names(name, identifier)})
    _replace(bundle, unfinished)


def applet_script(command: Sequence[str]) -> str:
    """Return the AppleScript of an applet that starts the app of a client, and opens links with it."""
    start = shlex.join([*command, "app"]) + _DETACHED
    open_link = f"{_literal(shlex.join([*command, 'open-url']) + ' ')} & quoted form of link & {_literal(_DETACHED)}"
    return (
        f"on run\n\tdo shell script {_literal(start)}\nend run\n\n"
        f"on open location link\n\tdo shell script {open_link}\nend open location\n"
    )


def write_applet(
    bundle: Path, name: str, identifier: str, *, script: str, scheme: str, environment: Mapping[str, str]
) -> bool:
    """Compile an applet that opens links of a scheme, and return whether it has changed.

    The changed Info.plist makes the signature of the compiler invalid, so the applet is signed again, without a name.

    Raises OSError, CalledProcessError.
    """
    if read_info(bundle).get(_SCRIPT_KEY) == script:
        return False
    unfinished = _unfinished(bundle)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "links.applescript"
        source.write_text(script)
        _run(["osacompile", "-o", str(unfinished), str(source)], environment)
    types = [{"CFBundleURLName": identifier, "CFBundleURLSchemes": [scheme]}]
    own = {"CFBundleURLTypes": types, _SCRIPT_KEY: script}
    _write_info(unfinished, {**read_info(unfinished), **own, **_COMMON, **_names(name, identifier)})
    _run(["codesign", "--force", "--sign", "-", str(unfinished)], environment)
    _replace(bundle, unfinished)
    return True


def read_info(bundle: Path) -> Mapping[str, Any]:
    """Return what a bundle says about itself, nothing if it cannot be read."""
    with suppress(OSError, plistlib.InvalidFileException, ExpatError, ValueError):
        found = plistlib.loads((bundle / _INFO).read_bytes())
        return found if isinstance(found, dict) else {}
    return {}


def _names(name: str, identifier: str) -> Mapping[str, str]:
    return {"CFBundleIdentifier": identifier, "CFBundleName": plain(name), "CFBundleDisplayName": plain(name)}


def _write_info(bundle: Path, values: Mapping[str, Any]) -> None:
    (bundle / _INFO).write_bytes(plistlib.dumps(values))


def _unfinished(bundle: Path) -> Path:
    """Return where a bundle is made. The suffix is needed, because the compiler makes an applet only with it."""
    path = bundle.with_name(f".{bundle.stem}.new.app")
    shutil.rmtree(path, ignore_errors=True)
    return path


def _replace(bundle: Path, unfinished: Path) -> None:
    shutil.rmtree(bundle, ignore_errors=True)
    unfinished.rename(bundle)


def _literal(text: str) -> str:
    """Return a text as AppleScript."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    subprocess.run(command, env=environment, capture_output=True, check=True)  # noqa: S603
