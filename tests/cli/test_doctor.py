"""``playdock doctor``: the results of checks, and advice for problems."""

import errno
import os
import shutil
import sqlite3
import tempfile
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from databases import PostgresqlDatabases, SqliteDatabases
from playdock.cli import database_checks
from playdock.cli.setting_checks import check_database_connection
from playdock.storage.blobs import LocalBlobs
from providers.steam import SteamStandIn
from world import World, running_world

from .conftest import Prompt, add_library, is_sentence

pytestmark = pytest.mark.both_databases

_UNREACHABLE = "postgresql://ada:hunter2@127.0.0.1:1/playdock"


def test_a_healthy_installation_passes_all_checks(prompt: Prompt) -> None:
    add_library(prompt)
    examined = prompt.run_program("doctor")
    assert (examined.status, examined.err) == (0, "")
    assert "failed" not in examined.out
    subjects = ("Data folder", "Database", "Clock", "Attic", "Versions", "Object storage")
    assert all(subject in examined.out for subject in subjects)


def test_an_unreachable_database_is_reported(bare: Prompt) -> None:
    examined = bare.run("doctor", DATABASE_URL=_UNREACHABLE)
    assert examined.status == 1
    assert "failed Database" in examined.out
    assert "Check DATABASE_URL" in examined.out
    assert "hunter2" not in examined.out


def test_a_database_that_cannot_store_all_text_is_reported(
    bare: Prompt, postgresql_databases: PostgresqlDatabases
) -> None:
    examined = bare.run("doctor", DATABASE_URL=postgresql_databases.encoded("LATIN1"))
    assert examined.status == 1
    assert "The database has the encoding LATIN1" in examined.out


def test_a_missing_database_is_reported(bare: Prompt) -> None:
    examined = bare.run("doctor")
    assert examined.status == 1
    assert "playdock serve" in examined.out


@pytest.mark.parametrize(
    ("wanted", "hinted"),
    [
        ({}, False),
        ({"EXTERNAL_URL": "https://games.example.org"}, True),
        ({"EXTERNAL_URL": "https://games.example.org", "REFUSE_WEAK_PASSWORDS": "true"}, False),
    ],
)
def test_weak_passwords_on_a_public_server_are_a_hint_and_no_problem(
    settled: Prompt, wanted: dict[str, str], *, hinted: bool
) -> None:
    examined = settled.run("doctor", **wanted)
    assert examined.status == 0
    assert ("set REFUSE_WEAK_PASSWORDS" in examined.out) is hinted


def test_an_unavailable_library_is_reported(settled: Prompt) -> None:
    shutil.rmtree(add_library(settled))
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Library Attic" in examined.out
    assert "There is no such folder." in examined.out


@pytest.mark.parametrize(
    ("error", "advice"),
    [(errno.ENOSPC, "Free some space"), (errno.EROFS, "write access"), (errno.EACCES, "permissions")],
)
def test_advice_for_object_storage_depends_on_the_error(
    settled: Prompt, monkeypatch: pytest.MonkeyPatch, error: int, advice: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(LocalBlobs, "put", fail)
    examined = settled.run("doctor")
    assert examined.status == 1
    assert f"It is not writable: {os.strerror(error).lower()}. " in examined.out
    assert advice in examined.out


def test_a_data_folder_that_is_read_only(settled: Prompt, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Data folder" in examined.out
    assert "Set DATA_DIR to a writable folder" in examined.out


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (sqlite3.SQLITE_READONLY_DIRECTORY, "write access"),
        (sqlite3.SQLITE_CORRUPT, "restore a backup"),
        (sqlite3.SQLITE_FULL, "Free some space"),
        (sqlite3.SQLITE_BUSY, "Another program"),
    ],
)
def test_advice_for_sqlite_depends_on_the_error(
    settled: Prompt, monkeypatch: pytest.MonkeyPatch, code: int, advice: str
) -> None:
    def fail(_database: object) -> None:
        error = sqlite3.OperationalError("what is wrong")
        error.sqlite_errorcode = code
        raise OperationalError("BEGIN", {}, error) from error

    monkeypatch.setattr(database_checks, "require_writable", fail)
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "It cannot be used: what is wrong. " in examined.out
    assert advice in examined.out


def test_a_damaged_database(settled: Prompt) -> None:
    file = Path(settled.environment["DATABASE_URL"].removeprefix("sqlite:///"))
    services = settled.services()
    with closing(services.db), services.db.engine.connect() as connection:
        page = connection.execute(text("SELECT rootpage FROM sqlite_master WHERE name = 'ix_games_rating_id'")).scalar()
        size = connection.execute(text("PRAGMA page_size")).scalar()
    assert page
    assert size
    with file.open("r+b") as written:
        written.seek((page - 1) * size)
        written.write(b"\xff" * size)
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Database" in examined.out
    assert "restore a backup" in examined.out


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ('FATAL:  password authentication failed for user "ada"', "Check the user and the password"),
        ('FATAL:  database "x" does not exist', "Create the database"),
        ("Connection refused", "the server is running"),
    ],
)
def test_advice_for_postgresql_depends_on_the_message(
    bare: Prompt, monkeypatch: pytest.MonkeyPatch, message: str, advice: str
) -> None:
    def fail(_database: object) -> None:
        raise OperationalError("", {}, Exception(message))

    monkeypatch.setattr(database_checks, "is_current", fail)
    assert advice in bare.run("doctor", DATABASE_URL=_UNREACHABLE).out


