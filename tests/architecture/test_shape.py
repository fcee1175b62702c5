"""The shape of the code: small files and functions, the same file names everywhere, imports at the top."""

import ast
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from .source import PACKAGE, ROOT, AnyFunction, Module, calls, functions, imported, modules, named

_OF_A_FEATURE = {
    "__init__.py", "routes.py", "schemas.py", "service.py", "queries.py", "rules.py", "errors.py", "tasks.py",
}  # fmt: skip
_MORE = {
    "features/delivery/chat.py",  # starts processes, only when something is sent
    "features/delivery/chat_process.py",  # loads apprise, in a process of its own or to check a URL
    "features/delivery/mailer.py",  # the content of messages, loaded only when one is sent
    "features/delivery/push.py",  # loaded only when something is sent
    "features/delivery/push_encryption.py",  # cryptography, loaded as above or for the public key
    "features/drop_bridge/bundles.py",  # chunks of Drop 0.4, beside those of 0.3
    "features/drop_bridge/cipher.py",  # loaded only by a chunk of Drop 0.4
    "features/drop_bridge/certificates.py",  # loaded only by a handshake
    "features/drop_bridge/checksums.py",  # read by the service and computed by the task
    "features/drop_bridge/depot.py",  # the service of Drop 0.4, with its routes and wire types below
    "features/drop_bridge/depot_routes.py",
    "features/drop_bridge/depot_schemas.py",
    "features/drop_bridge/saves.py",  # another service, which translates that of saved games, with its routes
    "features/drop_bridge/save_routes.py",
    "features/drop_bridge/selections.py",  # what manifests list and chunks consist of, on top of the rules
    "features/drop_bridge/sign_in.py",  # a second service: signing in has nothing in common with downloads
    "features/drop_bridge/websocket.py",  # a web socket is no route, as below
    "features/patches/parts.py",  # makes and stores frames, for the task
    "features/bulk_import/folder_lookup.py",  # reads folders and asks providers, for the task
    "features/bulk_import/run_rows.py",  # made of wire types and rows, which rules do not know
    "features/library_files/changes.py",  # recording changes and starting their tasks, for other features too
    "features/library_files/switching.py",  # the rows that the task changes: as long as the task itself
    "features/library_files/unpacking.py",  # the steps of one of the changes that the task carries out
    "features/library_files/trash.py",  # a second service: what is in the trash is not in a game any more
    "features/version_import/storage_errors.py",  # for the other features that open versions on disk too
    "features/version_import/new_versions.py",  # a task that only starts those of tasks.py
    "features/library_scans/automatic_imports.py",  # a second service: what happens without a person
    "features/library_scans/watching.py",  # a thread that waits for changes, and requests a task
    "features/moving_in/counting.py",  # the decisions about the numbers of a plan
    "features/moving_in/games.py",  # a service of its own: games have metadata and images
    "features/moving_in/reporting.py",  # what all parts of a move report
    "features/moving_in/person.py",  # the plan for the export of one person
    "features/moving_in/played.py",  # a second service: play records need nothing but ids of users and games
    "features/moving_in/save_rules.py",  # the decisions of saved.py
    "features/moving_in/saved.py",  # a third service: saves have a size, an order and files
    "features/moving_in/tokens.py",  # a fourth service: API tokens have secrets and permissions
    "features/moving_in/undoing.py",  # a second service: it shares nothing with moving but what was recorded
    "features/moving_in/versions.py",  # starts imports, without a transaction of its own
    "features/notifications/matters.py",  # looks up what events are about, for the task and the service
    "features/notifications/poller.py",  # reads for all web sockets of a process
    "features/notifications/websocket.py",  # a web socket is no route
    "features/saved_games/receiving.py",  # stores a body while it arrives
    "features/tasks/poller.py",  # reads for all web sockets of a process
    "features/tasks/maintenance.py",  # what is due when: read by the runner's tick, by the service and by the tasks
    "features/tasks/websocket.py",  # a web socket is no route: it has a protocol instead of a request and an answer
    "features/version_import/proposing.py",  # reads programs, for the service and for the plan
}
# What a function imports, and why it is not imported with its module.
_IMPORTED_WHEN_NEEDED = {
    ("fetching/certificates.py", "cryptography.x509"): "only the dashboard of a service with https reads a certificate",
    ("fetching/certificates.py", "ssl"): "as above",
    (
        "db/database.py",
        "playdock.db.postgresql_revisions.PostgresqlRevisions",
    ): "psycopg is needed only with PostgreSQL",
    ("db/database.py", "playdock.db.listening.Listener"): "psycopg is needed only with PostgreSQL",
    ("storage/watches.py", "inotify_simple.INotify"): "only one of several processes watches libraries",
    ("storage/watches.py", "inotify_simple.flags"): "only one of several processes watches libraries",
    ("auth/passwords.py", "bcrypt"): "only hashes that were moved from another server need it",
    ("auth/password_strength.py", "zxcvbn_rs_py.zxcvbn"): "only services that refuse weak passwords rate them",
    ("cli/main.py", "playdock.cli.commands.app"): "garbage collection is paused before anything else is loaded",
    ("cli/main.py", "playdock.cli.failures.message_of"): "the shell completes commands without the database",
    ("cli/commands.py", "playdock.cli.server"): "the shell completes commands without the service",
    ("cli/commands.py", "playdock.cli.people"): "`serve` needs no other command",
    ("cli/commands.py", "playdock.cli.backups"): "`serve` needs no other command",
    ("cli/commands.py", "playdock.cli.moving_in"): "`serve` needs no other command",
    ("cli/commands.py", "playdock.cli.moving_out"): "`serve` needs no other command",
    ("cli/commands.py", "playdock.cli.doctor"): "`serve` needs no other command",
    ("cli/commands.py", "playdock.cli.guided_test"): "`serve` needs no other command",
    ("cli/commands.py", "playdock.web.openapi.document_as_json"): "`serve` needs no other command",
    (
        "cli/server.py",
        "playdock.server.limited_protocol",
    ): "it cannot be loaded where uvicorn's private modules are others",
    ("cli/server.py", "playdock.server.protocol"): "it cannot be loaded where uvicorn's private modules are others",
    ("kit/config_file.py", "tomllib"): "only services with a configuration file read TOML",
    ("kit/environment.py", "difflib"): "only errors suggest names",
    ("web/app.py", "playdock.web.metrics.METRICS_PATH"): "prometheus_client is needed only if there are metrics",
    ("web/app.py", "playdock.web.metrics.Metrics"): "prometheus_client is needed only if there are metrics",
    ("db/migrate.py", "playdock.db.upgrade"): "Alembic is needed only when the database is behind",
    ("db/insertion.py", "sqlalchemy.dialects.postgresql"): "SQLite does not need the dialect of PostgreSQL",
    ("fetching/requests.py", "playdock.fetching.urls"): "the HTTP client is needed only for requests to other servers",
    (
        "fetching/web.py",
        "playdock.fetching.http_client.HttpClient",
    ): "the HTTP client is needed only for requests to other servers",
    ("auth/resolver.py", "playdock.auth.device_signatures"): "cryptography is a fifth of all that is loaded",
    ("features/delivery/service.py", "playdock.features.delivery.chat.ChatSender"): "only sending starts processes",
    ("features/delivery/service.py", "playdock.features.delivery.chat_process.service_of"): "only URLs need apprise",
    ("features/delivery/service.py", "playdock.features.delivery.mailer.Mailer"): "only sending loads the library",
    ("features/delivery/service.py", "playdock.fetching.smtp.Patience"): "as above",
    ("features/delivery/service.py", "playdock.features.delivery.push.PushSender"): "cryptography, as above",
    ("features/delivery/service.py", "playdock.features.delivery.push_encryption"): "cryptography, as above",
    ("features/drop_bridge/depot.py", "playdock.features.drop_bridge.cipher.encrypted"): "cryptography, as above",
    ("features/drop_bridge/sign_in.py", "playdock.features.drop_bridge.certificates"): "cryptography, as above",
    ("identity/provider.py", "playdock.identity.id_tokens"): "cryptography is a fifth of all that is loaded",
    ("kit/secret_key.py", "playdock.kit.encryption"): "cryptography is a fifth of all that is loaded",
    ("metadata/prose.py", "playdock.metadata.markdown"): "only imports of games write Markdown",
    ("metadata/prose.py", "nh3"): "only imports of games clean HTML",
    ("pictures/operations.py", "playdock.pictures.artwork"): "Pillow is needed only for images",
    ("pictures/operations.py", "playdock.pictures.default_avatar"): "Pillow is needed only for images",
    ("pictures/operations.py", "playdock.pictures.placeholders"): "Pillow is needed only for images",
    ("pictures/operations.py", "playdock.pictures.uploads"): "Pillow is needed only for images",
    ("domain/libraries/service.py", "playdock.storage.s3_bucket.S3Bucket"): "only libraries in S3 need its client",
    (
        "web/object_storage.py",
        "playdock.storage.s3_blobs.open_s3_blobs",
    ): "only objects in S3 need its client",
    ("backups/opening.py", "playdock.backups.bucket.open_bucket"): "only backups in S3 need its client",
    ("storage/libarchive_process.py", "libarchive.ffi"): "fails where the system library is missing",
    ("storage/libarchive_process.py", "playdock.storage.udf_image.UdfImage"): "few disc images need pycdlib",
    ("storage/version_resource.py", "pefile"): "only imports of games read Windows programs",
}


