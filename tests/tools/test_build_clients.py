"""Building the clients: the parts that need neither Debian's packages nor a package registry.

The built clients are tested in `tests/release/test_clients.py`.
"""

import gzip
import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import build_clients
import release_signing
from build_clients import build_wheel
from playdock.features.client_downloads.rules import ARCHIVE_END
from playdock_client.updating.offers import ClientOffer, is_signed
from playdock_client.updating.unpacking_update import unpack_update
from release_signing import VARIABLE, sign_updates, signing_key
from reproducible import ROOT, gzipped, source_date_epoch, tar_entries, update_archive, zipped
from system_packages import program_folders
from windows_python import SignatureInvalid, verify

_PACKAGING = ROOT / "client/packaging/linux"
_EPOCH = 1_700_000_000


def _folder(base: Path, *, mtime: int, mode: int) -> Path:
    base.mkdir()
    for name in ("b", "a"):
        (base / name).write_text(name)
        (base / name).chmod(mode)
        os.utime(base / name, (mtime, mtime))
    (base / "link").symlink_to("a")
    return base


def test_an_archive_depends_only_on_names_contents_and_whether_files_can_be_run(tmp_path: Path) -> None:
    first = tar_entries(_folder(tmp_path / "first", mtime=1, mode=0o600), name="app", epoch=_EPOCH)
    second = tar_entries(_folder(tmp_path / "second", mtime=2_000_000_000, mode=0o664), name="app", epoch=_EPOCH)
    assert first == second
    with tarfile.open(fileobj=io.BytesIO(gzipped(first) + ARCHIVE_END)) as archive:
        assert archive.getnames() == ["app", "app/a", "app/b", "app/link"]
        assert {(each.uid, each.uname, each.mtime) for each in archive} == {(0, "", _EPOCH)}


def test_the_end_of_an_archive_is_two_empty_blocks() -> None:
    assert gzip.decompress(ARCHIVE_END) == bytes(1024)


def test_a_zip_archive_depends_only_on_names_and_contents() -> None:
    files = {"b": b"2", "a": b"1"}
    assert zipped(files, epoch=_EPOCH) == zipped(dict(reversed(files.items())), epoch=_EPOCH)


def test_the_time_of_the_sources_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert source_date_epoch() == _EPOCH


def test_the_wheel_is_the_same_each_time(tmp_path: Path) -> None:
    wheels = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        wheels.append(build_wheel(tmp_path / name, epoch=_EPOCH).read_bytes())
    assert wheels[0] == wheels[1]


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build_clients, "program_folders", lambda: str(tmp_path))
    with pytest.raises(SystemExit, match="apt-get install binutils nsis osslsigncode"):
        build_clients.build(tmp_path / "clients")
    assert not (tmp_path / "clients").exists()


def test_a_program_without_a_signature_is_refused(tmp_path: Path) -> None:
    if shutil.which("osslsigncode", path=program_folders()) is None:
        pytest.skip("Signatures are verified by Debian's osslsigncode.")
    (tmp_path / "python.exe").write_bytes(b"MZ")
    with pytest.raises(SignatureInvalid, match=r"python\.exe"):
        verify(tmp_path)


def test_updates_are_signed_with_a_key_that_clients_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    assert signing_key({}) is None
    with pytest.raises(SystemExit, match=r"release_keys\.txt: [A-Za-z0-9+/]{43}="):
        signing_key({VARIABLE: text})
    monkeypatch.setattr(release_signing, "release_keys", lambda: [key.public_key().public_bytes_raw()])
    (tmp_path / "key.pem").write_text(text)
    found = signing_key({VARIABLE: str(tmp_path / "key.pem")})
    assert found is not None
    for wrong in (str(tmp_path), "-----BEGIN NOTHING-----"):
        with pytest.raises(SystemExit, match="PEM"):
            signing_key({VARIABLE: wrong})

    name, sha256 = "playdock-update-1.1.0-linux-x86_64.tar.xz", "0" * 64
    sign_updates(tmp_path, [f"{sha256}  {name}\n", f"{sha256}  other.whl\n"], found)
    assert [path.name for path in tmp_path.glob("*.sig")] == [f"{name}.sig"]
    signature = (tmp_path / f"{name}.sig").read_text().strip()
    offer = ClientOffer(name, "Linux", "1.1.0", 1, sha256, signature)
    assert is_signed(offer, keys=[key.public_key().public_bytes_raw()])


def test_an_update_contains_only_files_and_depends_only_on_their_contents(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "first", mtime=1, mode=0o700)
    (folder / "below").mkdir()
    (folder / "below/file").write_text("content")
    archive = update_archive(folder, epoch=_EPOCH)
    os.utime(folder / "a", (3, 3))
    assert archive == update_archive(folder, epoch=_EPOCH)
    (tmp_path / "archive").write_bytes(archive)
    (tmp_path / "unpacked").mkdir()
    unpack_update(tmp_path / "archive", tmp_path / "unpacked")
    unpacked = {str(path.relative_to(tmp_path / "unpacked")) for path in (tmp_path / "unpacked").rglob("*")}
    assert unpacked == {"a", "b", "link", "below", "below/file"}
    assert not (tmp_path / "unpacked/link").is_symlink()


def _run(script: Path, home: Path) -> str:
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["sh", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_scripts_for_linux_install_and_remove_a_program(tmp_path: Path) -> None:
    home = tmp_path / 'a home with $dollar, `tick`, "quote" and 100%'
    unpacked = home / "Downloads/playdock-client"
    shutil.copytree(_PACKAGING, unpacked)
    (unpacked / "playdock.svg").touch()
    (unpacked / "download-name.txt").write_text("playdock-client_https_games.example.org_.tar.gz\n")
    (unpacked / "program").mkdir()
    (unpacked / "program/playdock-client").write_text("#!/bin/sh\necho started $1\n")
    (unpacked / "program/playdock-client").chmod(0o755)
    _run(unpacked / "install.sh", home)
    (unpacked / "program/added").touch()
    (home / ".local/share/playdock/program/versions/state.json").touch()
    _run(unpacked / "install.sh", home)

    program = home / ".local/share/playdock"
    assert sorted(path.name for path in (program / "program").iterdir()) == ["added", "playdock-client", "versions"]
    assert not list((program / "program/versions").iterdir())
    started = subprocess.run([home / ".local/bin/playdock-client", "app"], capture_output=True, text=True, check=True)
    assert started.stdout == "started app\n"
    name = home / ".config/playdock-client/download-name.txt"
    assert name.read_text() == "playdock-client_https_games.example.org_.tar.gz\n"
    entry = home / ".local/share/applications/playdock.desktop"
    assert "@" not in entry.read_text()
    if validate := shutil.which("desktop-file-validate"):
        subprocess.run([validate, entry, unpacked / "Install Playdock.desktop"], check=True)

    (home / ".config/playdock-client/credentials.json").write_text("[]")
    _run(program / "uninstall.sh", home)
    defaults = home / ".config/mimeapps.list"  # written by xdg-mime, if that is installed
    assert not defaults.exists() or "playdock" not in defaults.read_text()
    defaults.unlink(missing_ok=True)
    left = {path.relative_to(home).as_posix() for path in home.rglob("*") if not path.is_dir()}
    left.discard(".local/share/applications/mimeinfo.cache")  # the desktop's own
    assert {path for path in left if not path.startswith("Downloads/")} == {".config/playdock-client/credentials.json"}
