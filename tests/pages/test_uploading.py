"""Uploading a game in the browser, importing it, and deleting it with its files: with clicks alone."""

import shutil
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from inno_setup import inno_setup
from pages.conftest import Visit
from plans import PROGRAM
from storage import windows
from unpacking_versions import pack
from uploads import folder_of, managed_library
from waiting import wait_until
from world import World

# As on an address that is not https.
_INSECURE = "Object.defineProperty(window, 'isSecureContext', { value: false })"


@pytest.mark.parametrize("secure", [True, False])
def test_an_archive_is_uploaded_with_its_checksum_and_planned(
    world: World, visit: Visit, tmp_path: Path, *, secure: bool
) -> None:
    library = managed_library(world.admin())
    archive = tmp_path / "OpenTTD-14.1.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("openttd", PROGRAM)
        packed.writestr("large.grf", bytes(3_000_000))
    page = visit("ada").open("/")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.headers.get("upload-checksum", "")))
    if not secure:
        page.add_init_script(_INSECURE)
    page.goto("/admin/uploads")

    page.get_by_label("Choose an archive").set_input_files(archive)
    expect(page.get_by_label("Game", exact=True)).to_have_value("OpenTTD")
    expect(page.get_by_label("Version", exact=True)).to_have_value("14.1")
    page.get_by_role("button", name="Upload", exact=True).click()

    page.get_by_role("link", name="Go to import").click()
    expect(page.get_by_text("OpenTTD").first).to_be_visible()
    assert (folder_of(library) / "OpenTTD/14.1.zip").read_bytes() == archive.read_bytes()
    assert [each[:7] for each in sent if each] == ["sha256 "]


def test_an_uploaded_game_is_imported_deleted_with_its_files_and_restored(
    world: World, visit: Visit, tmp_path: Path
) -> None:
    library = managed_library(world.admin())
    bob = world.person("bob")
    archive = tmp_path / "OpenTTD-14.1.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("openttd", PROGRAM)
    page = visit("ada").open("/admin/uploads")
    page.get_by_label("Choose an archive").set_input_files(archive)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.get_by_role("link", name="Go to import").click()

    row = page.get_by_role("row").filter(has_text="OpenTTD")
    row.get_by_role("button", name="Import").click()
    wait_until(lambda: [each["name"] for each in bob.get("/api/v1/store").json()["games"]] == ["OpenTTD"])

    game = bob.get("/api/v1/store").json()["games"][0]["id"]
    page.goto(f"/admin/games/{game}/versions")
    page.get_by_role("button", name="Actions for").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_label("Delete the files too.").check()
    page.get_by_label("to confirm").fill("14.1.zip")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    wait_until(lambda: not (folder_of(library) / "OpenTTD/14.1.zip").exists())

    page.goto("/admin/trash")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("The trash is empty")).to_be_visible()
    assert (folder_of(library) / "OpenTTD/14.1.zip").read_bytes() == archive.read_bytes()
    assert [each["name"] for each in bob.get("/api/v1/store").json()["games"]] == ["OpenTTD"]


@pytest.mark.parametrize("backend", ["Filesystem", "FlatFilesystem"])
def test_an_installer_is_uploaded_together_with_its_parts(
    world: World, visit: Visit, tmp_path: Path, backend: str
) -> None:
    library = managed_library(world.admin(), backend=backend)
    files = {"setup_doom_1.9.exe": windows.program({}), "setup_doom_1.9-1.bin": bytes(1000)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    page = visit("ada").open("/admin/uploads")
    page.get_by_label("Choose an archive").set_input_files([tmp_path / name for name in files])
    expect(page.get_by_label("Version", exact=True)).to_have_count(0)
    if backend == "Filesystem":
        expect(page.get_by_label("Game", exact=True)).to_have_value("doom")
    page.get_by_role("button", name="Upload", exact=True).click()

    page.get_by_role("link", name="Go to import").click()
    expect(page.get_by_text("doom", exact=False).first).to_be_visible()
    folder = folder_of(library) / ("doom" if backend == "Filesystem" else "")
    assert {name: (folder / name).read_bytes() for name in files} == files


@pytest.mark.skipif(shutil.which("innoextract") is None, reason="innoextract is not installed")
def test_an_installer_is_unpacked_and_imported_as_a_portable_game(world: World, visit: Visit) -> None:
    library = managed_library(world.admin())
    bob = world.person("bob")
    installer = folder_of(library) / "Doom/setup_doom_1.9.exe"
    installer.parent.mkdir()
    installer.write_bytes(inno_setup({r"{app}\doom.exe": windows.program({})}, name="setup_doom_1.9")[installer.name])
    page = visit("ada").open("/admin/import")
    details = page.get_by_role("row").filter(has_text="Doom").get_by_role("button", name="No metadata")
    details.click()
    page.get_by_role("button", name="Unpack … setup_doom_1.9.exe").click()
    dialog = page.get_by_role("dialog", name="Unpack Doom?")
    expect(dialog.get_by_text("doom_1.9", exact=True)).to_be_visible()
    expect(dialog.get_by_text("1 file, unpacked")).to_be_visible()
    dialog.get_by_role("button", name="Unpack").click()

    # The row is a new one.
    expect(details).to_have_attribute("aria-expanded", "false")
    details.click()
    expect(page.get_by_role("checkbox", name="1.9 · doom_1.9")).to_be_checked()
    page.get_by_role("button", name="Import as “Doom”").last.click()
    wait_until(lambda: [each["name"] for each in bob.get("/api/v1/store").json()["games"]] == ["Doom"])
    assert (folder_of(library) / "Doom/doom_1.9/doom.exe").exists()
    assert not installer.exists()


def test_an_archive_that_is_only_read_is_unpacked_into_another_game_folder(
    world: World, visit: Visit, tmp_path: Path
) -> None:
    admin = world.admin()
    library, managed = world.library(admin), managed_library(admin)
    archive = pack(tmp_path / "game", world.games / "Doom/1.9.zip")
    page = visit("ada").open("/admin/import")
    page.get_by_role("row").filter(has_text="Doom").get_by_role("button", name="No metadata").click()
    page.get_by_role("button", name="Unpack … 1.9.zip").click()
    dialog = page.get_by_role("dialog", name="Unpack Doom?")
    expect(dialog.get_by_label("Into the game folder")).to_have_value(managed["id"])
    expect(dialog.get_by_text("3 files, unpacked")).to_be_visible()
    dialog.get_by_role("button", name="Unpack").click()

    told = "“1.9” is in the game folder “Uploads” now, and can be imported in a few seconds."
    expect(page.get_by_text(told, exact=True)).to_be_visible()
    assert (folder_of(managed) / "Doom/1.9/doom").exists()
    assert archive.exists()
    page.goto("/admin/libraries")
    page.get_by_role("button", name=f"Edit {library['name']}").click()
    expect(page.get_by_label("Ignore")).to_have_value("Doom/1.9.zip")
