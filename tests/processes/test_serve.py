"""Starting, stopping and inviting users, as an operator does."""

import json
import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import text

from playdock.db.database import Database
from playdock.settings import Settings

from .service import MAX_STOP_SECONDS, Service


def test_the_first_start_prints_an_invitation_for_an_administrator(service: Service) -> None:
    service.start()

    [link] = service.invitations
    service.sign_up(link)

    assert link.startswith(f"http://localhost:{service.port}/auth/register?id=")
    assert service.get("/api/v1/user")["admin"] is True


def test_the_same_invitation_is_printed_until_the_first_sign_up(service: Service) -> None:
    service.start()
    first = service.invitations
    service.stop()

    service.start()
    second = service.invitations
    service.sign_up(second[0])
    service.stop()
    service.start()

    assert (first, service.invitations) == (second, [])


def test_invitations_can_be_created_while_the_server_is_running(service: Service) -> None:
    service.start()
    service.sign_up(service.invitations[0])

    made = service.run("invite", "--admin", "--username", "grace")
    service.sign_up(made.stdout.splitlines()[-1], username="grace")

    user = service.get("/api/v1/user")
    assert (made.returncode, user["username"], user["admin"]) == (0, "grace", True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_idle_server_stops_immediately_with_status_0(service: Service, number: int) -> None:
    service.start()
    began = time.monotonic()
    assert service.stop(number) == 0
    assert time.monotonic() - began < MAX_STOP_SECONDS


def test_a_port_in_use_is_reported_with_status_1(service: Service) -> None:
    with socket.create_server(("127.0.0.1", service.port)):
        ended = service.run("serve", "--port", str(service.port))
    assert ended.returncode == 1
    assert f"Cannot listen on 127.0.0.1 port {service.port}" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize("command", ["serve", "worker", "doctor"])
def test_an_older_release_rejects_a_newer_schema_with_one_message(service: Service, command: str) -> None:
    assert service.run("invite").returncode == 0
    database = Database(Settings(database_url=service.database_url).database)
    with closing(database), database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    ended = service.run(command)

    said = ended.stderr or ended.stdout
    assert ended.returncode == 1
    assert "A newer Playdock has upgraded the database to schema 9999." in said
    assert "Traceback" not in said


def test_a_second_server_on_the_same_port_does_not_start(service: Service) -> None:
    service.start()
    ended = service.run("serve", "--port", str(service.port))
    assert (ended.returncode, service.get("/api/v1/auth")) == (1, ["Simple"])


def test_the_library_of_the_setting_is_created_on_the_first_start(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = service.folder / "games"
    (games / "Doom").mkdir(parents=True)
    monkeypatch.setenv("LIBRARY", str(games))
    service.start()
    service.sign_up(service.invitations[0])
    service.stop()
    service.start()

    [library] = service.get("/api/v1/admin/library/sources")

    assert (library["name"], library["backend"], library["options"]) == (
        "Library",
        "Filesystem",
        {"baseDir": str(games), "managed": False},
    )
    assert service.get("/api/v1/admin/library")["unimportedGames"] == {library["id"]: ["Doom"]}


@pytest.mark.both_databases
def test_several_processes_serve_one_database_and_import_once(service: Service) -> None:
    for number in range(12):
        (service.folder / f"games/Doom/1.{number}").mkdir(parents=True)
        (service.folder / f"games/Doom/1.{number}/game").write_bytes(os.urandom(1000))
    service.url_path = "/games"
    metrics_token = "x" * 32
    service.more |= {"METRICS_TOKEN": metrics_token, "ACCESS_LOG": "true", "LOG_FORMAT": "json"}
    service.start("--workers", "2")
    assert service.invitations[0].startswith(f"{service.address}/auth/register?id=")
    service.sign_up(service.invitations[0])
    game = service.import_game(service.folder / "games", "Doom")

    tasks = [service.start_import(game, f"1.{number}") for number in range(12)]
    with ThreadPoolExecutor(8) as pool:
        again = list(pool.map(lambda _: service.request("GET", "/api/v1/user").status_code, range(100)))
    ended = [service.finish(task) for task in tasks]

    versions = service.get(f"/api/v1/games/{game}/versions")
    assert (set(again), [task["success"] for task in ended]) == ({200}, [True] * 12)
    assert sorted(version["name"] for version in versions) == sorted(f"1.{number}" for number in range(12))
    assert [sum("Files read: 1 (" in line for line in task["log"]) for task in ended] == [1] * 12
    scraped = service.request("GET", "/metrics", headers={"Authorization": f"Bearer {metrics_token}"}).text
    assert service.stop() == 0
    # Both processes counted together, and logged what they counted.
    counted = 'playdock_http_response_start_seconds_count{method="GET",route="/api/v1/user",status="200"}'
    assert f"{counted} 1" in scraped
    lines = (service.folder / "complained").read_text().splitlines()
    logged = [line for line in map(json.loads, lines) if line["path"] == "/games/api/v1/user"]
    assert f"{counted} {len(logged)}.0" in scraped
