"""Sentences that carry their code and parameters, and their translation in the pages."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from playdock.kit.message_catalogue import CHECKS, LOG_LINES, REMARKS, TASK_ERRORS, TASK_NAMES, TEMPLATES
from playdock.kit.messages import SEVERAL, Message, code_of, join, parameters_of

ROOT = Path(__file__).parents[2]
GERMAN: dict[str, Any] = json.loads((ROOT / "web/src/problems/locales/de.json").read_text())
_TITLE_AND_DETAIL = 2
_TITLED = ("TaskFailed", "RetryableFailure")


def placeholders(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", sentence))


@pytest.mark.parametrize("code", TEMPLATES)
def test_every_sentence_has_a_german_text_with_the_same_parameters(code: str) -> None:
    forms = GERMAN["service"][code].split(" | ")
    assert [placeholders(form) for form in forms] == [placeholders(TEMPLATES[code])] * len(forms)


def test_no_other_sentence_has_a_german_text() -> None:
    assert set(GERMAN["service"]) == {*TEMPLATES, SEVERAL}


def test_no_code_is_used_twice() -> None:
    parts = (TASK_NAMES, LOG_LINES, TASK_ERRORS, REMARKS, CHECKS)
    assert sum(len(part) for part in parts) == len(TEMPLATES)


def test_every_code_of_the_catalogue_is_used_and_every_used_code_is_in_it() -> None:
    used = {code for tree in _trees() for code in _strings(tree)}
    calls = {str(each.args[0].value) for tree in _trees() for each in _calls(tree, ("Message",))}
    assert set(TEMPLATES) - used == set()
    assert calls - set(TEMPLATES) == set()


def test_every_title_of_a_failed_task_has_a_german_text() -> None:
    calls = [each for tree in _trees() for each in _calls(tree, (*_TITLED, "__init__"))]
    titles = {str(each.args[0].value) for each in calls if len(each.args) == _TITLE_AND_DETAIL}
    assert len(titles) > 10
    assert {title.lower().replace(" ", "-") for title in titles} - set(GERMAN["titles"]) == set()


def test_a_message_is_its_english_sentence_with_grouped_numbers() -> None:
    message = Message("files-read", files=5269, size=743_006_930)
    assert message == "Read 5,269 files, 743,006,930 bytes."
    assert (code_of(message), parameters_of(message)) == ("files-read", {"files": 5269, "size": 743_006_930})


def test_a_sentence_in_a_sentence_keeps_its_code() -> None:
    message = Message("library-faulty", reason=Message("no-such-folder"))
    inner = {"text": TEMPLATES["no-such-folder"], "code": "no-such-folder", "parameters": {}}
    assert message == f"{TEMPLATES['no-such-folder']} Alternatively, change the library's folder."
    assert parameters_of(message) == {"reason": inner}


def test_braces_in_a_parameter_are_text() -> None:
    assert Message("import-game", game="{x} {0}") == "Import {x} {0}"


def test_joined_sentences_keep_their_codes() -> None:
    one, text = Message("no-answer"), "Plain text."
    assert join(["", one, ""]) is one
    assert join([]) == ""
    both = join([one, text])
    assert both == f"{one} {text}"
    assert (code_of(both), parameters_of(both)["sentences"][1]) == (SEVERAL, text)
    assert parameters_of(both)["sentences"][0]["code"] == "no-answer"


def test_plain_text_has_no_code() -> None:
    assert (code_of("text"), parameters_of("text")) == (None, {})


def test_a_problem_keeps_its_own_sentence() -> None:
    message = Message.worded("storage-unusable", "The {disk} is full.")
    assert (message, message.code, message.parameters) == ("The {disk} is full.", "storage-unusable", {})


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
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in names
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]
