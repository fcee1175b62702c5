"""The OpenAPI document: valid, complete, consistent with the types, and reproducible."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from playdock.kit.bodies import RequestBody, ResponseBody
from playdock.kit.examples import example_of
from playdock.pictures.uploads import MAX_PIXELS, MAX_SIDE
from playdock.server.routing import Route
from playdock.web.openapi import document, document_as_json
from playdock.web.problems import Problem
from playdock.web.routes import ROUTES
from world import World

_INTERFACE = [
    ("get", "/api/v1/user"),
    ("get", "/api/v1/admin/users"),
    ("get", "/api/v1/admin/users/{user_id}"),
    ("delete", "/api/v1/admin/users/{user_id}"),
    ("get", "/api/v1/admin/auth"),
    ("get", "/api/v1/admin/auth/invitation"),
    ("post", "/api/v1/admin/auth/invitation"),
    ("delete", "/api/v1/admin/auth/invitation"),
    ("get", "/api/v1/auth/signup/simple"),
    ("post", "/api/v1/auth/signup/simple"),
    ("get", "/api/v1/admin/import/game"),
    ("get", "/api/v1/admin/import/game/search"),
    ("post", "/api/v1/admin/import/game"),
    ("get", "/api/v1/admin/import/version"),
    ("get", "/api/v1/admin/import/version/preload"),
    ("post", "/api/v1/admin/import/version"),
]


@cache
def _document() -> dict[str, Any]:
    described: dict[str, Any] = json.loads(document_as_json())
    return described


def _operations() -> list[dict[str, Any]]:
    return [operation for path in _document()["paths"].values() for operation in path.values()]


def _media(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the contents of an operation's request and responses, with their media types."""
    yield from operation.get("requestBody", {"content": {}})["content"].items()
    for response in operation["responses"].values():
        yield from response.get("content", {}).items()


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from (value for key, value in part.items() if key == "$ref")
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _references(inner)


def _wire_types(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for child in kind.__subclasses__():
        if child.__module__.startswith("playdock."):
            yield child
        yield from _wire_types(child)


_BODIES = sorted(_wire_types(RequestBody), key=lambda kind: kind.__name__)
_ANSWERS = sorted(_wire_types(ResponseBody), key=lambda kind: kind.__name__)


@pytest.mark.parametrize(("method", "path"), _INTERFACE)
def test_every_api_call_is_documented(method: str, path: str) -> None:
    assert method in _document()["paths"][path]


def test_the_document_is_valid_openapi() -> None:
    OPENAPI_31_VALIDATOR.validate(_document())


def test_every_schema_is_valid() -> None:
    for schema in _document()["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema)


def test_operation_ids_are_unique() -> None:
    names = [operation["operationId"] for operation in _operations()]
    assert len(set(names)) == len(names)


def test_every_operation_has_a_summary_and_a_description() -> None:
    assert all(operation["summary"].endswith(".") and operation["description"] for operation in _operations())


def test_all_references_are_resolved() -> None:
    schemas = {f"#/components/schemas/{name}" for name in _document()["components"]["schemas"]}
    assert schemas
    assert set(_references(_document())) <= schemas


def test_path_parameters_are_documented() -> None:
    for path, operations in _document()["paths"].items():
        named = {part.strip("{}") for part in path.split("/") if part.startswith("{")}
        for operation in operations.values():
            assert named == {each["name"] for each in operation["parameters"] if each["in"] == "path"}


def test_every_json_body_has_an_example() -> None:
    shown = [(kind, media) for operation in _operations() for kind, media in _media(operation) if kind.endswith("json")]
    assert [media for kind, media in shown if "example" not in media] == []


@pytest.mark.parametrize("kind", [*_BODIES, *_ANSWERS], ids=lambda kind: kind.__name__)
def test_every_schema_type_has_a_valid_example(kind: type[msgspec.Struct]) -> None:
    msgspec.convert(example_of(kind), kind, strict=True)


@pytest.mark.parametrize("operation", _operations(), ids=lambda operation: operation["operationId"])
def test_examples_match_their_schemas(operation: dict[str, Any]) -> None:
    for kind, media in _media(operation):
        if kind.endswith("json"):
            schema = {**media["schema"], "components": _document()["components"]}
            jsonschema_rs.Draft202012Validator(schema).validate(media["example"])


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.contract.call.__name__)
def test_problems_are_documented_with_their_codes(route: Route) -> None:
    operation = next(iter(next(iter(document([route])["paths"].values())).values()))
    for error in route.contract.errors:
        assert f"`{error.code()}`" in operation["responses"][str(error.status)]["description"]


def test_every_operation_with_a_body_documents_the_size_limit() -> None:
    takers = [operation for operation in _operations() if "requestBody" in operation]
    assert takers
    assert all("`too-large`" in operation["responses"]["413"]["description"] for operation in takers)


def test_every_upload_documents_formats_and_sizes() -> None:
    bodies = [
        body
        for each in _operations()
        if "multipart/form-data" in (body := each.get("requestBody", {})).get("content", {})
    ]
    assert len(bodies) >= 2
    for body in bodies:
        schema = _document()["components"]["schemas"][
            body["content"]["multipart/form-data"]["schema"]["$ref"].split("/")[-1]
        ]
        assert re.search(r"of at most \d+ MiB", body["description"])
        assert re.search(r"PNG, JPEG.*WebP", schema["description"])
        assert f"{MAX_PIXELS // 10**6} million pixels, and {MAX_SIDE:,} on each side" in " ".join(
            schema["description"].split()
        )


def test_every_operation_documents_internal_errors() -> None:
    assert all("`internal-error`" in operation["responses"]["default"]["description"] for operation in _operations())


def test_the_schema_of_problems_matches_the_type() -> None:
    described = _document()["components"]["schemas"]["Problem"]
    assert set(described["required"]) == {
        field.encode_name for field in msgspec.structs.fields(Problem) if field.required
    }


def test_the_served_document_equals_the_printed_one(site: World) -> None:
    served = site.any_user().get("/api/openapi.json")

    assert (served.status_code, served.headers["content-type"]) == (200, "application/json")
    assert served.text == document_as_json()


def test_the_document_is_printed_without_a_database_or_data_folder(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "playdock"
    nowhere = {"DATA_DIR": "/proc/nowhere", "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"}
    printed = subprocess.run([program, "openapi"], cwd=tmp_path, env=nowhere, capture_output=True, check=True)

    assert json.loads(printed.stdout) == _document()
    assert list(tmp_path.iterdir()) == []
