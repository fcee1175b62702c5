"""Starting the imports of versions as they were at another server."""

from playdock.features.version_import.errors import NoBaseVersion, VersionAlreadyImported
from playdock.features.version_import.schemas import VersionImportRequest
from playdock.features.version_import.service import VersionImports
from playdock.kit.errors import InvalidInput, PlaydockError
from playdock.other_servers.model import Command, SourceVersion
from playdock.tasks.errors import TaskAlreadyRunning


def begin_import(imports: VersionImports, game_id: str, version: SourceVersion) -> str | None:
    """Start the import of a version with its commands, or with likely ones if its files have none of these.

    Return None if it was started, an empty text if it is or was imported already, and otherwise why it was not.
    """
    try:
        for launch in version.launches or (Command(),):
            if version.platform is not None and _begin(imports, game_id, version, launch):
                return None
        imports.begin_new(game_id, version.name)
    except (VersionAlreadyImported, TaskAlreadyRunning):
        return ""
    except NoBaseVersion:
        return "is a delta: run this again when its base version has been imported."
    except PlaydockError as error:
        return f"is not imported: {error.detail}"
    return None


def _begin(imports: VersionImports, game_id: str, version: SourceVersion, launch: Command) -> bool:
    """Start an import with a command; return False if the command is not a file of the version."""
    assert version.platform is not None
    request = VersionImportRequest(
        id=game_id,
        version=version.name,
        platform=version.platform,
        delta=version.delta,
        only_setup=version.only_setup,
        launch=launch.program,
        launch_args=launch.arguments,
        setup=version.setup.program,
        setup_args=version.setup.arguments,
        compat_id=version.compat_id,
    )
    try:
        imports.begin(request)
    except InvalidInput:
        # Guesses have no base.
        if version.delta:
            raise
        return False
    return True
