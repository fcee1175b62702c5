"""Attributes of uvicorn that are not part of its public API, although the protocols use them."""

from collections.abc import Mapping
from typing import Any, TypeAlias

UsedAttributes: TypeAlias = Mapping[Any, tuple[str, ...]]


def find_missing(used: UsedAttributes, used_of_instances: UsedAttributes) -> list[str]:
    """Return the attributes of classes, and those set by constructors, that the installed uvicorn does not have."""
    missing = [
        f"{owner.__name__}.{name}" for owner, names in used.items() for name in names if not hasattr(owner, name)
    ]
    # The attributes that a constructor sets are among the names of its code.
    missing += [
        f"{owner.__name__}.{name}"
        for owner, names in used_of_instances.items()
        for name in names
        if name not in owner.__init__.__code__.co_names
    ]
    return missing