def test_misspelled_settings_in_the_env_file(settled: Prompt) -> None:
    (settled.folder / ".env").write_text("EXTERNAL_ULR=https://play.example.org\nTZ=UTC\nIGDB_CLIENT_SECRET_FILE=\n")
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Setting EXTERNAL_ULR in .env" in examined.out
    assert "Did you mean EXTERNAL_URL?" in examined.out
    assert "ok     Setting TZ in .env: not a setting of Playdock, ignored" in examined.out
    assert "IGDB_CLIENT_SECRET_FILE" not in examined.out


@pytest.mark.parametrize(
    ("addresses", "advice"),
    [
        ("127.0.0.1, 10.0.0.0/8,::1", ""),
        ("*", ""),
        ("10.0.0.1/8", "Did you mean 10.0.0.0/8?"),
        ("127.0.0.1,proxy", "“proxy” in TRUSTED_PROXIES has no effect."),
        ("127.0.0.1,", "An empty entry in TRUSTED_PROXIES has no effect."),
    ],
)
def test_trusted_proxies(settled: Prompt, addresses: str, advice: str) -> None:
    examined = settled.run("doctor", TRUSTED_PROXIES=addresses)
    mark = "failed" if advice else "ok    "
    assert f"{mark} Trusted proxies {addresses}" in examined.out
    assert advice in examined.out


@pytest.mark.parametrize(
    ("database", "mode", "findings"),
    [
        ("sqlite:////srv/playdock.sqlite3", "", []),
        ("postgresql+psycopg://playdock@localhost/playdock", "", []),
        ("postgresql+psycopg:///playdock", "", []),
        ("postgresql+psycopg:///playdock?host=/run/postgresql", "", []),
        ("postgresql+psycopg://playdock:secret@db.example.org/playdock", "", [False]),
        ("postgresql+psycopg://playdock@db.example.org/playdock?sslmode=require", "verify-full", [False]),
        ("postgresql+psycopg:///playdock?host=localhost,10.0.0.7", "", [False]),
        ("postgresql+psycopg://playdock@db.example.org/playdock?sslmode=verify-full", "", [True]),
        ("postgresql+psycopg://playdock@db.example.org/playdock", "verify-full", [True]),
        ("postgresql+psycopg://playdock@db/playdock?sslmode=disable", "", [True]),
    ],
)
def test_a_database_on_another_machine_must_prove_its_identity(database: str, mode: str, findings: list[bool]) -> None:
    found = list(check_database_connection(database, mode))
    assert [not each.fault for each in found] == findings
    assert "secret" not in str(found)


class _Elsewhere(BaseHTTPRequestHandler):
    """A web server that is not Playdock."""

    def do_GET(self) -> None:
        redirects = self.path.startswith("/api") and self.headers["Host"].startswith("localhost")
        self.send_response(301 if redirects else 200)
        if redirects:
            self.send_header("Location", "https://play.example.org/api/v1/user")
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"Hello")

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("host", "advice"),
    [("127.0.0.1", "Another program responds there"), ("localhost", "redirects to https://play.example.org")],
)
def test_an_external_url_that_leads_elsewhere(settled: Prompt, host: str, advice: str) -> None:
    with HTTPServer(("127.0.0.1", 0), _Elsewhere) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        examined = settled.run("doctor", EXTERNAL_URL=f"http://{host}:{server.server_port}")
        server.shutdown()
        serving.join()
    assert examined.status == 1
    assert "failed Settings: the external URL" in examined.out
    assert advice in examined.out


def test_an_external_url_where_no_server_runs(settled: Prompt) -> None:
    examined = settled.run("doctor", EXTERNAL_URL="http://127.0.0.1:1")
    assert "ok     Settings: the external URL is http://127.0.0.1:1, where no server responds now" in examined.out


def test_an_external_url_that_leads_to_a_service(settled: Prompt, embedded_world: World) -> None:
    examined = settled.run("doctor", EXTERNAL_URL=embedded_world.address)
    assert f"ok     Settings: the external URL is {embedded_world.address}\n" in examined.out


def test_a_web_server_that_changes_paths_is_reported(
    settled: Prompt, sqlite_databases: SqliteDatabases, tmp_path: Path
) -> None:
    database_url = sqlite_databases.fresh(tmp_path / "below")
    with running_world(tmp_path / "below", database_url=database_url, url_path="/games") as world:
        assert "ok     Settings: the external URL" in settled.run("doctor", EXTERNAL_URL=world.address).out
        examined = settled.run("doctor", EXTERNAL_URL=world.address.removesuffix("/games"))
    assert "Another program responds there (status 404)." in examined.out
    assert "with unchanged paths" in examined.out


