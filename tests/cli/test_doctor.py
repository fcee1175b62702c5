"""``playdock doctor``: the results of checks, and advice for problems."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from playdock.domain.libraries.schemas import BackendKind
from playdock.features.libraries.schemas import FolderOptions, LibraryCreate
from providers.steam import SteamStandIn

from .conftest import Prompt, is_sentence

pytestmark = pytest.mark.both_databases

_UNREACHABLE = "postgresql://ada:hunter2@127.0.0.1:1/playdock"


def _add_library(prompt: Prompt) -> Path:
    games = prompt.folder / "games"
    games.mkdir()
    services = prompt.services()
    with closing(services.db):
        options = FolderOptions(base_dir=str(games))
        services.libraries.establish(LibraryCreate(name="Attic", backend=BackendKind.FILESYSTEM, options=options))
    return games


def test_a_healthy_installation_passes_all_checks(prompt: Prompt) -> None:
    _add_library(prompt)
    examined = prompt.run_program("doctor")
    assert (examined.status, examined.err) == (0, "")
    assert "failed" not in examined.out
    subjects = ("Data folder", "Database", "Clock", "Attic", "Versions", "Object storage")
    assert all(subject in examined.out for subject in subjects)


def test_an_unreachable_database(bare: Prompt) -> None:
    examined = bare.run("doctor", DATABASE_URL=_UNREACHABLE)
    assert examined.status == 1
    assert "failed Database" in examined.out
    assert "Check DATABASE_URL" in examined.out
    assert "hunter2" not in examined.out


def test_a_database_that_does_not_exist_yet(bare: Prompt) -> None:
    examined = bare.run("doctor")
    assert examined.status == 1
    assert "playdock serve" in examined.out


@pytest.mark.parametrize(
    ("wanted", "hinted"),
    [
        ({}, False),
        ({"EXTERNAL_URL": "https://games.example.org"}, True),
        ({"EXTERNAL_URL": "https://games.example.org", "REFUSE_WEAK_PASSWORDS": "true"}, False),
    ],
)
def test_weak_passwords_on_a_public_server_are_a_hint_and_no_problem(
    settled: Prompt, wanted: dict[str, str], *, hinted: bool
) -> None:
    examined = settled.run("doctor", **wanted)
    assert examined.status == 0
    assert ("REFUSE_WEAK_PASSWORDS" in examined.out) is hinted


def test_an_unavailable_library(settled: Prompt) -> None:
    shutil.rmtree(_add_library(settled))
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Library Attic" in examined.out
    assert "There is no such folder." in examined.out


def test_an_object_storage_that_is_not_writable(settled: Prompt) -> None:
    (settled.folder / "data" / "objects").parent.mkdir(exist_ok=True)
    (settled.folder / "data" / "objects").write_text("no folder")
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Object storage" in examined.out
    assert "Check OBJECTS_URL" in examined.out


def test_a_data_folder_that_cannot_be_created(bare: Prompt) -> None:
    (bare.folder / "data").write_text("no folder")
    examined = bare.run("doctor")
    assert examined.status == 1
    assert "failed Data folder" in examined.out
    assert "Set DATA_DIR" in examined.out


def test_a_data_folder_that_others_can_access(settled: Prompt) -> None:
    (settled.folder / "data").chmod(0o755)
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Data folder" in examined.out
    assert f"chmod o-rwx {settled.folder / 'data'}" in examined.out


@pytest.mark.parametrize("address", ["postgresql://ada:hunter2@127.0.0.1:port/playdock", "sqlite:///"])
def test_an_invalid_url(bare: Prompt, address: str) -> None:
    examined = bare.run("doctor", DATABASE_URL=address)
    assert (examined.status, examined.out) == (1, "")
    assert is_sentence(examined.err)
    assert "DATABASE_URL: " in examined.err


def test_each_finding_is_one_line_however_narrow_the_terminal(bare: Prompt) -> None:
    examined = bare.run("doctor", DATABASE_URL=_UNREACHABLE, COLUMNS="20")
    assert all(line.startswith(("ok", "failed", "       ")) for line in examined.out.splitlines())


def test_reachable_providers_and_an_unreachable_one(settled: Prompt) -> None:
    with SteamStandIn() as steam:
        addresses = {name.upper(): value for name, value in steam.settings.items()}
        addresses["PCGAMINGWIKI_URL"] = "http://127.0.0.1:1"
        examined = settled.run("doctor", **addresses, METADATA_PROVIDERS="Steam, PCGamingWiki")
    assert examined.status == 1
    assert "ok     Metadata provider Steam" in examined.out
    assert "failed Metadata provider PCGamingWiki" in examined.out
    assert "METADATA_PROVIDERS" in examined.out


def test_a_listed_provider_without_a_key(settled: Prompt) -> None:
    examined = settled.run("doctor", METADATA_PROVIDERS="IGDB")
    assert examined.status == 1
    assert "failed Metadata provider igdb" in examined.out
    assert "its keys are not set" in examined.out


def test_an_unknown_provider(settled: Prompt) -> None:
    refused = settled.run("doctor", METADATA_PROVIDERS="Steam, Stream")
    assert (refused.status, is_sentence(refused.err)) == (1, True)
    assert "stream" in refused.err
