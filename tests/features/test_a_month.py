"""A month of changes in a library with rules: nobody has to look for anything, and each notification arrives once."""

import shutil
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest

from features.test_notifications import announce, titles
from plans import PROGRAM, imported
from scanning import look, planned, set_rules, versions
from spoiling import verify_all, version_of
from world import Caller, World

_DOOM = "DOOM (steam-379720)"
_MOVED = "Doom, the new one"


def _remembered(world: World, username: str) -> Caller:
    return world.with_token(world.sign_in(username, rememberMe=True).json()["accessToken"])


@pytest.mark.heavy
def test_a_month_of_changes(planning: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world = planning
    world.admin("ada")
    world.person("bob")
    ada, bob = _remembered(world, "ada"), _remembered(world, "bob")
    library = world.library(ada)
    set_rules(ada, library, importGames=True, importVersions=True)
    expected: dict[str, list[str]] = {"ada": [], "bob": []}

    def days(change: Callable[[], object], *, ada_reads: Sequence[str] = (), bob_reads: Sequence[str] = ()) -> None:
        """Change something, and let two days pass, of which each has its scans, verification and announcement."""
        change()
        for _ in range(2):
            look(world, ada, later=24 * 3600)
            look(world, ada, later=31)
            look(world, ada, later=11)
            verify_all(world, ada)
            announce(world, ada)
        expected["ada"] += ada_reads
        expected["bob"] += bob_reads
        assert sorted(titles(ada)) == sorted(expected["ada"])
        assert sorted(titles(bob)) == sorted(expected["bob"])

    new = ["DOOM is available"]
    days(lambda: world.put(f"{_DOOM}/1.0/DOOM.x86_64", PROGRAM, mode=0o755), ada_reads=new, bob_reads=new)
    doom = imported(ada)[_DOOM]["id"]
    assert bob.post("/api/v1/collection/default/entry", {"id": doom}).is_success
    newer = PROGRAM + b"1"
    days(
        lambda: world.put(f"{_DOOM}/1.1/DOOM.x86_64", newer, mode=0o755),
        ada_reads=["1 new version imported by a rule"],
        bob_reads=["DOOM 1.1 is available"],
    )
    assert versions(ada, doom) == ["1.1", "1.0"]
    days(lambda: world.put("Unheard Of/1.0/game", PROGRAM, mode=0o755), ada_reads=["1 new folder to import"])
    assert planned(ada) == ["Unheard Of"]

    content, away = f"/api/v1/versions/{version_of(bob, doom, '1.1')['id']}/content", world.games.with_name("away")
    days(lambda: world.games.rename(away), ada_reads=[f"The game folder {library['name']} cannot be read"])
    assert bob.get(content).status_code == 503
    days(lambda: away.rename(world.games))
    assert bob.get(content).content == newer
    assert (planned(ada), versions(ada, doom)) == (["Unheard Of"], ["1.1", "1.0"])

    days(lambda: shutil.rmtree(world.games / _DOOM / "1.0"), ada_reads=["The files of 1 version are gone"])
    assert ada.delete(f"/api/v1/admin/version/{version_of(bob, doom)['id']}").is_success
    # It is not imported as another game: an administrator says that it is the same one.
    lost_and_found = ["The files of 1 version are gone", "1 new folder to import"]
    days(lambda: (world.games / _DOOM).rename(world.games / _MOVED), ada_reads=lost_and_found)
    [lost] = ada.get("/api/v1/admin/import/moved").json()
    assert lost["candidates"][0]["path"] == _MOVED
    place = {"library": library["id"], "path": _MOVED}
    assert ada.post(f"/api/v1/admin/game/{doom}/move", place).is_success
    days(lambda: None)
    assert ada.get("/api/v1/admin/damage").json() == []

    with monkeypatch.context() as patched:
        patched.setattr("shutil.disk_usage", lambda _path: _Disk(10**12, 10**12 - 1, 1))
        announce(world, ada)
    announce(world, ada)
    assert titles(ada)[0] == "The server is running out of disk space"
    assert sorted(titles(ada)[1:]) == sorted(expected["ada"])


class _Disk(NamedTuple):
    total: int
    used: int
    free: int