def _python_files() -> list[Path]:
    folders = [ROOT / name for name in ("src", "tests", "tools", "bench")]
    return [path for folder in folders for path in folder.rglob("*.py")]


def _length(function: AnyFunction) -> int:
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def test_imports_respect_the_layers() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    checked = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_no_file_is_longer_than_400_lines() -> None:
    assert [path for path in _python_files() if len(path.read_text().splitlines()) > 400] == []


def test_functions_are_short() -> None:
    lengths = [_length(function) for module in modules() for function in functions(module.tree)]
    assert statistics.median(lengths) < 10
    assert statistics.quantiles(lengths, n=10)[-1] < 30


def test_only_listed_imports_are_inside_functions() -> None:
    hidden = {
        (module.place, name)
        for module in modules()
        for function in functions(module.tree)
        for _, name in imported(function)
    }
    assert hidden == set(_IMPORTED_WHEN_NEEDED)


def test_values_and_services_are_structs() -> None:
    """A dataclass takes ten times as long to define. A few need what structs lack, such as ``repr=False``."""
    decorators = [
        ast.unparse(decorator)
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
        for decorator in node.decorator_list
    ]
    assert len([name for name in decorators if name.startswith("dataclass")]) < 10


def test_migrations_import_only_stable_modules() -> None:
    """A migration must do forever what it did when it was released."""
    lasting = {"alembic", "sqlalchemy", *sys.stdlib_module_names}
    files = sorted((PACKAGE / "db/migrations/versions").glob("*.py"))
    strays = [
        f"{path.name} {name}"
        for path in files
        for _, name in imported(ast.parse(path.read_text()))
        if name.partition(".")[0] not in lasting
    ]
    assert files
    assert strays == []


