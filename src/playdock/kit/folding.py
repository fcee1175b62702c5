"""Folding: the exact normal form of a name, by which two spellings of it are the same."""

import unicodedata


def fold(text: str) -> str:
    """Give a name without case and with plain blanks; signs, accents and words stay: nothing is merged by likeness."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())
