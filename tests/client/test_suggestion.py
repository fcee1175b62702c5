"""The address of the server that offered the program: from the server's name for a download to the client's form."""

from pathlib import Path

import pytest

from playdock.features.client_downloads.rules import OfferedFile, System, download_name
from playdock_client.client_folders import ClientFolders
from playdock_client.suggestion import DOWNLOAD_NAME, decode_download_name, suggested_server

_ADDRESSES = [
    "https://games.example.org",
    "http://127.0.0.1:3000",
    "https://example.org/games",
    "https://example.org:8443/a_b/~c-d.e",
    "http://[fd00::5]:3000",
    "http://my_nas:3000",
]


def _offered(system: System) -> OfferedFile:
    return OfferedFile("a-file", system, "0.1.0", size=1, mtime_ns=0, sha256="")


@pytest.mark.parametrize("address", _ADDRESSES)
@pytest.mark.parametrize("system", [System.WINDOWS, System.LINUX])
def test_an_address_survives_the_name_of_a_download(address: str, system: System) -> None:
    name = download_name(_offered(system), address)
    assert decode_download_name(name) == address
    assert not set(name) & set('<>:"/\\|?* ')


@pytest.mark.parametrize("suffix", [" (1).exe", "(2).exe", "-1.exe", " - Copy.exe", ".exe.part", ""])
def test_an_address_survives_what_browsers_add_to_a_name(suffix: str) -> None:
    assert decode_download_name(f"playdock-setup_https_games.example.org_{suffix}") == "https://games.example.org"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "playdock-setup.exe",
        "playdock-setup-0.1.0-windows-x86_64.exe",
        "playdock-setup_https_games.example.org.exe",  # cut: the end mark is missing
        "playdock-setup_https__.exe",
        "playdock-setup_ftp_games.example.org_.exe",
        "playdock-setup_javascript_alert_.exe",
        "playdock-setup_https_user=40evil.example_.exe",
        "playdock-setup_https_games.example.org_a=2Fb_.exe",
        "playdock-setup_https_games.example.org_a=3Fb_.exe",
        "playdock-setup_https_games=0Aexample_.exe",
        "playdock-setup_https_games.example.org=3Anone_.exe",
        "other_https_games.example.org_.exe",
    ],
)
def test_no_other_name_is_an_address(name: str) -> None:
    assert decode_download_name(name) is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_stored_name_is_read(tmp_path: Path, encoding: str) -> None:
    folders = ClientFolders(tmp_path, tmp_path)
    assert suggested_server(folders) is None
    name = "playdock-setup_http_127.0.0.1=3A3000_ (3).exe\n"
    (tmp_path / DOWNLOAD_NAME).write_bytes(name.encode(encoding))
    assert suggested_server(folders) == "http://127.0.0.1:3000"


def test_a_stored_name_that_is_no_text_is_ignored(tmp_path: Path) -> None:
    (tmp_path / DOWNLOAD_NAME).write_bytes(b"\xff\xfe\x00\xd8\x00" * 999)
    assert suggested_server(ClientFolders(tmp_path, tmp_path)) is None
