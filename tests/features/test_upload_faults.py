"""What happens to uploads when something fails: nothing is lost, nothing is done twice, and the reason is told."""

import pytest

from playdock.features.uploads import rules
from uploads import begun, finish, managed_library, send
from world import World

GAME = {"doom.sh": b"run doom", "data/levels.wad": bytes(range(256)) * 300, "data/empty": b""}
CONTENT = b"".join(GAME.values())
HEAD = len(CONTENT) // 3


def test_a_step_that_ends_with_the_last_byte_completes_an_upload_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = world.admin()
    upload = begun(admin, managed_library(admin), GAME)
    monkeypatch.setattr(rules, "BYTES_PER_STEP", len(CONTENT))

    assert send(admin, upload, CONTENT).status_code == 204
    assert finish(world, admin, upload)["state"] == "done"
