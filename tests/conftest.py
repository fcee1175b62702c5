"""What all tests share: the databases to run on, and the world."""

import gc
import ipaddress
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import structlog

from databases import Databases, PostgresqlDatabases, SqliteDatabases
from playdock.server import link_address, protocol
from postgresql import find_programs, running_server
from radosgw import ACCESS_KEY as RADOSGW_ACCESS_KEY
from radosgw import MISSING as RADOSGW_MISSING
from radosgw import SECRET_KEY as RADOSGW_SECRET_KEY
from radosgw import Radosgw, running_radosgw
from radosgw import is_installed as radosgw_is_installed
from world import SHARED_SETTINGS, World, running_world

# Network namespaces that tests create inside of this machine.
_NAMESPACES = ipaddress.ip_network("10.213.0.0/16")


def _refuse_foreign_addresses(event: str, arguments: tuple[Any, ...]) -> None:
    """Tests have no network but loopback and their namespaces; whatever tries is a defect."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
        if host != "localhost" and not _is_local(ipaddress.ip_address(host)):
            raise RuntimeError(f"A test wants to connect to {host}, which is not this machine.")


def _is_local(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_loopback or address in _NAMESPACES


sys.addaudithook(_refuse_foreign_addresses)
# The service of a test is on a machine without a network.
link_address.DESTINATIONS = ()
# Tracebacks in the log are plain, as in the program: structlog draws them by default, which takes
# longer than most tests.
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)
# A shell without job control starts background processes with SIGINT ignored, nohup with SIGHUP, and the programs under
# test inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# A busy machine must not make a test fail: examples may take any time, as in Hypothesis's own profile "ci".
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.register_profile("thorough", deadline=None)  # chosen by `make test-all`
if hypothesis.settings.get_current_profile_name() == "default":
    hypothesis.settings.load_profile("patient")


def pytest_xdist_auto_num_workers() -> int:
    """Run twice as many tests at once as there are cores: they mostly wait for servers, disks and each other."""
    return 2 * (os.cpu_count() or 1)


def pytest_collection_finish() -> None:
    """Keep what has been imported and collected, hundreds of megabytes, from being looked through for garbage."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=["sqlite", "postgresql", "both"],
        help="the databases that tests with a server run on; unless given, SQLite, and both where a test is marked so",
    )
    parser.addoption(
        "--objects",
        choices=["folder", "radosgw"],
        default="folder",
        help="where the servers of tests store their objects: in a folder, or in a real S3 server",
    )
    parser.addoption(
        "--plain-asgi",
        action="store_true",
        help="let servers send bodies as they do with an unknown version of uvicorn, and leave all requests to routes",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --objects=radosgw, leave out the tests that need objects in a folder."""
    if config.getoption("--objects") == "radosgw":
        left_out = [item for item in items if item.get_closest_marker("folder_objects")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", autouse=True)
def objects_of_worlds(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> None:
    """With --objects=radosgw, let all worlds store their objects in a real S3 server."""
    if pytestconfig.getoption("--objects") == "radosgw":
        server: Radosgw = request.getfixturevalue("radosgw")
        SHARED_SETTINGS.update(
            objects_url=f"s3://{server.make_bucket()}",
            objects_endpoint=server.address,
            objects_access_key_id=RADOSGW_ACCESS_KEY,
            objects_secret_access_key=RADOSGW_SECRET_KEY,
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test that needs a database on those that are wanted."""
    if "database_kind" in metafunc.fixturenames:
        differs = metafunc.definition.get_closest_marker("both_databases") is not None
        wanted = metafunc.config.getoption("--database") or ("both" if differs else "sqlite")
        kinds = ["sqlite", "postgresql"] if wanted == "both" else [wanted]
        metafunc.parametrize("database_kind", kinds, scope="session")


@pytest.fixture(scope="session", autouse=True)
def plain_asgi(pytestconfig: pytest.Config) -> Iterator[bool]:
    """With --plain-asgi, take away an attribute of uvicorn's that zero-copy sending needs."""
    chosen: bool = pytestconfig.getoption("--plain-asgi")
    with pytest.MonkeyPatch.context() as patch:
        if chosen:
            patch.setitem(protocol.USED_INSTANCE_ATTRIBUTES, protocol.ZeroCopyProtocol, ("unknown",))
        yield chosen


@pytest.fixture(scope="session")
def sqlite_databases(tmp_path_factory: pytest.TempPathFactory) -> SqliteDatabases:
    return SqliteDatabases(tmp_path_factory.mktemp("template") / "template.sqlite3")


@pytest.fixture(scope="session")
def postgresql_databases() -> Iterator[PostgresqlDatabases]:
    programs = find_programs()
    if programs is None:
        assert "CI" not in os.environ, "PostgreSQL's programs are missing: install Debian's postgresql."
        pytest.skip("PostgreSQL's programs are missing: install Debian's postgresql to run these tests.")
    with running_server(programs) as address:
        yield PostgresqlDatabases(address)


@pytest.fixture(scope="session")
def radosgw() -> Iterator[Radosgw]:
    """A real S3 server."""
    if not radosgw_is_installed():
        pytest.skip(RADOSGW_MISSING)
    with running_radosgw() as server:
        yield server


@pytest.fixture
def databases(database_kind: str, request: pytest.FixtureRequest) -> Databases:
    found: Databases = request.getfixturevalue(f"{database_kind}_databases")
    return found


@pytest.fixture
def database_url(databases: Databases, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database in the present form."""
    address = databases.fresh(tmp_path / "data")
    yield address
    databases.release(address)


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    """A running service with an empty database."""
    with running_world(tmp_path, database_url=database_url) as running:
        yield running


@pytest.fixture
def embedded_world(sqlite_databases: SqliteDatabases, tmp_path: Path) -> Iterator[World]:
    """A running service on SQLite, for what no database has a part in."""
    with running_world(tmp_path, database_url=sqlite_databases.fresh(tmp_path / "data")) as running:
        yield running
