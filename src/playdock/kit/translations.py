"""Sentences of the service in other languages, for messages that no page shows. Pages translate on their own."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from playdock.kit.messages import SEVERAL, without_gaps

# The way in which the pages' library writes characters that have a meaning in its texts.
_LITERAL = re.compile(r"\{'(.*?)'\}")


def translated(language: str, *, text: str, code: str | None, parameters: Mapping[str, Any]) -> str:
    """Return a sentence with its code and encoded parameters in a language; in English if it is not translated."""
    if code == SEVERAL:
        return " ".join(_sentence(language, each) for each in parameters["sentences"])
    template = _sentences(language).get(code or "")
    if template is None:
        return text
    singular, _, plural = template.partition(" | ")
    form = plural if plural and parameters.get("count", 1) != 1 else singular
    values = {name: _value(language, each) for name, each in parameters.items()}
    try:
        return without_gaps(_LITERAL.sub(r"\1", form), values).format(**values)
    except (KeyError, IndexError, ValueError):
        return text


def _value(language: str, parameter: Any) -> str:
    if isinstance(parameter, dict):
        return _sentence(language, parameter)
    return f"{parameter:,}".replace(",", ".") if isinstance(parameter, int) else str(parameter)


def _sentence(language: str, encoded: Mapping[str, Any]) -> str:
    return translated(language, text=encoded["text"], code=encoded["code"], parameters=encoded["parameters"])


@cache
def _sentences(language: str) -> Mapping[str, str]:
    """Return the texts of the pages' problems by code. The file of a language is a link to that of the pages."""
    file = Path(__file__).with_name(f"{language}.json")
    if not file.exists():
        return {}
    texts = json.loads(file.read_text("utf-8"))
    return {**texts["types"], **texts["service"]}
