"""Pure decisions about what libraries contain."""

import re
from collections.abc import Iterable
from fnmatch import translate

from playdock.stored import LibraryRules


def not_ignored(names: Iterable[str], rules: LibraryRules) -> list[str]:
    """Return the names of folders and archives that match no ignore pattern, ignoring case."""
    if not rules.ignore:
        return list(names)
    ignored = re.compile("|".join(map(translate, rules.ignore)), re.IGNORECASE)
    return [name for name in names if not ignored.match(name)]
