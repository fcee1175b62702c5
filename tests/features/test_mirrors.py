"""Mirrors: who is offered them, immutable URLs, and what a ticket opens and for how long."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from devices import device
from spoiling import reimport
from world import Caller, World, running_world

DOOM = Random(70).randbytes(500_000)
MIRRORS = ["https://one.example.org", "https://two.example.org/games"]


@dataclass
class Mirrored:
    """A service with mirrors and a version, and a player with a device."""

    world: World
    admin: Caller
    ada: Caller
    device: Caller
    version: str

    def listed(self, caller: Caller) -> dict[str, object]:
        answer = caller.get(f"/api/v1/versions/{self.version}/mirrors")
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
        found: dict[str, object] = answer.json()
        return found

    def ticket(self, caller: Caller) -> Caller:
        return self.world.with_token(str(self.listed(caller)["ticket"]))

    @property
    def path(self) -> str:
        return f"/api/v1/versions/{self.version}/content/{self.listed(self.admin)['etag']}"


@pytest.fixture
def mirrored(tmp_path: Path, database_url: str) -> Iterator[Mirrored]:
    with running_world(tmp_path, database_url=database_url, mirrors=", ".join(MIRRORS)) as world:
        admin, ada = world.admin("keeper"), world.person("ada")
        world.put("Doom/1.0/doom", DOOM)
        game = world.import_game(admin, world.library(admin), "Doom")
        assert world.import_version(admin, game, "1.0", launch="doom")["success"]
        version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
        yield Mirrored(world, admin, ada, device(world, ada), version)


def test_a_ticket_opens_the_content_of_one_version(mirrored: Mirrored) -> None:
    listed, ticket, path = mirrored.listed(mirrored.device), mirrored.ticket(mirrored.device), mirrored.path
    assert (listed["mirrors"], listed["expiresIn"]) == (MIRRORS, 600)

    whole, head = ticket.get(path), ticket.request("HEAD", path)
    part = ticket.get(path, headers={"Range": "bytes=10-19"})
    assert (whole.status_code, whole.content, head.status_code) == (200, DOOM, 200)
    assert (part.status_code, part.content) == (206, DOOM[10:20])
    # A cache that checks no tickets must store nothing.
    assert whole.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert {each.headers["etag"] for each in (whole, head, part)} == {f'"{listed["etag"]}"'}

    version = f"/api/v1/versions/{mirrored.version}"
    for elsewhere in (f"{path}x", f"{version}/content", f"{version}/manifest", f"{version}/mirrors", "/api/v1/store"):
        assert ticket.get(elsewhere).status_code == 401, elsewhere
    assert ticket.get("/api/v1/user").json() is None
    assert mirrored.world.any_user().get(f"{path}?link={ticket.token}").status_code == 401
    for forged in (ticket.token[:-2], f"{ticket.token}AAAA", "pdd_", "pdd_%C3%A4", f"pdd_{mirrored.device.token}"):
        assert mirrored.world.with_token(forged).get(path).status_code == 401, forged


def _expire(mirrored: Mirrored) -> None:
    mirrored.world.clock.advance(minutes=10)


def _sign_out(mirrored: Mirrored) -> None:
    (signed_in,) = mirrored.device.get("/api/v1/user/client").json()
    assert mirrored.device.delete(f"/api/v1/user/client/{signed_in['id']}").status_code == 204


def _disable(mirrored: Mirrored) -> None:
    changed = mirrored.admin.patch(f"/api/v1/admin/users/{mirrored.ada.user['id']}", {"enabled": False})
    assert changed.status_code == 200, changed.text


@pytest.mark.parametrize("end", [_expire, _sign_out, _disable], ids=lambda end: end.__name__)
def test_a_ticket_ends_with_its_credential(mirrored: Mirrored, end: Callable[[Mirrored], None]) -> None:
    ticket, path = mirrored.ticket(mirrored.device), mirrored.path
    assert ticket.request("HEAD", path).status_code == 200
    end(mirrored)
    assert ticket.request("HEAD", path).status_code == 401


def test_a_reimport_changes_the_url(mirrored: Mirrored) -> None:
    ticket, path = mirrored.ticket(mirrored.device), mirrored.path
    mirrored.world.put("Doom/1.0/doom", DOOM[1:])
    assert reimport(mirrored.world, mirrored.admin, mirrored.version)["success"]
    gone = ticket.get(path)
    assert (gone.status_code, gone.json()["type"]) == (404, "content-replaced")
    assert mirrored.ticket(mirrored.device).get(mirrored.path).content == DOOM[1:]


def test_only_players_without_limits_of_their_own_are_offered_mirrors(mirrored: Mirrored) -> None:
    other = mirrored.world.token_of(mirrored.ada, "user:read")
    assert other.get(f"/api/v1/versions/{mirrored.version}/mirrors").status_code == 403
    assert mirrored.device.get("/api/v1/versions/none/mirrors").status_code == 404
    user = f"/api/v1/admin/users/{mirrored.ada.user['id']}"
    for limit in ({"downloadRate": 10**9}, {"downloadsAtOnce": 5}):
        assert mirrored.admin.patch(user, {"downloadRate": None, "downloadsAtOnce": None, **limit}).status_code == 200
        listed = mirrored.listed(mirrored.device)
        assert (listed["mirrors"], listed["ticket"], listed["expiresIn"]) == ([], None, None)
