"""Which files continue an upload: the same ones, as their hashes or their times say."""

import pytest
from sqlalchemy import update

from playdock.features.uploads.rules import earlier_digest_of
from playdock.features.uploads.schemas import FileToUpload
from playdock.models import Upload
from uploads import UPLOADS, begun, declared, managed_library
from world import World

GAME = {"doom.sh": b"run doom", "data/levels.wad": b"E1M1"}


@pytest.mark.parametrize("hashed", [True, False])
def test_files_with_another_time_continue_an_upload_only_if_their_hashes_are_the_same(
    world: World, *, hashed: bool
) -> None:
    admin = world.admin()
    library = managed_library(admin)
    upload = begun(admin, library, GAME, hashed=hashed)
    touched = declared(library, GAME, hashed=hashed)
    touched["files"][0]["modified"] = 1_763_617_080_000
    again = admin.post(UPLOADS, touched)
    assert again.json().get("id") == (upload if hashed else None)
    assert again.status_code == (200 if hashed else 409)


def test_an_upload_that_an_earlier_release_began_continues(world: World) -> None:
    admin = world.admin()
    library = managed_library(admin)
    body = declared(library, GAME, hashed=True)
    for each in body["files"]:
        each["modified"] = 1_763_617_080_000
    upload = admin.post(UPLOADS, body).json()["id"]
    files = [FileToUpload(**each) for each in body["files"]]
    with world.services.db.write() as session:
        session.execute(update(Upload).values(digest=earlier_digest_of(files)))
    assert admin.post(UPLOADS, body).json().get("id") == upload
