"""Sentences of the service that pages show in their own language.

A `Message` is an English sentence that carries its code and parameters. Wherever a sentence is stored or sent, both go
with it, and a page translates the code; programs and unknown codes get the sentence. All sentences are in
`message_catalogue.py`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from playdock.kit.message_catalogue import TEMPLATES

# The code of several sentences, one after the other.
SEVERAL = "several"


class Message(str):
    """An English sentence with its code and parameters: text, numbers, or sentences."""

    __slots__ = ("code", "parameters")

    code: str
    parameters: Mapping[str, str | int]

    def __new__(cls, code: str, **parameters: str | int) -> Self:
        """Return the sentence that the catalogue has for a code; numbers are grouped."""
        written = {name: f"{each:,}" if isinstance(each, int) else each for name, each in parameters.items()}
        message = super().__new__(cls, TEMPLATES[code].format(**written))
        message.code, message.parameters = code, parameters
        return message

    @classmethod
    def worded(cls, code: str, text: str) -> Self:
        """Return a sentence that is not in the catalogue, such as the detail of a problem, with its code."""
        message = super().__new__(cls, text)
        message.code, message.parameters = code, {}
        return message


class Messages(Message):
    """Several sentences as one text."""

    __slots__ = ("sentences",)

    sentences: tuple[str, ...]

    def __new__(cls, sentences: Iterable[str]) -> Self:
        listed = tuple(sentences)
        message = str.__new__(cls, " ".join(listed))
        message.code, message.parameters, message.sentences = SEVERAL, {}, listed
        return message


def join(sentences: Iterable[str]) -> str:
    """Return sentences as one text that keeps their codes; empty ones are left out."""
    listed = [sentence for sentence in sentences if sentence]
    return listed[0] if len(listed) == 1 else Messages(listed) if listed else ""


def code_of(text: str) -> str | None:
    """Return the code of a sentence; None for text without one."""
    return text.code if isinstance(text, Message) else None


def parameters_of(text: str) -> dict[str, Any]:
    """Return the parameters of a sentence as JSON: numbers, text, and sentences as objects."""
    if isinstance(text, Messages):
        return {"sentences": [_encoded(sentence) for sentence in text.sentences]}
    return {name: _encoded(each) for name, each in text.parameters.items()} if isinstance(text, Message) else {}


def _encoded(parameter: str | int) -> Any:
    if isinstance(parameter, Message):
        return {"text": str(parameter), "code": parameter.code, "parameters": parameters_of(parameter)}
    return parameter
