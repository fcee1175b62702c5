"""``playdock doctor``: well where all is well, and a way to mend what is not."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from playdock.features.libraries.schemas import BackendKind, FolderOptions, LibraryDraft
from providers.steam import SteamStandIn

from .conftest import Prompt, is_sentence

_UNREACHABLE = "postgresql://ada:hunter2@127.0.0.1:1/playdock"


def _add_library(prompt: Prompt) -> Path:
    games = prompt.folder / "games"
    games.mkdir()
    services = prompt.services()
    with closing(services.db):
        options = FolderOptions(base_dir=str(games))
        services.libraries.establish(LibraryDraft(name="Attic", backend=BackendKind.FILESYSTEM, options=options))
    return games


def test_all_is_well(prompt: Prompt) -> None:
    _add_library(prompt)
    examined = prompt.run("doctor")
    assert (examined.status, examined.err) == (0, "")
    assert "broken" not in examined.out
    subjects = ("Data folder", "Database", "Clock", "Attic", "Versions", "Object storage")
    assert all(subject in examined.out for subject in subjects)


def test_a_database_that_does_not_answer(bare: Prompt) -> None:
    examined = bare.run("doctor", DATABASE_URL=_UNREACHABLE)
    assert examined.status == 1
    assert "broken Database" in examined.out
    assert "Check DATABASE_URL" in examined.out
    assert "hunter2" not in examined.out


def test_a_database_that_was_not_made_yet(bare: Prompt) -> None:
    examined = bare.run("doctor")
    assert examined.status == 1
    assert "playdock serve" in examined.out


def test_a_library_that_went_away(settled: Prompt) -> None:
    shutil.rmtree(_add_library(settled))
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "broken Library Attic" in examined.out
    assert "There is no such folder." in examined.out


def test_objects_that_cannot_be_written(settled: Prompt) -> None:
    (settled.folder / "data" / "objects").parent.mkdir(exist_ok=True)
    (settled.folder / "data" / "objects").write_text("no folder")
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "broken Object storage" in examined.out
    assert "Check OBJECTS_URL" in examined.out


def test_a_data_folder_that_cannot_be_made(bare: Prompt) -> None:
    (bare.folder / "data").write_text("no folder")
    examined = bare.run("doctor")
    assert examined.status == 1
    assert "broken Data folder" in examined.out
    assert "Set DATA_DIR" in examined.out


def test_a_data_folder_that_others_may_look_into(settled: Prompt) -> None:
    (settled.folder / "data").chmod(0o755)
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "broken Data folder" in examined.out
    assert f"chmod o-rwx {settled.folder / 'data'}" in examined.out


@pytest.mark.parametrize("address", ["postgresql://ada:hunter2@127.0.0.1:port/playdock", "sqlite:///"])
def test_an_address_that_is_none(bare: Prompt, address: str) -> None:
    examined = bare.run("doctor", DATABASE_URL=address)
    assert (examined.status, examined.out) == (1, "")
    assert is_sentence(examined.err)
    assert "DATABASE_URL: " in examined.err


def test_each_finding_is_one_line_however_narrow_the_terminal(bare: Prompt) -> None:
    examined = bare.run("doctor", DATABASE_URL=_UNREACHABLE, COLUMNS="20")
    assert all(line.startswith(("well", "broken", "       ")) for line in examined.out.splitlines())


def test_providers_that_answer_and_one_that_does_not(settled: Prompt) -> None:
    with SteamStandIn() as steam:
        addresses = {name.upper(): value for name, value in steam.settings.items()}
        addresses["PCGAMINGWIKI_URL"] = "http://127.0.0.1:1"
        examined = settled.run("doctor", **addresses, METADATA_PROVIDERS="Steam, PCGamingWiki")
    assert examined.status == 1
    assert "well   Metadata provider Steam" in examined.out
    assert "broken Metadata provider PCGamingWiki" in examined.out
    assert "METADATA_PROVIDERS" in examined.out


def test_a_provider_that_is_named_but_has_no_key(settled: Prompt) -> None:
    examined = settled.run("doctor", METADATA_PROVIDERS="IGDB")
    assert examined.status == 1
    assert "broken Metadata provider igdb" in examined.out
    assert "its keys are not set" in examined.out


def test_a_provider_that_there_is_not(settled: Prompt) -> None:
    refused = settled.run("doctor", METADATA_PROVIDERS="Steam, Stream")
    assert (refused.status, is_sentence(refused.err)) == (1, True)
    assert "stream" in refused.err