@pytest.mark.parametrize(("content", "advice"), [(b"", "does not contain a key"), (None, "cannot be used")])
def test_a_secret_key_that_cannot_be_read_is_reported(settled: Prompt, content: bytes | None, advice: str) -> None:
    file = settled.folder / "data" / "secret.key"
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.unlink(missing_ok=True)
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Secret key" in examined.out
    assert advice in " ".join(examined.out.split())
    invited = settled.run("invite")
    assert (invited.status, "secret.key" in invited.err) == (1, True)


def test_unwritable_object_storage_is_reported(settled: Prompt) -> None:
    (settled.folder / "data" / "objects").parent.mkdir(exist_ok=True)
    (settled.folder / "data" / "objects").write_text("no folder")
    examined = settled.run("doctor")
    assert examined.status == 1
    assert "failed Object storage" in examined.out
    assert "Check OBJECTS_URL" in examined.out


def test_a_data_folder_that_cannot_be_created_is_reported(bare: Prompt) -> None:
    (bare.folder / "data").write_text("no folder")
    examined = bare.run("doctor")
    assert examined.status == 1
    assert "failed Data folder" in examined.out
    assert "Set DATA_DIR" in examined.out


@pytest.mark.parametrize("objects", ["", "objects"])
def test_a_data_folder_accessible_to_others_is_reported(settled: Prompt, objects: str) -> None:
    (settled.folder / "data").chmod(0o755)
    examined = settled.run("doctor", OBJECTS_URL=objects and str(settled.folder / objects))
    assert examined.status == 1
    assert "failed Data folder" in examined.out
    assert f"chmod o-rwx {settled.folder / 'data'}" in examined.out


@pytest.mark.parametrize("address", ["postgresql://ada:hunter2@127.0.0.1:port/playdock", "sqlite:///"])
def test_an_invalid_url_is_reported(bare: Prompt, address: str) -> None:
    examined = bare.run("doctor", DATABASE_URL=address)
    assert (examined.status, examined.out) == (1, "")
    assert is_sentence(examined.err)
    assert "DATABASE_URL: " in examined.err


def test_findings_are_not_wrapped_on_a_narrow_terminal(bare: Prompt) -> None:
    examined = bare.run("doctor", DATABASE_URL=_UNREACHABLE, COLUMNS="20")
    assert all(line.startswith(("ok", "failed", "       ")) for line in examined.out.splitlines())


def test_reachable_and_unreachable_providers_are_reported(settled: Prompt) -> None:
    with SteamStandIn() as steam:
        addresses = {name.upper(): value for name, value in steam.settings.items()}
        addresses["PCGAMINGWIKI_URL"] = "http://127.0.0.1:1"
        examined = settled.run("doctor", **addresses, METADATA_PROVIDERS="Steam, PCGamingWiki")
    assert examined.status == 1
    assert "ok     Metadata provider Steam" in examined.out
    assert "failed Metadata provider PCGamingWiki" in examined.out
    assert "METADATA_PROVIDERS" in examined.out


def test_a_listed_provider_without_a_key_is_reported(settled: Prompt) -> None:
    examined = settled.run("doctor", METADATA_PROVIDERS="IGDB")
    assert examined.status == 1
    assert "failed Metadata provider igdb" in examined.out
    assert "its keys are not set" in examined.out


def test_an_unknown_provider_is_reported(settled: Prompt) -> None:
    refused = settled.run("doctor", METADATA_PROVIDERS="Steam, Stream")
    assert (refused.status, is_sentence(refused.err)) == (1, True)
    assert "stream" in refused.err


def test_missing_clients_are_mentioned_but_are_no_problem(prompt: Prompt) -> None:
    examined = prompt.run_program("doctor", CLIENTS=str(prompt.folder / "nowhere"))
    assert examined.status == 0
    assert f"There are no clients in {prompt.folder / 'nowhere'}. Build them with `make client`" in examined.out


def test_sources_of_settings_are_named(settled: Prompt) -> None:
    config = settled.folder / "playdock.toml"
    config.write_text('contact = "ada@example.org"\n')
    (settled.folder / ".env").write_text("TOKEN_MAX_DAYS=5\n")
    examined = settled.run("doctor", PLAYDOCK_CONFIG=str(config))
    assert examined.status == 0
    assert f"Settings from {config}: CONTACT\n" in examined.out
    assert "Settings from .env: TOKEN_MAX_DAYS\n" in examined.out


def test_a_configuration_file_is_an_option_of_all_commands(settled: Prompt) -> None:
    config = settled.folder / "playdock.toml"
    config.write_text('contatc = "ada@example.org"\ntoken_max_days = 0\n')
    refused = settled.run_program("--config", str(config), "invite")
    assert refused.status == 1
    assert f"contatc in {config}: There is no such setting. Did you mean contact?" in refused.err
    assert "TOKEN_MAX_DAYS: It must be" in refused.err
