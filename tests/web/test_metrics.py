"""The metrics: what is counted, for whom, and that all processes count together."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from databases import SqliteDatabases
from playdock.kit.messages import Message
from playdock.stored import TaskArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue
from served import Doom, is_repeated, warm, write_doom
from world import World, running_world

_FILES = Path(__file__).parents[2] / "docs" / "monitoring"
TOKEN = "metrics-token-of-at-least-32-characters"


@pytest.fixture(scope="module")
def doom(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doom]:
    folder = tmp_path_factory.mktemp("measured")
    with running_world(
        folder, database_url=sqlite_databases.fresh(folder / "data"), metrics_token=TOKEN, url_path="/games"
    ) as world:
        yield write_doom(world)


def _scraped(world: World) -> str:
    answer = world.with_token(TOKEN).get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return answer.text


def scrape(world: World) -> dict[str, float]:
    """Return the values of all series."""
    lines = [line.rpartition(" ") for line in _scraped(world).splitlines() if not line.startswith("#")]
    return {series: float(value) for series, _, value in lines}


def _started(method: str, route: str, status: int) -> str:
    labels = f'method="{method}",route="{route}",status="{status}"'
    return f"playdock_http_response_start_seconds_count{{{labels}}}"


def test_metrics_require_the_token(doom: Doom) -> None:
    for caller in (doom.world.any_user(), doom.admin, doom.world.with_token(TOKEN + "x")):
        refused = caller.get("/metrics")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    root = doom.world.address.removesuffix("/games")
    assert httpx2.get(f"{root}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_without_a_token_there_are_no_metrics(site: World) -> None:
    assert site.any_user().get("/metrics").status_code == 404


def test_requests_and_bytes_are_counted_by_template(doom: Doom) -> None:
    content, user = "/api/v1/versions/{version_id}/content", "/api/v1/user"
    before = scrape(doom.world)
    doom.player.get("/api/v1/user")
    doom.get()
    doom.world.any_user().get("/api/v1/nothing/secret-of-somebody")
    doom.world.any_user().get("/api/v1/admin/users/secret-of-somebody")
    warm(doom)
    assert is_repeated(doom, lambda: doom.get(Range="bytes=0-0"))
    after = scrape(doom.world)

    grown = {series: value - before.get(series, 0) for series, value in after.items() if value != before.get(series, 0)}
    assert grown[_started("GET", user, 200)] == 1
    assert grown[_started("GET", content, 200)] == 1
    assert grown[_started("GET", content, 206)] >= 3
    assert grown[_started("GET", "/api/v1/admin/users/{user_id}", 401)] == 1
    sent = grown['playdock_sent_bytes_total{kind="content"}']
    assert len(doom.image) < sent < len(doom.image) + 1000
    assert "secret-of-somebody" not in str(after)
    # Whatever is requested, there are only so many series: a few for each route.
    assert len(after) < 1000


def test_figures_of_the_service_come_from_the_database(doom: Doom) -> None:
    found = scrape(doom.world)
    (processes,) = [value for series, value in found.items() if series.startswith("playdock_nodes{")]
    assert processes == 1
    library = doom.world.games.name
    assert found[f'playdock_library_available{{library="{library}"}}'] == 1
    assert found["playdock_damaged_versions"] == found["playdock_tasks_failed"] == 0
    assert found['playdock_cache_bytes{cache="unpacked"}'] == 0
    assert found['playdock_cache_max_bytes{cache="patches"}'] == 20 * 1024**3
    assert found["playdock_connections"] >= 1
    assert found["playdock_password_queue"] == found["playdock_transfers"] == 0
    assert "process_resident_memory_bytes" in found


def test_waiting_tasks_are_counted_with_their_age(doom: Doom) -> None:
    world = doom.world
    with world.services.db.write() as session:
        for number, minutes in ((1, 5), (2, 2)):
            # No node runs them.
            new = NewTask(
                "verify:version",
                Message("names", names="A test"),
                f"test:{number}",
                Queue.LOW,
                (),
                TaskArguments(),
                node="elsewhere",
            )
            enqueue(session, new, at=world.clock() - timedelta(minutes=minutes))
    found = scrape(world)
    labels = f'queue="{Queue.LOW.value}",state="waiting",type="verify:version"'
    assert found[f"playdock_tasks{{{labels}}}"] == 2
    assert found[f"playdock_task_oldest_seconds{{{labels}}}"] // 60 == 5


def _expressions() -> list[str]:
    """Return the expressions of the dashboard, with values for its variables."""
    panels = json.loads((_FILES / "grafana-dashboard.json").read_text())["panels"]
    found = [target["expr"] for panel in panels for target in panel["targets"]]
    return [each.replace("$job", ".*").replace("$__rate_interval", "5m") for each in found]


def test_the_dashboard_and_the_alert_rules_name_only_metrics_that_exist(doom: Doom) -> None:
    doom.player.get("/api/v1/user")
    families = re.findall(r"^# TYPE (\S+) (\S+)$", _scraped(doom.world), re.MULTILINE)
    existing = {name for name, _ in families} | {"up"}
    histograms = [name for name, kind in families if kind == "histogram"]
    existing |= {f"{name}{suffix}" for name in histograms for suffix in ("_bucket", "_count")}
    rules = (_FILES / "alerts.yml").read_text()
    named = set(re.findall(r"\b(?:playdock|process)_\w+", f"{_expressions()} {rules}"))
    assert len(named) > 10
    assert named <= existing


@pytest.mark.heavy
def test_prometheus_accepts_the_alert_rules_and_the_expressions_of_the_dashboard(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is missing: install Debian's package prometheus.")
    rules = [{"record": f"panel_{number}", "expr": each} for number, each in enumerate(_expressions())]
    # JSON is YAML, too.
    dashboard = tmp_path / "dashboard.yml"
    dashboard.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    checked = subprocess.run(
        [promtool, "check", "rules", "--lint-fatal", str(_FILES / "alerts.yml"), str(dashboard)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
