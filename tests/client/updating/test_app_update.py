"""The app replaces itself: from a first installation to a release that works, and back from one that does not."""

from pathlib import Path

import pytest

from client.app.conftest import member, player, shop
from client.app.window import PATIENCE
from client.commands.conftest import Player
from client.updating.builds import (
    BROKEN,
    InstalledClient,
    archive_of,
    offer_update,
    phase_is,
    window_of,
    write_base,
)
from playdock.settings import Settings
from playdock_client.updating.version_state import MAX_STARTS
from waiting import wait_until

__all__ = ["member", "player", "shop"]


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the clients that the server offers."""
    folder = tmp_path / "offered"
    monkeypatch.setattr(Settings, "clients_dir", property(lambda _: folder))
    return folder


def test_the_app_updates_itself_and_returns_from_a_release_that_does_not_work(
    member: Player, offered: Path, tmp_path: Path
) -> None:
    client = InstalledClient(write_base(tmp_path / "program", "1.0.0"), member)
    offer_update(offered, "1.1.0", archive_of(tmp_path / "builds", "1.1.0"))
    with client.app() as process:
        with window_of(process) as window:
            state = window.wait(phase_is("ready"))
            assert (state["version"], state["clientUpdate"]["version"]) == ("1.0.0", "1.1.0")
            # It is on trial: only the app uses it.
            assert client.version() == "1.0.0"
            window.do("POST", "client-update/restart")
        with window_of(process) as window:
            assert window.state()["version"] == "1.1.0"
            wait_until(lambda: client.version() == "1.1.0")

            offer_update(offered, "1.2.0", archive_of(tmp_path / "builds", "1.2.0", defect=BROKEN))
            window.do("POST", "updates")
            window.wait(phase_is("ready"))
            window.do("POST", "client-update/restart")
    for _ in range(MAX_STARTS - 1):
        with client.app() as process:
            assert process.wait(PATIENCE) == 1
    with client.app() as process, window_of(process) as window:
        state = window.state()
        assert (state["version"], state["clientUpdate"]["failed"]) == ("1.1.0", "1.2.0")
