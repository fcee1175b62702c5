"""Valve's KeyValues in text form, as in ``libraryfolders.vdf`` and ``appmanifest_*.acf``. Pure.

Source: the page "KeyValues" of the Valve Developer Community.
"""

import re
from collections.abc import Mapping

Values = Mapping[str, "str | Values"]
_TOKEN = re.compile(r'//[^\n]*|"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}"]+)', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t"}


def read_key_values(text: str) -> Values:
    """Return the values by their keys in lower case; the first of two equal keys counts.

    What is not understood is left out.
    """
    root: dict[str, str | Values] = {}
    # The maps that are open, each inside the one before.
    maps, key = [root], None
    for token in _TOKEN.finditer(text):
        quoted, brace, bare = token.groups()
        if brace == "{":
            inner: dict[str, str | Values] = {}
            if key is not None:
                maps[-1].setdefault(key, inner)
            maps.append(inner)
            key = None
        elif brace == "}":
            if len(maps) > 1:
                maps.pop()
            key = None
        elif (word := bare if quoted is None else _unescaped(quoted)) is None:
            continue
        elif key is None:
            key = word.lower()
        else:
            maps[-1].setdefault(key, word)
            key = None
    return root


def text_of(values: Values, key: str) -> str:
    """Return a text, empty if there is none."""
    found = values.get(key, "")
    return found if isinstance(found, str) else ""


def map_of(values: Values, key: str) -> Values:
    """Return a map, empty if there is none."""
    found = values.get(key, {})
    return {} if isinstance(found, str) else found


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text)
