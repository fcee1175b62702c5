"""The OpenAPI document and the running service: responses to generated requests match the document."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import CheckContext, CheckFunction, Response
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import content_type_conformance, positive_data_acceptance

from databases import SqliteDatabases
from devices import GRANT, ask, device
from games import Release, add_game
from playdock.metadata.game_metadata import GameMetadata, Role
from playdock.web.openapi import document_as_json
from world import Caller, World, running_world

AnyCase = schemathesis.Case[Any]

# A generated body can be too large before anything else is wrong with it: 413.
_REJECTED = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
_GENERATION: dict[str, Any] = {
    "seed": 1,
    "generation": {"deterministic": True, "allow-x00": False},
    # In seconds; a busy machine may take more than the ten of schemathesis.
    "request-timeout": 120,
    "checks": {"negative_data_rejection": {"expected-statuses": _REJECTED}},
}
_DOCUMENT = json.loads(document_as_json())
_OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, operations in _DOCUMENT["paths"].items()
    for method, operation in operations.items()
}
# Their responses do not end.
_STREAMS = {"GET /api/v1/admin/events/stream"}
# Beside the edge cases of every parameter, which are always tried. `make test-all` tries more.
_MAX_EXAMPLES = 25 if settings.get_current_profile_name() == "thorough" else 4
_SETTINGS = settings(
    max_examples=_MAX_EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
# Requests without a credential are rejected before anything else is checked.
_BRIEF_SETTINGS = settings(_SETTINGS, max_examples=3)
_PUBLIC = {name for name, found in _OPERATIONS.items() if not found.get("security")}


# Made-up headers with these names make a request that no HTTP server can read, before any operation is found.
_FRAMING = frozenset({"connection", "content-length", "expect", "host", "te", "transfer-encoding", "upgrade"})
# Requests with rules beyond their schema, so that status 400 is possible for valid requests.
_BEYOND_THE_FORM = {
    "POST /api/v1/admin/auth/invitation": "the expiry lies in the future",
    "POST /api/v1/user/token": "the expiry lies in the future",
    "POST /api/v1/admin/library/sources": "the folder exists",
    "PATCH /api/v1/admin/library/sources": "the folder exists",
    "GET /api/v1/admin/library/folders": "the folder exists",
    "GET /api/v1/admin/library/preview": "the folder exists",
    "PATCH /api/v1/admin/settings": "the settings exist, and their values fit together",
    "POST /api/v1/admin/settings/test": "as above",
    "POST /api/v1/admin/settings/email/test": "as above",
    "PUT /api/v1/notifications/delivery": "quiet hours begin and end, and a chat service is one that is known",
    "PUT /api/v1/notifications/delivery/browser": "the keys are those of a browser",
    "POST /api/v1/notifications/delivery/chat/test": "the chat service is one that is known",
    "POST /api/v1/requests": "the provider is set up",
    "GET /api/v1/requests/picture": "the address is where a provider has its pictures",
    "POST /api/v1/admin/news/{article_id}/image": "there is one file",
    "POST /api/v1/admin/import/game": "the provider is set up",
    "POST /api/v1/admin/import/plan": "the plan has rows to choose",
    "POST /api/v1/admin/import/version": "the commands that are needed depend on the kind of version",
    "POST /api/v1/admin/uploads": "names are those of files on every system, and whole numbers have no point",
    "PATCH /api/v1/admin/uploads/{upload_id}": "the headers are those of tus 1.0",
    "POST /api/v1/user/games/{game_id}/saves": "the checksum is that of the body",
    "POST /api/v1/auth/signup/simple": "the invitation of the body is that of the address",
    "PATCH /api/v1/admin/users/{user_id}": "whole numbers are written without a point",
    "POST /api/v1/user/play-sessions": "no session ends in the future",
    "PATCH /api/v1/user": "the bytes are a picture",
    "POST /api/v1/user/picture": "there is one file",
    "POST /api/v1/admin/server/logo": "there is one file",
    "GET /api/v1/admin/import/picture": "the address is where a provider has its pictures",
    "GET /api/v1/admin/games": "the cursor is one that a page gave",
    "GET /api/v1/store": "the cursor is one that a page gave",
    "HEAD /api/v1/store": "the cursor is one that a page gave",
    "GET /api/v1/feeds/library": "the cursor is one that a page gave",
    "HEAD /api/v1/feeds/library": "the cursor is one that a page gave",
    "PATCH /api/v1/admin/game/{game_id}": "the pictures are the game's",
    "PATCH /api/v1/admin/version/{version_id}": "the commands are files of the version",
    "POST /api/v1/admin/game/{game_id}/refresh": "the provider is set up",
    "POST /api/v1/admin/game/image": "the bytes are pictures",
    "POST /api/v1/versions/{version_id}/links": "a file has a path and nothing else, and the expiry lies ahead",
    "GET /api/v1/versions/{version_id}/content": "chunks begin and end where they are wanted",
    "POST /oauth/token": "nobody has let the device in",
}


# The checks that some operations cannot pass here.
_CHECKS_LEFT_OUT: dict[str, list[CheckFunction]] = {
    # There is no mail server: 502.
    "POST /api/v1/notifications/delivery/verification": [not_a_server_error],
    "POST /api/v1/admin/settings/email/test": [not_a_server_error],
    # The redirect is followed to a page.
    "GET /api/v1/notifications/unsubscribe": [content_type_conformance],
}


def _left_out(case: AnyCase) -> list[CheckFunction]:
    name = case.operation.label
    return _CHECKS_LEFT_OUT.get(name, []) + ([positive_data_acceptance] if name in _BEYOND_THE_FORM else [])


def _is_named(_context: CheckContext, response: Response, case: AnyCase) -> None:
    """Check that the status is listed explicitly, since the default response would allow all."""
    other_method = case.method.lower() != case.operation.method.lower()
    assert other_method or str(response.status_code) in case.operation.definition.raw["responses"], response.status_code


@dataclass(frozen=True, slots=True)
class Stage:
    """A service with one of each resource."""

    world: World
    library: str
    game: str
    version: str
    company: str
    tag: str

    def own_game(self) -> str:
        """Create a game that an operation may delete."""
        facts = GameMetadata(f"Game {len(self.world.clients)}")
        return add_game(self.world, facts, versions=[Release()], pictures=[Role.COVER])

    def in_paths(self, admin: Caller, game: str) -> dict[str, str]:
        """Return real ids by parameter name. Resources that an operation may delete are created for it."""
        number = len(self.world.clients)
        a_user = self.world.person(f"guest{number}").user
        return {
            "user_id": a_user["id"],
            "object_id": a_user["profilePictureObjectId"],
            "game_id": game,
            "version_id": self.version,
            "company_id": admin.post("/api/v1/admin/company", {"name": f"Company {number}"}).json()["id"],
            "tag_id": admin.post("/api/v1/admin/tags", {"kind": "genre", "name": f"Genre {number}"}).json()["id"],
            "task_id": admin.get("/api/v1/admin/task").json()["historicalTasks"][0]["id"],
            "session_id": admin.get("/api/v1/user/session").json()[-1]["id"],
            "device_id": self.device(admin),
            "link_id": admin.post(f"/api/v1/versions/{self.version}/links", {"kind": "content"}).json()["id"],
            "token_id": admin.post("/api/v1/user/token", {"name": "any", "acls": ["user:read"]}).json()["id"],
        }

    def device(self, owner: Caller) -> str:
        """Authorize a device and return its id."""
        device(self.world, owner)
        return str(owner.get("/api/v1/user/client").json()[0]["id"])

    def elsewhere(self, admin: Caller, own_game: str) -> dict[str, dict[str, str]]:
        """Return what queries, bodies and, other than for the rest, paths name, by operation."""
        shown = admin.get(f"/api/v1/admin/game/{own_game}").json()
        picture, own_version = shown["cover"], shown["versions"][0]["id"]
        game, library = {"id": self.game, "version": "1.1"}, {"id": self.library}
        program, codes = {"client_id": "playdock-client"}, ask(self.world)
        waiting = {"userCode": codes["user_code"]}
        return {
            "GET /api/v1/admin/import/version": game,
            "GET /api/v1/admin/import/version/preload": game,
            "POST /api/v1/admin/import/version": {**game, "launch": "doom"},
            "POST /api/v1/admin/import/game": {"library": self.library, "path": "Quake"},
            "PATCH /api/v1/admin/library/sources": library,
            "DELETE /api/v1/admin/library/sources": library,
            "POST /oauth/device_authorization": program,
            "POST /oauth/token": {**program, "grant_type": GRANT, "device_code": codes["device_code"]},
            "GET /api/v1/user/client/request": waiting,
            "POST /api/v1/user/client/request": waiting,
            "GET /api/v1/auth/signup/simple": {"id": self.world.invitation()},
            "POST /api/v1/admin/company/{company_id}/merge": {"into": self.company},
            "POST /api/v1/admin/tags/{tag_id}/merge": {"into": self.tag},
            "DELETE /api/v1/admin/auth/invitation": {"id": self.world.invitation()},
            "POST /api/v1/admin/game/image": {"id": own_game},
            "DELETE /api/v1/admin/game/image": {"gameId": own_game, "imageId": picture},
            "PATCH /api/v1/admin/version/{version_id}": {"launch": "doom"},
            "DELETE /api/v1/admin/version/{version_id}": {"version_id": own_version},
        }


@dataclass(frozen=True, slots=True)
class Visit:
    """The test of one operation."""

    address: str
    admin: Caller
    in_paths: dict[str, str]
    elsewhere: dict[str, dict[str, str]]

    def lead_somewhere(self, case: AnyCase) -> None:
        """Insert real ids into a generated request, so that not every response is 404."""
        _name(case.path_parameters, self.in_paths)
        for part in (case.path_parameters, case.query, case.body):
            _name(part, self.elsewhere.get(case.operation.label, {}))


def _name(part: Any, real: dict[str, str]) -> None:
    if isinstance(part, dict):
        part.update({name: value for name, value in real.items() if name in part})


class Operations:
    """The operations of the document, all of one schema: a schema for each would use 8 MB."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.schema: BaseSchema = schemathesis.openapi.from_dict(_DOCUMENT, config=SchemathesisConfig.from_dict(config))
        found = (each.ok() for each in self.schema.get_all_operations() if isinstance(each, Ok))
        self.by_name = {operation.label: operation for operation in found}


