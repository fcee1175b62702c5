"""Sentences in other languages, outside of the pages."""

import pytest

from playdock.kit.message_catalogue import TEMPLATES
from playdock.kit.messages import Message, join, parameters_of
from playdock.kit.translations import translated


def german(message: Message) -> str:
    return translated("de", text=message, code=message.code, parameters=parameters_of(message))


@pytest.mark.parametrize("code", TEMPLATES)
def test_every_sentence_is_translated_with_its_parameters(code: str) -> None:
    parameters = {name: f"<{name}>" for name in ("answer", "game", "server", "name", "reason")}
    sentence = translated("de", text="?", code=code, parameters=parameters | dict.fromkeys(_names(code), "x"))
    assert sentence != "?"
    assert "{" not in sentence


def _names(code: str) -> list[str]:
    return [part.partition("}")[0] for part in TEMPLATES[code].split("{")[1:]]


def test_parameters_are_translated_and_numbers_are_grouped_as_in_german() -> None:
    failed = Message("task-has-failed", task=Message("import-games", count=1234))
    assert german(failed) == "Fehlgeschlagen: 1.234 Spiele importieren"
    both = join([Message("for-platform", platform="Linux"), Message("names", names="Doom {0}")])
    assert both is not None
    assert german(both) == "Für Linux. Doom {0}"


def test_what_is_not_translated_is_in_english() -> None:
    assert translated("de", text="New", code="unknown-code", parameters={}) == "New"
    assert translated("en", text="New", code="names", parameters={"names": "x"}) == "New"
    assert translated("de", text="New", code="names", parameters={}) == "New"


def test_a_sentence_without_a_name_has_no_gap() -> None:
    told = Message("import-version", game="Doom", version="")
    shown = translated("de", text=str(told), code=told.code, parameters=parameters_of(told))
    assert "  " not in shown
    assert "Doom" in shown
