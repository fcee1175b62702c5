"""Finds the folder of versions of the program that is running."""

from collections.abc import Mapping
from pathlib import Path

from playdock_client.updating.stub import VERSIONS_VARIABLE
from playdock_client.updating.versions import Versions


def managed_versions(environment: Mapping[str, str]) -> Versions | None:
    """Return the versions that this program is one of; None if it was installed in another way, such as with pipx.

    A stub passes the folder in the environment, which programs that it starts inherit.
    """
    given = environment.get(VERSIONS_VARIABLE)
    if not given or not Path(__file__).resolve().is_relative_to(Path(given).parent):
        return None
    return Versions(Path(given))
