"""Uploads: how they are received, continued, checked and moved to their places, and what goes wrong."""

import errno
import os
import shutil
from hashlib import sha256
from typing import Any

import pytest

from playdock.content.uploaded_files import UploadedFile
from playdock.domain.found_versions import queries as found_queries
from playdock.domain.found_versions.queries import Place
from playdock.storage.folder_operations import PlaceTaken
from playdock.storage.staged_upload import StagingGone
from uploads import PIECE, SOURCES, UPLOADS, begun, clean, declared, finish, folder_of, managed_library, send, show
from world import World, at_once

GAME = {"doom.sh": b"run doom", "data/levels.wad": bytes(range(256)) * 300, "data/empty": b""}
CONTENT = b"".join(GAME.values())
HEAD = len(CONTENT) // 3


def listed(library: dict[str, Any]) -> dict[str, bytes]:
    """The files that everybody sees in the folder of a library."""
    base = folder_of(library)
    paths = (path for path in base.rglob("*") if path.is_file() and ".playdock" not in path.parts)
    return {str(path.relative_to(base)): path.read_bytes() for path in paths}


def test_a_folder_is_uploaded_in_pieces_and_offered_for_import(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    upload = begun(admin, library, GAME, hashed=True)

    first = send(admin, upload, CONTENT[:HEAD])
    asked = admin.request("HEAD", f"{UPLOADS}/{upload}")
    before = listed(library)
    rest = CONTENT[HEAD:]
    last = send(admin, upload, rest, at=HEAD, checksum=sha256(rest).digest())
    placed = finish(world, admin, upload)

    assert (first.status_code, first.headers["upload-offset"]) == (204, str(HEAD))
    assert (asked.headers["upload-offset"], asked.headers["upload-length"]) == (str(HEAD), str(len(CONTENT)))
    assert asked.headers["tus-resumable"] == "1.0.0"
    assert before == {}
    assert (last.status_code, placed["state"], placed["problem"]) == (204, "done", "")
    assert listed(library) == {f"Doom/1.0/{path}": data for path, data in GAME.items()}
    assert world.unimported(admin) == ["Doom"]
    with world.services.db.read() as session:
        # It need not be unchanged for a while.
        found = found_queries.placed(session, library["id"])
    assert list(found) == [Place("Doom", "1.0")]
    assert list((folder_of(library) / ".playdock" / "uploads").iterdir()) == []


def test_a_version_is_added_to_the_folder_of_its_game_and_an_archive_is_one_file(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    files = {"1.0": GAME, "1.1.zip": {"1.1.zip": b"PK of some kind"}}
    for version, content in files.items():
        upload = begun(admin, library, content, version=version)
        assert send(admin, upload, b"".join(content.values())).status_code == 204
        assert finish(world, admin, upload)["state"] == "done"

    assert sorted(path.name for path in (folder_of(library) / "Doom").iterdir()) == ["1.0", "1.1.zip"]
    assert listed(library)["Doom/1.1.zip"] == b"PK of some kind"


def test_a_game_without_versions_is_uploaded_to_a_flat_library(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin, backend="FlatFilesystem")
    upload = begun(admin, library, GAME, version="")

    send(admin, upload, CONTENT)

    assert finish(world, admin, upload)["state"] == "done"
    assert sorted(listed(library)) == sorted(f"Doom/{path}" for path in GAME)


def test_the_same_files_again_continue_an_upload_and_others_are_rejected(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    upload = begun(admin, library, GAME)
    send(admin, upload, CONTENT[:HEAD])

    same = admin.post(UPLOADS, declared(library, GAME)).json()
    other = admin.post(UPLOADS, declared(library, {"other": b"file"}))

    assert (same["id"], same["received"]) == (upload, HEAD)
    assert (other.status_code, other.json()["type"]) == (409, "upload-in-progress")


def test_two_callers_that_start_the_same_upload_get_the_same_one(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)

    answers = at_once([lambda: admin.post(UPLOADS, declared(library, GAME)) for _ in range(4)])

    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len(admin.get(UPLOADS).json()) == 1
    assert len(list((folder_of(library) / ".playdock" / "uploads").iterdir())) == 1


def test_of_two_callers_that_send_the_same_piece_one_succeeds(world: World) -> None:
    admin = world.admin()
    upload = begun(admin, managed_library(admin), GAME)

    answers = at_once([lambda: send(admin, upload, CONTENT[:HEAD]) for _ in range(4)])

    types = {answer.json()["type"] for answer in answers if answer.status_code != 204}
    assert [answer.status_code for answer in answers].count(204) == 1
    assert types <= {"upload-busy", "upload-offset-wrong"}
    assert show(admin, upload)["received"] == HEAD


INVALID_HEADERS = [
    ({"Content-Type": "text/plain"}, "Content-Type"),
    ({"Upload-Offset": "-1"}, "Upload-Offset"),
    ({"Upload-Offset": "²"}, "Upload-Offset"),
    ({"Upload-Offset": "9" * 5000}, "Upload-Offset"),
    ({"Upload-Checksum": "md5 AAAA"}, "Upload-Checksum"),
    ({"Upload-Checksum": "sha256 AAAA"}, "Upload-Checksum"),
    ({"Upload-Checksum": "sha256 ä"}, "Upload-Checksum"),
]


def test_a_piece_with_an_invalid_header_is_rejected(world: World) -> None:
    admin = world.admin()
    upload = begun(admin, managed_library(admin), GAME)

    for headers, field in INVALID_HEADERS:
        given = {**PIECE, "Authorization": f"Bearer {admin.token}", "Upload-Offset": "0", **headers}
        encoded = {name.encode(): value.encode() for name, value in given.items()}
        refused = admin.http.patch(f"{UPLOADS}/{upload}", content=b"x", headers=encoded)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field)

    assert show(admin, upload)["received"] == 0


def test_a_piece_that_differs_from_its_checksum_or_is_too_long_or_elsewhere_changes_nothing(world: World) -> None:
    admin = world.admin()
    upload = begun(admin, managed_library(admin), GAME)

    answers = [
        send(admin, upload, CONTENT[:HEAD], checksum=sha256(b"other").digest()),
        send(admin, upload, CONTENT + b"more"),
        send(admin, upload, CONTENT[1:], at=1),
    ]

    assert [(answer.status_code, answer.json()["type"]) for answer in answers] == [
        (460, "checksum-mismatch"),
        (400, "upload-piece-too-long"),
        (409, "upload-offset-wrong"),
    ]
    assert show(admin, upload)["received"] == 0


def test_a_file_that_differs_from_its_declared_hash_is_not_added(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    upload = begun(admin, library, GAME, hashed=True)

    send(admin, upload, CONTENT[:-1] + b"\0")
    failed = finish(world, admin, upload)
    again = admin.post(UPLOADS, declared(library, GAME, hashed=True)).json()

    assert (failed["state"], failed["problemCode"]) == ("failed", "upload-differs")
    assert listed(library) == {}
    assert (again["id"] != upload, again["state"], again["received"]) == (True, "receiving", 0)


INVALID: list[tuple[dict[str, Any], str]] = [
    ({"game": "../Doom"}, "game"),
    ({"game": "a/b"}, "game"),
    ({"game": ".playdock"}, "game"),
    ({"game": "CON"}, "game"),
    ({"game": "Doom.zip"}, "game"),
    ({"version": ""}, "version"),
    ({"version": "1.0/.."}, "version"),
    ({"version": "1.0.zip"}, "files"),
    ({"files": [{"path": "../../x", "size": 1}]}, "files"),
    ({"files": [{"path": "/etc/passwd", "size": 1}]}, "files"),
    ({"files": [{"path": "a", "size": 1}, {"path": "A", "size": 1}]}, "files"),
    ({"files": [{"path": "a", "size": 1}, {"path": "a/b", "size": 1}]}, "files"),
    ({"files": [{"path": "a", "size": 0}]}, "files"),
    ({"files": []}, "files"),
    ({"game": "\u200b"}, "game"),
    ({"files": [{"path": "a", "size": -1}]}, "files[0].size"),
    ({"files": [{"path": "a", "size": 1, "sha256": "F" * 64}]}, "files[0].sha256"),
]


def test_unsafe_names_are_rejected(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)

    for change, field in INVALID:
        refused = admin.post(UPLOADS, {**declared(library, GAME), **change})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field), change

    named = admin.post(UPLOADS, {**declared(library, GAME), "game": "C:x"}).json()["errors"][0]
    assert named["detail"].startswith("“C:x” cannot be the name of a folder: ")
    assert list(folder_of(library).iterdir()) == []


def test_only_what_is_managed_can_be_uploaded_to_and_only_where_nothing_is(world: World) -> None:
    admin = world.admin()
    world.put("Doom/1.0/doom.exe")
    library, other = managed_library(admin), world.library(admin)
    (folder_of(library) / "Doom" / "1.0").mkdir(parents=True)

    answers = [
        admin.post(UPLOADS, declared(other, GAME)),
        admin.post(UPLOADS, declared(library, GAME)),
        admin.post(UPLOADS, declared({"id": "nothing"}, GAME)),
        world.token_of(admin, "system:library:sources:update").post(UPLOADS, declared(library, GAME)),
    ]

    assert [answer.json()["type"] for answer in answers] == [
        "library-not-managed",
        "destination-taken",
        "library-unknown",
        "permission-missing",
    ]


def test_a_managed_library_is_only_where_the_operator_allows_it(world: World) -> None:
    admin = world.admin()
    world.games.mkdir()
    library = world.library(admin)
    own, elsewhere = world.folder / "data" / "games", world.folder / "elsewhere"
    elsewhere.mkdir()

    def at(place: object) -> Any:
        draft = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(place), "managed": True}}
        return admin.post(SOURCES, draft)

    refused = at(elsewhere)
    changed = admin.patch(SOURCES, {"id": library["id"], "options": {**library["options"], "managed": True}})

    assert refused.json()["errors"][0]["code"] == "library-not-writable-here"
    assert changed.json()["errors"][0]["code"] == "library-not-writable-here"
    assert at(own / "mine").status_code == 201
    assert at(own).status_code == 400
    assert at(own / ".." / "other").status_code == 400
    assert at(world.folder / "data").status_code == 400


