"""``playdock doctor``: what it says about the secret key, images and the folder for backups."""

from pathlib import Path

from databases import SqliteDatabases
from playdock.backups.queries import referenced_keys
from world import running_world

from .conftest import Prompt


def test_a_secret_key_that_replaces_another_one_is_reported(settled: Prompt) -> None:
    assert "ok     Secret key" in settled.run("doctor").out
    examined = settled.run("doctor", SECRET_KEY="k" * 40)
    assert examined.status == 1
    assert "SECRET_KEY is not the key in" in examined.out


def test_images_that_are_not_there_are_reported(
    settled: Prompt, sqlite_databases: SqliteDatabases, tmp_path: Path
) -> None:
    database_url = sqlite_databases.fresh(tmp_path / "world")
    with running_world(tmp_path / "world", database_url=database_url) as world:
        doctor = {"DATABASE_URL": database_url, "DATA_DIR": str(world.services.settings.data_dir)}
        world.admin()
        assert "Images" not in settled.run("doctor", **doctor).out
        with world.services.db.read() as session:
            [picture] = referenced_keys(session)
        world.services.blobs.delete(picture)
        assert "failed Images\n       1 of 1 that were looked for are not there." in settled.run("doctor", **doctor).out


def test_a_folder_for_backups_that_cannot_be_written_is_reported(settled: Prompt) -> None:
    (settled.folder / "file").touch()
    good, bad = settled.folder / "new/backups", settled.folder / "file/backups"
    assert f"ok     Backups in {good}" in settled.run("doctor", BACKUP_FOLDER=str(good)).out
    examined = settled.run("doctor", BACKUP_FOLDER=str(bad))
    assert examined.status == 1
    assert f"The folder for backups, {bad}, cannot be written." in examined.out.replace("\n       ", " ")