def test_no_module_is_imported_dynamically() -> None:
    loaders = ("import_module", "importlib.import_module", "__import__")
    found = [module.place for module in modules() for call in calls(module.tree) if ast.unparse(call.func) in loaders]
    assert found == []


def test_no_imports_are_only_for_type_checking() -> None:
    names = [module.place for module in modules() for _, name in imported(module.tree) if "TYPE_CHECKING" in name]
    assert names == []


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.place)
def test_every_module_has_a_docstring(module: Module) -> None:
    assert ast.get_docstring(module.tree)


def test_every_folder_is_a_package() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py") if "migrations" not in path.parts}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_feature_init_files_contain_only_a_docstring() -> None:
    assert [module.place for module in named("__init__.py") if len(module.tree.body) != 1] == []


def test_features_use_the_standard_file_names() -> None:
    places = {module.place: module.name for module in modules() if module.place.startswith(("domain/", "features/"))}
    assert {place for place, name in places.items() if name not in _OF_A_FEATURE} == _MORE


def _unlike(name: str, *unwanted: str) -> list[str]:
    """Return where files of one name import what they must not."""
    return [
        f"{module.at(node)} imports {found}"
        for module in named(name)
        for node, found in imported(module.tree)
        if found.startswith(unwanted)
    ]


def test_rules_are_pure() -> None:
    io = ("os.", "pathlib.", "sqlalchemy", "playdock.db", "playdock.models", "playdock.storage", "playdock.tasks")
    assert _unlike("rules.py", *io, "playdock.kit.clock.utc_now") == []


def test_routes_contain_no_statements_or_transactions() -> None:
    assert _unlike("routes.py", "sqlalchemy", "playdock.db", "playdock.auth.queries") == []
    assert [line for line in _unlike("routes.py", "playdock.features") if "queries" in line] == []


def test_services_do_not_depend_on_http() -> None:
    assert _unlike("service.py", "litestar", "http", "playdock.web", "playdock.server.routing") == []


def test_schemas_do_not_depend_on_the_database() -> None:
    assert _unlike("schemas.py", "sqlalchemy", "playdock.db") == []


def test_errors_contain_no_status_codes() -> None:
    named_statuses = [
        module.at(node)
        for module in named("errors.py")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and 400 <= node.value < 600
    ]
    assert named_statuses == []
