"""Sentences that carry their code and parameters, and their translation in the pages."""

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

import pytest

from playdock.content.damage import FileProblem
from playdock.kit.field_messages import FIELD_RULES
from playdock.kit.message_catalogue import EARLIER, PARTS, TEMPLATES
from playdock.kit.messages import SEVERAL, Message, code_of, join, parameters_of
from playdock.metadata.game_metadata import Role

ROOT = Path(__file__).parents[2]
GERMAN: dict[str, Any] = json.loads((ROOT / "web/src/problems/locales/de.json").read_text())
_TITLE_AND_DETAIL = 2
_TITLED = ("TaskFailed", "RetryableFailure")
# These take a code with its parameters, to which they add the name of the server.
_OF_SERVERS = ("Unreachable", "FetchTimeout", "ResponseTooLarge", "RedirectRefused")
# The starts of codes that are followed by the value of an enumeration.
_COMPOSED = ("role-", "damage-", "rule-")


def placeholders(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", sentence))


@pytest.mark.parametrize("code", TEMPLATES)
def test_every_message_has_a_german_translation_with_the_same_parameters(code: str) -> None:
    forms, english = GERMAN["service"][code].split(" | "), TEMPLATES[code].split(" | ")
    assert {frozenset(placeholders(form)) for form in [*forms, *english]} == {frozenset(placeholders(english[0]))}


def test_there_are_no_german_translations_without_a_message() -> None:
    assert set(GERMAN["service"]) == {*TEMPLATES, SEVERAL}


def test_message_codes_are_unique() -> None:
    assert sum(len(part) for part in PARTS) == len(TEMPLATES)


def test_every_message_code_is_both_defined_and_used() -> None:
    used = {code for tree in _trees() for code in _strings(tree)}
    calls = {str(each.args[0].value) for tree in _trees() for each in _calls(tree, ("Message", *_OF_SERVERS))}
    assert {code for code in TEMPLATES if not code.startswith(_COMPOSED)} - used == set(EARLIER)
    assert calls - set(TEMPLATES) == set()


def test_every_message_is_given_the_parameters_of_its_template() -> None:
    for tree in _trees():
        for call in _calls(tree, ("Message", *_OF_SERVERS)):
            added = set() if _name(call) == "Message" else {"server"}
            given = {keyword.arg for keyword in call.keywords}
            assert given | added == placeholders(TEMPLATES[call.args[0].value]), call.args[0].value


@pytest.mark.parametrize("role", Role)
def test_every_image_role_has_a_name(role: Role) -> None:
    assert f"role-{role}" in TEMPLATES


@pytest.mark.parametrize("problem", FileProblem)
def test_every_kind_of_damage_has_a_name(problem: FileProblem) -> None:
    assert f"damage-{problem}" in TEMPLATES


@pytest.mark.parametrize("rule", FIELD_RULES.values())
def test_every_field_rule_is_the_description_of_a_field(rule: str) -> None:
    described = {text for tree in _trees() for text in _strings(tree)}
    assert rule in described


def test_every_title_of_a_failed_task_has_a_german_translation() -> None:
    calls = [each for tree in _trees() for each in _calls(tree, (*_TITLED, "__init__"))]
    titles = {str(each.args[0].value) for each in calls if len(each.args) == _TITLE_AND_DETAIL}
    assert len(titles) > 10
    assert {title.lower().replace(" ", "-") for title in titles} - set(GERMAN["titles"]) == set()


def test_every_error_has_the_parameters_of_its_german_translation() -> None:
    errors = {_code(each): _parameters(each) for tree in _trees() for each in ast.walk(tree) if _is_error(each)}
    assert sum(map(bool, errors.values())) > 5
    # A page computes the waiting time from Retry-After.
    needed = {code: placeholders(text) - {"wait"} for code, text in GERMAN["types"].items()}
    assert {code: names for code, names in errors.items() if names and names != needed[code]} == {}
    assert {code for code, names in needed.items() if names and not errors[code]} == set()


def test_a_message_is_formatted_in_english_with_grouped_digits() -> None:
    message = Message("files-read", files=5269, size=743_006_930)
    assert message == "Files read: 5,269 (743,006,930 bytes)."
    assert (code_of(message), parameters_of(message)) == ("files-read", {"files": 5269, "size": 743_006_930})


def test_a_nested_message_keeps_its_code() -> None:
    message = Message("library-faulty", reason=Message("no-such-folder"))
    inner = {"text": TEMPLATES["no-such-folder"], "code": "no-such-folder", "parameters": {}}
    assert message == f"{TEMPLATES['no-such-folder']} Alternatively, change the path of the game folder."
    assert parameters_of(message) == {"reason": inner}


def test_braces_in_a_parameter_are_not_interpreted() -> None:
    assert Message("import-game", game="{x} {0}") == "Import {x} {0}"


def test_joined_messages_keep_their_codes() -> None:
    one, other = Message("no-answer"), Message("files-read", files=1, size=2)
    assert join([one]) is one
    assert join([]) is None
    both = join([one, other])
    assert both == f"{one} {other}"
    assert code_of(both) == SEVERAL
    assert [each["code"] for each in parameters_of(both)["sentences"]] == ["no-answer", "files-read"]


def test_none_has_no_code_and_no_parameters() -> None:
    assert (code_of(None), parameters_of(None)) == (None, {})


def test_a_count_of_one_uses_the_singular_form() -> None:
    deleted = [Message("objects-deleted", count=count) for count in (0, 1, 2)]
    assert deleted == ["Deleted 0 objects.", "Deleted 1 object.", "Deleted 2 objects."]


def test_a_message_can_have_its_own_text() -> None:
    message = Message.worded("storage-unusable", "The {disk} is full.")
    assert (message, message.code, message.parameters) == ("The {disk} is full.", "storage-unusable", {})


@cache
def _trees() -> list[ast.Module]:
    files = (ROOT / "src/playdock").rglob("*.py")
    return [ast.parse(path.read_text()) for path in files if path.name != "message_catalogue.py"]


def _strings(tree: ast.AST) -> list[str]:
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _calls(tree: ast.AST, names: tuple[str, ...]) -> list[Any]:
    """Return calls of functions or methods with these names whose first argument is text."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _name(node) in names
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]


def _name(call: ast.Call) -> str:
    name: str = getattr(call.func, "id", getattr(call.func, "attr", ""))
    return name


def test_a_sentence_without_a_name_has_no_gap() -> None:
    assert str(Message("import-version", game="Doom  II", version="")) == "Import Doom  II"
    assert str(Message("files-move-version", game="Doom", version="", other="Quake")) == "Move Doom to Quake"


def _is_error(node: ast.AST) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef) and bool(node.bases)


def _code(error: ast.ClassDef) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", error.name).lower()


def _parameters(error: ast.ClassDef) -> set[str]:
    """Return the names of the parameters that an error passes to its base."""
    keywords = [each for each in ast.walk(error) if isinstance(each, ast.keyword) and each.arg == "parameters"]
    dicts = [each.value for each in keywords if isinstance(each.value, ast.Dict)]
    return {str(key.value) for each in dicts for key in each.keys if isinstance(key, ast.Constant)}
