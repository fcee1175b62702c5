"""Late loading: modules that take long to load, or much memory, and are needed by some services and hardly ever."""

from importlib import import_module
from typing import Any


def late(module: str) -> Any:
    """Give a module, loaded at the first call."""
    return import_module(module)
