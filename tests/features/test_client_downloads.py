"""Downloads of the player's client, by anybody."""

import base64
import hashlib
import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from offered_clients import LINUX, SETUP, WHEEL, WINDOWS, write_clients
from playdock.features.client_downloads.rules import ADDED_FILE, address_for
from playdock.settings import Settings
from playdock_client.suggestion import decode_download_name
from world import Caller, World

_LIST = "/api/v1/client-downloads"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_clients(tmp_path / "clients")
    return tmp_path / "clients"


@pytest.fixture
def caller(world: World, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Somebody without an account, at a server with clients."""
    monkeypatch.setattr(Settings, "clients_dir", property(lambda _: folder))
    return world.any_user()


def test_anybody_sees_the_newest_client_for_each_system(caller: Caller) -> None:
    listed = caller.get(_LIST).json()
    assert [(each["system"], each["name"], each["version"]) for each in listed] == [
        ("Windows", WINDOWS, "0.2.0"),
        ("Linux", LINUX, "0.2.0"),
        ("Any", WHEEL, "0.2.0"),
    ]


def test_a_download_has_the_listed_size_and_checksum_and_carries_the_address(caller: Caller, world: World) -> None:
    for each in caller.get(_LIST).json():
        fetched = caller.get(f"{_LIST}/{each['name']}")
        assert (len(fetched.content), fetched.headers["etag"]) == (each["size"], f'"{each["sha256"]}"')
        assert hashlib.sha256(fetched.content).hexdigest() == each["sha256"]
        assert f'filename="{each["downloadName"]}"' in fetched.headers["content-disposition"]
        expected = None if each["system"] == "Any" else world.address
        assert decode_download_name(each["downloadName"]) == expected


def test_the_archive_for_linux_contains_the_address(caller: Caller, world: World, tmp_path: Path) -> None:
    fetched = caller.get(f"{_LIST}/{LINUX}").content
    with tarfile.open(fileobj=io.BytesIO(fetched)) as archive:
        assert archive.getnames() == ["playdock-client", "playdock-client/install.sh", ADDED_FILE]
    (tmp_path / "fetched.tar.gz").write_bytes(fetched)
    subprocess.run(["tar", "-xzf", "fetched.tar.gz"], cwd=tmp_path, check=True)
    assert decode_download_name((tmp_path / ADDED_FILE).read_text()) == world.address


def test_any_range_of_a_download_is_that_of_the_whole(caller: Caller) -> None:
    for name in (WINDOWS, LINUX):
        whole = caller.get(f"{_LIST}/{name}").content
        size = len(whole)
        for start, end in ((0, 9), (size - 300, size - 1), (size - 1, size - 1), (1, size - 2)):
            part = caller.get(f"{_LIST}/{name}", headers={"Range": f"bytes={start}-{end}"})
            assert (part.status_code, part.content) == (206, whole[start : end + 1])
    assert caller.request("HEAD", f"{_LIST}/{WINDOWS}").headers["content-length"] == str(len(SETUP))


@pytest.mark.parametrize(
    "name", ["secret.txt", "SHA256SUMS", "playdock-setup-0.10.0-windows-x86_64.exe", "..%2Fclients", "%2e%2e", WHEEL]
)
def test_only_files_with_their_checksum_are_offered(caller: Caller, folder: Path, name: str) -> None:
    (folder / WHEEL).write_bytes(b"changed")
    assert caller.get(f"{_LIST}/{name}").status_code == 404


def test_a_link_is_no_client(caller: Caller, folder: Path) -> None:
    target = folder.parent / "elsewhere"
    (folder / WHEEL).rename(target)
    (folder / WHEEL).symlink_to(target)
    assert caller.get(f"{_LIST}/{WHEEL}").status_code == 404


def test_a_new_file_is_offered_without_a_restart(caller: Caller, folder: Path) -> None:
    assert caller.get(f"{_LIST}/{WHEEL}").content == b"PK"
    (folder / WHEEL).write_bytes(b"newer")
    sums = (
        (folder / "SHA256SUMS")
        .read_text()
        .replace(hashlib.sha256(b"PK").hexdigest(), hashlib.sha256(b"newer").hexdigest())
    )
    (folder / "SHA256SUMS").write_text(sums)
    assert caller.get(f"{_LIST}/{WHEEL}").content == b"newer"


def test_a_server_without_clients_says_so(caller: Caller, folder: Path) -> None:
    (folder / "SHA256SUMS").unlink()
    assert caller.get(_LIST).json() == []
    assert caller.get(f"{_LIST}/{WINDOWS}").json()["type"] == "client-download-unknown"


def test_installed_clients_get_the_newest_update_as_it_was_built(caller: Caller, folder: Path) -> None:
    """Old updates, damaged ones and those without a checksum are not offered; a signature is passed on."""
    signature = base64.b64encode(bytes(64)).decode()
    updates = {
        "playdock-update-0.2.0-linux-x86_64.tar.xz": b"update",
        "playdock-update-0.1.0-linux-x86_64.tar.xz": b"old update",
        "playdock-update-0.2.0-windows-x86_64.tar.xz": b"update for Windows",
    }
    sums = folder / "SHA256SUMS"
    for name, content in updates.items():
        (folder / name).write_bytes(content)
        sums.write_text(f"{sums.read_text()}{hashlib.sha256(content).hexdigest()}  {name}\n")
    (folder / "playdock-update-0.2.0-linux-x86_64.tar.xz.sig").write_text(f"{signature}\n")
    (folder / "playdock-update-0.2.0-windows-x86_64.tar.xz.sig").write_text("not a signature")
    (folder / "playdock-update-0.3.0-linux-x86_64.tar.xz").write_bytes(b"not in the list of checksums")

    listed = caller.get("/api/v1/client-updates").json()
    assert [(each["system"], each["version"], each["signature"]) for each in listed] == [
        ("Windows", "0.2.0", None),
        ("Linux", "0.2.0", signature),
    ]
    for each in listed:
        content = caller.get(f"{_LIST}/{each['name']}").content
        assert (content, hashlib.sha256(content).hexdigest()) == (updates[each["name"]], each["sha256"])
    assert [each["name"] for each in caller.get(_LIST).json()] == [WINDOWS, LINUX, WHEEL]


@pytest.mark.parametrize(
    ("external", "scheme", "host", "address"),
    [
        ("https://games.example.org", "http", "games.example.org:3000", "https://games.example.org"),
        ("http://localhost:3000", "http", "games.example.org:3000", "http://games.example.org:3000/games"),
        ("http://127.0.0.1:3000", "https", "nas.example.org", "https://nas.example.org/games"),
        ("http://localhost:3000", "http", "", "http://localhost:3000"),
        ("http://localhost:3000", "http", "evil.example/x?y", "http://localhost:3000"),
        ("http://localhost:3000", "http", "user@evil.example", "http://localhost:3000"),
    ],
)
def test_the_address_is_the_external_url_or_the_one_that_is_visited(
    external: str, scheme: str, host: str, address: str
) -> None:
    assert address_for(external, scheme=scheme, host=host, path="/games") == address