@pytest.fixture(scope="session")
def operations() -> Operations:
    return Operations(_GENERATION)


@pytest.fixture(scope="session")
def brief_operations() -> Operations:
    """The same, without the edge cases of every parameter: where nobody is told apart before they are read."""
    return Operations({**_GENERATION, "phases": {"coverage": {"enabled": False}}})


@pytest.fixture(scope="session")
def stage(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("stage")
    url = sqlite_databases.fresh(folder / "data")
    # Tests send nothing to the internet.
    with running_world(folder, database_url=url, chat_delivery="off") as world:
        keeper = world.admin("keeper")
        world.put("Doom/1.0/doom", mode=0o755)
        world.put("Doom/1.1/doom", mode=0o755)
        world.put("Quake/1/quake", mode=0o755)
        library = world.library(keeper)
        game = world.import_game(keeper, library, "Doom")
        world.import_version(keeper, game, "1.0", launch="doom")
        version = keeper.get(f"/api/v1/games/{game}/versions").json()[0]["id"]
        company = keeper.post("/api/v1/admin/company", {"name": "Valve"}).json()["id"]
        tag = keeper.post("/api/v1/admin/tags", {"kind": "genre", "name": "Shooter"}).json()["id"]
        yield Stage(world, library["id"], game, version, company, tag)


@pytest.fixture
def visit(stage: Stage) -> Iterator[Visit]:
    earlier = len(stage.world.clients)
    stage.world.clock.advance(minutes=15)  # so that the wrong passwords and waiting devices of others are forgotten
    admin = stage.world.admin(f"keeper{len(stage.world.clients)}")
    game = stage.own_game()
    yield Visit(stage.world.address, admin, stage.in_paths(admin, game), stage.elsewhere(admin, game))
    # There are hundreds of operations, and each has clients of its own.
    for client in stage.world.clients[earlier:]:
        client.close()


def _check(operations: Operations, name: str, call: Callable[[AnyCase], None], *, examples: settings) -> None:
    """Make up requests for an operation and check each.

    The plugin's own way makes up all of them while tests are collected, which takes every process ten seconds.
    """

    def call_as_sent(case: AnyCase) -> None:
        for header in _FRAMING.intersection(name.lower() for name in case.headers or ()):
            del case.headers[header]
        call(case)

    load_all_checks()
    feedback = FeedbackSources(constants_value_source=make_constants_value_source(operations.schema))
    build_operation_test(
        config=operations.schema.config,
        operation=operations.by_name[name],
        test_func=call_as_sent,
        given_kwargs={},
        feedback=feedback,
        explicit_settings=examples,
    )()


@pytest.mark.parametrize("operation", [name for name in _OPERATIONS if name not in _STREAMS])
def test_responses_to_admins_match_the_document(operation: str, operations: Operations, visit: Visit) -> None:
    def call(case: AnyCase) -> None:
        assert case.meta is not None
        if case.meta.generation.mode.is_positive:
            visit.lead_somewhere(case)
        headers = {"Authorization": f"Bearer {visit.admin.token}"}
        case.call_and_validate(
            base_url=visit.address, headers=headers, additional_checks=[_is_named], excluded_checks=_left_out(case)
        )

    _check(operations, operation, call, examples=_SETTINGS)


@pytest.mark.parametrize("operation", _OPERATIONS)
def test_responses_to_anonymous_requests_match_the_document(
    operation: str, operations: Operations, brief_operations: Operations, stage: Stage
) -> None:
    def call(case: AnyCase) -> None:
        case.call_and_validate(
            base_url=stage.world.address, additional_checks=[_is_named], excluded_checks=_left_out(case)
        )

    if operation in _PUBLIC:
        _check(operations, operation, call, examples=_SETTINGS)
    else:
        _check(brief_operations, operation, call, examples=_BRIEF_SETTINGS)
