"""Adding a game folder, and uploading to one that Playdock manages."""

from playwright.sync_api import expect

from pages.conftest import Visit
from uploads import begun, managed_library
from world import World


def test_the_page_that_fills_a_new_library_follows(world: World, visit: Visit) -> None:
    world.admin()
    page = visit("ada").open("/admin/libraries?add=1")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("Ours")
    dialog.get_by_label("Playdock manages the files").check()
    dialog.get_by_role("button", name="Add a game folder").click()
    expect(page).to_have_url(f"{world.address}/admin/uploads")
    expect(dialog).to_be_hidden()


def test_a_long_name_does_not_widen_the_page_of_uploads(world: World, visit: Visit) -> None:
    admin = world.admin()
    begun(admin, managed_library(admin), {"doom.exe": b"MZ"}, game="x" * 200)
    visitor = visit("ada")
    page = visitor.open("/admin/uploads")
    expect(page.get_by_role("article")).to_be_visible()
    assert visitor.sideways() <= 0