def test_a_managed_library_is_apart_from_all_others(world: World) -> None:
    admin = world.admin()
    managed = managed_library(admin)
    ordinary = world.library(admin)
    own, linked = folder_of(managed), world.folder / "linked"
    (own / "inside").mkdir()
    linked.symlink_to(own / "inside")

    def add(place: object, **options: Any) -> Any:
        draft = {"name": "Games", "backend": "Filesystem", "options": {"baseDir": str(place), **options}}
        return admin.post(SOURCES, draft)

    overlapping = [add(own), add(own / "inside"), add(f"{own}/inside/../"), add(linked), add(own / "in", managed=True)]
    moved = admin.patch(SOURCES, {"id": ordinary["id"], "options": {"baseDir": str(own / "inside")}})
    kept = admin.patch(SOURCES, {"id": managed["id"], "name": "Renamed", "options": managed["options"]})

    for answer in (*overlapping, moved):
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["field"], error["code"]) == (400, "options.baseDir", "library-overlaps")
        assert error["parameters"] == {"library": "Uploads"}
    assert not (own / "in").exists()
    assert kept.status_code == 200
    # Playdock only reads these.
    (folder_of(ordinary) / "inside").mkdir()
    assert add(folder_of(ordinary) / "inside").status_code == 201


def test_a_folder_that_has_vanished_is_reported_and_the_upload_can_be_started_again(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    upload = begun(admin, library, GAME)
    send(admin, upload, CONTENT[:HEAD])
    shutil.rmtree(folder_of(library) / ".playdock")

    lost = send(admin, upload, CONTENT[HEAD:], at=HEAD)
    again = admin.post(UPLOADS, declared(library, GAME)).json()

    assert (lost.status_code, lost.json()["type"]) == (404, "upload-lost")
    assert (again["received"], len(admin.get(UPLOADS).json())) == (0, 1)
    assert send(admin, again["id"], CONTENT).status_code == 204
    assert finish(world, admin, again["id"])["state"] == "done"


def test_a_link_in_the_hidden_folder_is_not_followed(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    upload = begun(admin, library, GAME)
    content = folder_of(library) / ".playdock" / "uploads" / upload / "content"
    outside = world.folder / "outside"
    outside.mkdir()
    (content / "Doom").symlink_to(outside)

    refused = send(admin, upload, CONTENT)

    assert refused.status_code >= 400
    assert list(outside.iterdir()) == []


def test_a_full_disk_keeps_what_was_stored_before(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = world.admin()
    upload = begun(admin, managed_library(admin), GAME)
    send(admin, upload, CONTENT[:HEAD])

    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "ftruncate", fail)
        full = send(admin, upload, CONTENT[HEAD:], at=HEAD)

    assert (full.status_code, show(admin, upload)["received"]) == (503, HEAD)
    assert send(admin, upload, CONTENT[HEAD:], at=HEAD).status_code == 204


def test_space_and_the_limit_are_checked_before_anything_is_sent(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    huge = {**declared(library, GAME, version="3.0"), "files": [{"path": "huge", "size": 2**53 - 1}]}
    world.services.settings.uploads_max_bytes = 2 * len(CONTENT) - 1
    begun(admin, library, GAME)

    space, limit = admin.post(UPLOADS, huge), admin.post(UPLOADS, declared(library, GAME, version="2.0"))

    assert (space.status_code, space.json()["type"]) == (409, "space-missing")
    assert (limit.status_code, limit.json()["type"]) == (409, "upload-limit-reached")
    assert len(list((folder_of(library) / ".playdock" / "uploads").iterdir())) == 1


def test_a_canceled_or_expired_upload_is_deleted_with_its_files(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    area = folder_of(library) / ".playdock" / "uploads"
    canceled, expired = begun(admin, library, GAME), begun(admin, library, GAME, version="2.0")
    send(admin, canceled, CONTENT[:HEAD])
    (area / "rest of something").mkdir()
    os.utime(area / "rest of something", (0, 0))

    assert admin.delete(f"{UPLOADS}/{canceled}").status_code == 204
    clean(world, admin)
    left = [path.name for path in area.iterdir()]
    world.clock.advance(days=8)
    clean(world, world.with_token(world.sign_in("ada").json()["accessToken"]))

    assert left == [expired]
    assert list(area.iterdir()) == []


def test_moving_to_the_place_may_be_repeated(world: World) -> None:
    """As after a server that was killed between moving the files and recording that."""
    admin = world.admin()
    library = managed_library(admin)
    upload = begun(admin, library, GAME)
    send(admin, upload, CONTENT)
    finish(world, admin, upload)
    area = world.services.uploads.area_of(next(iter(world.services.library_scans.libraries())))
    area.create("again", [UploadedFile("Doom/1.0/doom.sh", 8)])

    area.place("again", "Doom", ["1.0"], has_versions=True)
    with pytest.raises(StagingGone):
        area.place("again", "Doom", ["3.0"], has_versions=True)

    (folder_of(library) / ".playdock/uploads/again/content/Doom/1.0").mkdir(parents=True)
    with pytest.raises(PlaceTaken):
        area.place("again", "Doom", ["1.0"], has_versions=True)
