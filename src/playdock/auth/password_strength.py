"""The strength of passwords: how many guesses an attacker needs who knows common words, names and patterns.

The pages rate passwords too (`web/src/kit/passwordStrength.ts`). Both refuse the two lowest of the meter's five scores.
"""

import re
from collections.abc import Iterable

# The limit between the scores 1 and 2. Far more guesses than throttling allows, and three unrelated words exceed it.
_MIN_GUESSES_LOG10 = 8
# Further characters cannot make a strong password weaker, and each one costs time.
_MAX_RATED_CHARACTERS = 64
# Shorter parts of an email address, such as "de", are in half of all passwords.
_MIN_KNOWN_CHARACTERS = 3


def is_weak(password: str, *, known: Iterable[str]) -> bool:
    """Return whether a password is easy to guess for someone to whom some texts about its owner are known."""
    from zxcvbn_rs_py import zxcvbn

    rating = zxcvbn(_encodable(password)[:_MAX_RATED_CHARACTERS], [_encodable(word) for word in _words(known)])
    return rating.guesses_log10 < _MIN_GUESSES_LOG10


def _encodable(text: str) -> str:
    """Return a text without surrogates, which JSON can contain and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def _words(texts: Iterable[str]) -> list[str]:
    """Return texts and their parts, such as the name and the host of an email address."""
    parts = (part for text in texts for part in (text, *re.split(r"[\W_]+", text)))
    return [part.lower() for part in parts if len(part) >= _MIN_KNOWN_CHARACTERS]
