"""Sentences of the service that pages show in their own language.

A `Message` is an English sentence that carries its code and parameters. Wherever a sentence is stored or sent, both go
with it, and a page translates the code; programs and unknown codes get the sentence. All sentences are in
`message_catalogue.py`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Self, TypeAlias

from playdock.kit.message_catalogue import TEMPLATES

# The code of several sentences, one after the other.
SEVERAL = "several"
# Text that is the same in every language, such as a name; a number; or a sentence.
Parameter: TypeAlias = str | int


class Message(str):
    """An English sentence with its code and parameters: text, numbers, or sentences."""

    __slots__ = ("code", "parameters")

    code: str
    parameters: Mapping[str, Parameter]

    def __new__(cls, code: str, **parameters: Parameter) -> Self:
        """Return the sentence that the catalogue has for a code; numbers are grouped. No gap is left for empty text."""
        written = {name: f"{each:,}" if isinstance(each, int) else each for name, each in parameters.items()}
        template = without_gaps(_template(code, count=parameters.get("count")), written)
        message = super().__new__(cls, template.format(**written))
        message.code, message.parameters = code, parameters
        return message

    @classmethod
    def worded(cls, code: str, text: str, parameters: Mapping[str, Parameter] | None = None) -> Self:
        """Return a sentence that is not in the catalogue, such as the detail of a problem, with its code."""
        message = super().__new__(cls, text)
        message.code, message.parameters = code, parameters or {}
        return message


class Messages(Message):
    """Several sentences as one text."""

    __slots__ = ("sentences",)

    sentences: tuple[Message, ...]

    def __new__(cls, sentences: Iterable[Message]) -> Self:
        listed = tuple(sentences)
        message = str.__new__(cls, " ".join(listed))
        message.code, message.parameters, message.sentences = SEVERAL, {}, listed
        return message


def without_gaps(template: str, values: Mapping[str, str]) -> str:
    """Return a template without the placeholders of empty values, and a space beside each."""
    for name in (name for name, value in values.items() if value == ""):
        template = template.replace(f" {{{name}}}", "").replace(f"{{{name}}} ", "")
    return template


def join(sentences: Iterable[Message]) -> Message | None:
    """Return sentences as one that keeps their codes; None without any."""
    listed = list(sentences)
    return listed[0] if len(listed) == 1 else Messages(listed) if listed else None


def code_of(message: Message | None) -> str | None:
    return message.code if message is not None else None


def parameters_of(message: Message | None) -> dict[str, Any]:
    """Return the parameters of a sentence as JSON: numbers, text, and sentences as objects."""
    if isinstance(message, Messages):
        return {"sentences": [_encoded(sentence) for sentence in message.sentences]}
    return encoded(message.parameters) if message is not None else {}


def encoded(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return parameters as JSON: numbers, text, and sentences as objects."""
    return {name: _encoded(each) for name, each in parameters.items()}


def _template(code: str, *, count: Parameter | None) -> str:
    """Return the English sentence of a code; of the two forms of some, the one for the count."""
    singular, _, plural = TEMPLATES[code].partition(" | ")
    return plural if plural and count != 1 else singular


def _encoded(parameter: Parameter) -> Any:
    if isinstance(parameter, Message):
        return {"text": str(parameter), "code": parameter.code, "parameters": parameters_of(parameter)}
    return parameter
