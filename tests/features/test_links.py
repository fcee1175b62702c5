"""Signed links: what they open, for how long, and how much may pass."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import text

from devices import clean
from playdock.kit.clock import timestamp
from playdock.kit.identifiers import new_id
from playdock.models import DownloadLink
from world import Caller, World, at_once

LINKS = "/api/v1/user/link"
ODD = "data/a b?ü%41.txt"


@dataclass
class LinkedGame:
    """A version on disk, and who may download it."""

    world: World
    ada: Caller
    version: str

    def link(self, kind: str = "archive", **wanted: Any) -> dict[str, Any]:
        made = self.draft(kind=kind, **wanted)
        assert made.status_code == 201, made.text
        link: dict[str, Any] = made.json()
        return link

    def draft(self, **wanted: Any) -> Any:
        return self.ada.post(f"/api/v1/versions/{self.version}/links", wanted)

    def status(self, url: str) -> int:
        return self.world.any_user().get(url).status_code


@pytest.fixture
def linked(world: World) -> LinkedGame:
    admin = world.admin("keeper")
    world.put("Doom/1.0/doom", b"x" * 1000, mode=0o755)
    world.put(f"Doom/1.0/{ODD}", b"odd")
    game = world.import_game(admin, world.library(admin), "Doom")
    assert world.import_version(admin, game, "1.0", launch="doom")["success"]
    version = admin.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
    return LinkedGame(world, world.person("ada"), version)


@pytest.mark.parametrize(
    ("kind", "end"), [("content", "content"), ("archive", "archive.zip"), ("file", f"files/{quote(ODD)}")]
)
def test_a_link_lets_anyone_download_what_its_creator_could(linked: LinkedGame, kind: str, end: str) -> None:
    path = f"/api/v1/versions/{linked.version}/{end}"

    link = linked.link(kind, **({"path": ODD} if kind == "file" else {}))
    fetched = linked.world.any_user().get(link["url"])

    assert link["url"].startswith(f"{linked.world.address}{path}?link=pdl_")
    assert (fetched.status_code, fetched.content) == (200, linked.ada.get(path).content)
    assert linked.world.any_user().request("HEAD", link["url"]).status_code == 200


def test_a_link_is_valid_for_one_path_only(linked: LinkedGame) -> None:
    secret = linked.link("content")["url"].partition("?")[2]
    version = f"/api/v1/versions/{linked.version}"

    elsewhere = [
        f"{version}/archive.zip",
        f"{version}/manifest",
        f"{version}/files/doom",
        f"{version}/../{linked.version}/archive.zip",
        "/api/v1/versions/another/content",
        "/api/v1/token",
        LINKS,
    ]

    assert {path: linked.status(f"{path}?{secret}") for path in elsewhere} == dict.fromkeys(elsewhere, 401)
    assert linked.world.any_user().get(f"/api/v1/user?{secret}").json() is None


def test_a_link_cannot_create_links(linked: LinkedGame) -> None:
    secret = linked.link("content")["url"].partition("?link=")[2]
    address, draft = f"/api/v1/versions/{linked.version}/links", {"kind": "archive"}

    for caller in (linked.world.any_user(), linked.world.with_token(secret)):
        assert caller.post(f"{address}?link={secret}", draft).status_code == 401


def test_no_other_credential_is_accepted_in_a_url(linked: LinkedGame) -> None:
    assert linked.status(f"/api/v1/versions/{linked.version}/content?link={linked.ada.token}") == 401


def test_a_link_works_in_a_browser_with_an_expired_session(linked: LinkedGame) -> None:
    link = linked.link()

    fetched = linked.world.any_user().get(link["url"], headers={"Cookie": "playdock_session=pds_dead"})

    assert fetched.status_code == 200


def test_a_link_expires_after_a_day_by_default(linked: LinkedGame) -> None:
    short, long = linked.link(), linked.link(expires=timestamp(linked.world.clock() + timedelta(days=29, hours=23)))

    unexpired = []
    for hours in (23, 2, 24 * 28, 24):
        linked.world.clock.advance(hours=hours)
        unexpired.append([linked.status(link["url"]) for link in (short, long)])

    assert unexpired == [[200, 200], [401, 200], [401, 200], [401, 401]]


def test_a_link_does_not_work_while_its_creator_is_disabled(linked: LinkedGame) -> None:
    link, keeper = linked.link(), linked.world.admin("chief")
    account = f"/api/v1/admin/users/{linked.ada.user['id']}"

    seen = [linked.status(link["url"])]
    for enabled in (False, True):
        keeper.patch(account, {"enabled": enabled})
        seen.append(linked.status(link["url"]))
    keeper.delete(account)

    assert [*seen, linked.status(link["url"])] == [200, 401, 200, 401]


def test_a_password_reset_revokes_links(linked: LinkedGame) -> None:
    link = linked.link()
    assert linked.status(link["url"]) == 200

    chief = linked.world.admin("chief")
    reset = chief.post(f"/api/v1/admin/users/{linked.ada.user['id']}/reset").json()["resetUrl"].partition("id=")[2]
    draft = {"id": reset, "password": "another good password"}
    assert chief.post("/api/v1/auth/reset/simple", draft).is_success

    assert linked.status(link["url"]) == 401


def test_a_revoked_link_stops_working_immediately(linked: LinkedGame) -> None:
    link = linked.link()
    assert linked.status(link["url"]) == 200

    assert linked.ada.delete(f"{LINKS}/{link['id']}").status_code == 204

    assert linked.status(link["url"]) == 401
    assert linked.ada.delete(f"{LINKS}/{link['id']}").status_code == 404


def test_users_see_their_own_unexpired_links_without_secrets(linked: LinkedGame) -> None:
    first = linked.link("content", downloads=2)
    linked.link(expires=timestamp(linked.world.clock() + timedelta(hours=1)))
    linked.world.clock.advance(hours=2)

    (listed,) = linked.ada.get(LINKS).json()

    assert (listed["id"], listed["expires"]) == (first["id"], first["expires"])
    assert (listed["versionId"], listed["target"]) == (linked.version, f"/api/v1/versions/{linked.version}/content")
    assert listed["version"] == {"id": linked.version, "name": "1.0"}
    assert listed["game"]["name"] == "Doom"
    assert "pdl_" not in str(listed)
    assert linked.world.person("eve").get(LINKS).json() == []


def test_users_cannot_revoke_links_of_others(linked: LinkedGame) -> None:
    link = linked.link()

    refused = linked.world.person("eve").delete(f"{LINKS}/{link['id']}")

    assert (refused.status_code, refused.json()["type"]) == (404, "link-unknown")
    assert linked.status(link["url"]) == 200


def test_secrets_are_not_stored_in_the_database(linked: LinkedGame) -> None:
    secret = linked.link()["url"].partition("pdl_")[2]

    with linked.world.services.db.read() as session:
        rows = list(session.execute(text("SELECT * FROM download_links")))

    assert len(rows) == 1
    assert secret not in str(rows)


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"kind": "file"}, "path"),
    ({"kind": "file", "path": ""}, "path"),
    ({"kind": "archive", "path": "doom"}, "path"),
    ({"kind": "manifest"}, "kind"),
    ({"expires": "2001-01-01T00:00:00Z"}, "expires"),
    ({"expires": "2999-01-01T00:00:00Z"}, "expires"),
    ({"downloads": 0}, "downloads"),
    ({"downloads": 1001}, "downloads"),
    ({"uses": 1}, "uses"),
)


def test_an_invalid_link_request_is_rejected_with_the_field(linked: LinkedGame) -> None:
    for wrong, field in WRONG:
        refused = linked.draft(**{"kind": "archive", **wrong})
        assert (refused.status_code, [fault["field"] for fault in refused.json()["errors"]]) == (400, [field])
    assert linked.ada.get(LINKS).json() == []


def test_links_cannot_be_created_for_missing_versions_or_files(linked: LinkedGame) -> None:
    nowhere = linked.ada.post("/api/v1/versions/nothing/links", {"kind": "archive"})
    no_file = linked.draft(kind="file", path="quake")

    assert [(answer.status_code, answer.json()["type"]) for answer in (nowhere, no_file)] == [
        (404, "version-unknown"),
        (404, "file-unknown"),
    ]
    assert linked.ada.get(LINKS).json() == []


def bytes_left(linked: LinkedGame) -> Any:
    (listed,) = linked.ada.get(LINKS).json()
    return listed["bytesLeft"]


@pytest.mark.parametrize("kind", ["content", "archive", "file"])
def test_the_quota_of_a_link_is_its_downloads_times_the_size(linked: LinkedGame, kind: str) -> None:
    link = linked.link(kind, downloads=3, **({"path": "doom"} if kind == "file" else {}))

    whole = linked.ada.get(link["url"].partition("?")[0])

    assert link["downloads"] == 3
    assert bytes_left(linked) == 3 * len(whole.content)


def test_bytes_are_spent_while_the_quota_suffices_and_can_be_refunded(linked: LinkedGame) -> None:
    link, links = linked.link("file", path="doom", downloads=1)["id"], linked.world.services.links

    spent = [links.spend(link, length) for length in (600, 500, 400, 1, 0)]
    links.release(link, 250)

    assert spent == [True, False, True, False, True]
    assert bytes_left(linked) == 250


@pytest.mark.both_databases
def test_concurrent_spending_never_exceeds_the_quota(linked: LinkedGame) -> None:
    link, links = linked.link("file", path="doom", downloads=1)["id"], linked.world.services.links

    spent = at_once([partial(links.spend, link, 300)] * 8)

    assert (spent.count(True), bytes_left(linked)) == (3, 100)


def test_a_link_without_a_limit_is_never_used_up(linked: LinkedGame) -> None:
    link = linked.link()
    assert [linked.status(link["url"]) for _ in range(3)] == [200, 200, 200]
    assert (link["downloads"], bytes_left(linked)) == (None, None)


def have(linked: LinkedGame, number: int) -> None:
    """Let Ada have so many links."""
    now = linked.world.clock()
    with linked.world.services.db.write() as session:
        session.add_all(
            DownloadLink(
                id=new_id(),
                user_id=linked.ada.user["id"],
                version_id=linked.version,
                digest=new_id(),
                target="/",
                created=now,
                expires=now + timedelta(hours=1),
            )
            for _ in range(number)
        )


def test_a_user_has_at_most_a_thousand_links(linked: LinkedGame) -> None:
    have(linked, 1000)

    refused = linked.draft(kind="archive")
    linked.world.clock.advance(minutes=61)

    assert (refused.status_code, refused.json()["type"]) == (409, "too-many-links")
    assert linked.draft(kind="archive").status_code == 201


@pytest.mark.both_databases
def test_concurrent_requests_do_not_exceed_the_limit_of_links(linked: LinkedGame) -> None:
    have(linked, 997)
    answers = at_once([partial(linked.draft, kind="archive")] * 8)
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 5


def test_a_revoked_link_cannot_be_spent(linked: LinkedGame) -> None:
    link = linked.link()["id"]
    linked.ada.delete(f"{LINKS}/{link}")

    assert linked.world.services.links.spend(link, 1) is False


def test_expired_links_are_deleted(linked: LinkedGame) -> None:
    linked.link()
    kept = linked.link(expires=timestamp(linked.world.clock() + timedelta(days=3)))
    linked.world.clock.advance(days=2)

    clean(linked.world)

    with linked.world.services.db.read() as session:
        assert session.execute(text("SELECT id FROM download_links")).scalars().all() == [kept["id"]]
