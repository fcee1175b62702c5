"""Updates that are killed, have no room or no permission, or run twice: a version that has worked starts."""

import io
import os
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import msgspec
import pytest

from client.updating import interrupted_update
from client.updating.conftest import FakeServer, program_files
from client.updating.interrupted_update import started, update
from playdock_client.errors import BadResponse
from playdock_client.updating.installing_update import DoesNotStart, install_update, remove_unused, updating
from playdock_client.updating.offers import ClientOffer
from playdock_client.updating.unpacking_update import BadArchive
from playdock_client.updating.version_state import VersionState, confirm, switch
from playdock_client.updating.versions import StateBusy, Versions

_TESTS = Path(__file__).parents[2]


def _run(mode: str, folder: Path, server: FakeServer, offer: ClientOffer, *before: str) -> str:
    words = [mode, str(folder), server.address, msgspec.json.encode(offer).decode()]
    command = [*before, sys.executable, interrupted_update.__file__, *words]
    environment = os.environ | {"PYTHONPATH": str(_TESTS)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_update_that_is_killed_anywhere_leaves_a_version_that_starts(server: FakeServer, tmp_path: Path) -> None:
    folder = tmp_path / "versions"
    said = _run("killed", folder, server, server.offer("1.1.0", program_files("1.1.0")))
    assert int(said.split()[1]) > 10
    left = sorted(path.name.partition("-")[0] for path in folder.iterdir())
    assert left == ["1.1.0", "state.json", "state.lock", "update.lock"]


def test_without_room_nothing_changes(server: FakeServer, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=200k none {disk}"
    try:
        subprocess.run(["unshare", "-rm", "sh", "-c", mount], check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("This system does not let us mount a small disk.")
    offer = server.offer("1.1.0", {**program_files("1.1.0"), "large": bytes(1_000_000)})
    said = _run("full", disk / "versions", server, offer, "unshare", "-rm", "sh", "-c", f'{mount} && exec "$@"', "sh")
    assert said == "No space left on device\nleft [], then 9.0.0, on a full disk base\n"


def test_a_version_that_cannot_be_counted_is_not_tried(versions: Versions, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a folder of an administrator; root may write everywhere, so the system call is replaced."""
    versions.change(lambda state: switch(state, "1.1.0-new"))
    monkeypatch.setattr(os, "open", _refuse)
    assert list(versions.selected(is_app=True)) == [""]


def _refuse(*_: object, **__: object) -> int:
    raise PermissionError(13, "Permission denied")


def test_one_process_updates_an_installation(versions: Versions) -> None:
    with updating(versions), pytest.raises(StateBusy), updating(versions):
        pass
    with updating(versions):
        pass


def test_versions_that_are_used_or_selected_are_kept(versions: Versions, server: FakeServer) -> None:
    for version in ("1.1.0", "1.2.0", "1.3.0", "1.4.0"):
        update(versions, server.address, server.offer(version, program_files(version)))
        if version == "1.2.0":
            # A long-running process of this version, whose files must remain.
            running = subprocess.Popen(
                [sys.executable, "-c", _USE, str(versions.folder), versions.read().current],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            assert running.stdout
            assert running.stdout.readline() == b"using\n"
        versions.change(lambda state, version=version: confirm(state, version))  # type: ignore[misc]
    with updating(versions):
        remove_unused(versions)
    assert _kept(versions) == ["1.2.0", "1.3.0", "1.4.0"]
    running.communicate()
    with updating(versions):
        remove_unused(versions)
    assert _kept(versions) == ["1.3.0", "1.4.0"]
    assert started(versions, is_app=False) == "1.4.0"


# The lock outlives the stub, which is replaced by the program of the version.
_USE = """\
import os, sys
from pathlib import Path
from playdock_client.updating.versions import Versions

Versions(Path(sys.argv[1])).use(sys.argv[2])
os.execv("/bin/sh", ["sh", "-c", "echo using; read -r _"])
"""


def _kept(versions: Versions) -> list[str]:
    return sorted(path.name.partition("-")[0] for path in versions.folder.iterdir() if path.is_dir())


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"playdock-client": b"#!/bin/sh\nexit 1\n"}, DoesNotStart),
        ({"playdock-client": b"#!/bin/sh\necho 1.0.9\n"}, DoesNotStart),
        ({"playdock-client": b"not a program"}, DoesNotStart),
        ({"other": b""}, DoesNotStart),
        ({"../escaped": b""}, BadArchive),
        ({"/tmp/escaped": b""}, BadArchive),
        ({"a\\..\\..\\escaped": b""}, BadArchive),
        ({"nul.txt": b""}, BadArchive),
    ],
)
def test_an_update_that_does_not_start_or_is_unsafe_leaves_nothing(
    versions: Versions, server: FakeServer, files: dict[str, bytes], error: type[Exception]
) -> None:
    with pytest.raises(error):
        update(versions, server.address, server.offer("1.1.0", files))
    assert [path.name for path in versions.folder.iterdir()] == ["update.lock"]
    assert not (versions.folder.parent / "escaped").exists()
    assert versions.read() == VersionState()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_an_archive_with_anything_but_files_is_refused(versions: Versions, server: FakeServer, kind: bytes) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        entry = tarfile.TarInfo("link")
        entry.type, entry.linkname = kind, "/etc"
        archive.addfile(entry)
    with pytest.raises(BadArchive):
        update(versions, server.address, server.offer_bytes("1.1.0", buffer.getvalue()))


def test_damaged_and_endless_downloads_are_refused(versions: Versions, server: FakeServer) -> None:
    offer = server.offer("1.1.0", program_files("1.1.0"))
    wrong = {"sha256": "0" * 64}, {"size": offer.size - 1}, {"size": offer.size + 1}
    for change in wrong:
        with pytest.raises(BadResponse):
            install_update(
                versions, server.address, msgspec.structs.replace(offer, **change), on_received=lambda _: None
            )
    with pytest.raises(BadArchive):
        update(versions, server.address, server.offer_bytes("1.1.0", b"no archive"))
    assert [path.name for path in versions.folder.iterdir()] == ["update.lock"]


def test_programs_can_be_run_and_other_files_belong_to_nobody_else(versions: Versions, server: FakeServer) -> None:
    update(versions, server.address, server.offer("1.1.0", program_files("1.1.0")))
    [program] = versions.folder.glob("1.1.0-*/playdock-client")
    assert stat.S_IMODE(program.stat().st_mode) == 0o755
