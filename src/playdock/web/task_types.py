"""The types of tasks that the runner runs, made from the services that they use."""

from collections.abc import Iterable
from datetime import timedelta

from playdock.backups.writing import Backups
from playdock.domain.objects.service import Objects
from playdock.features.bulk_import.tasks import PlanImports, RunImports
from playdock.features.damage.tasks import VerifyContent, VerifyVersion
from playdock.features.editing.tasks import RefreshGame
from playdock.features.game_import.service import GameImports
from playdock.features.game_import.tasks import ImportGame
from playdock.features.libraries.tasks import RemoveLibrary
from playdock.features.library_scans.service import LibraryScans
from playdock.features.library_scans.tasks import ScanLibraries
from playdock.features.patches.tasks import PatchVersion
from playdock.features.reports.service import Reports
from playdock.features.tasks.tasks import (
    BackUp,
    CleanInvitations,
    CleanNotifications,
    CleanObjects,
    CleanSessions,
    CleanStatistics,
    CleanTasks,
    ComputePlaceholders,
    RebuildIndex,
)
from playdock.features.version_import.tasks import ImportNewVersions, ImportVersion, ReimportVersion
from playdock.storage.archives import Archives
from playdock.tasks.registry import TaskHandler


def tasks_of_libraries(
    library_scans: LibraryScans, game_imports: GameImports, archives: Archives
) -> Iterable[TaskHandler]:
    """Return the tasks that read libraries and metadata."""
    version_imports, game_metadata = library_scans.version_imports, library_scans.import_runs.game_metadata
    installations, patches = version_imports.installations, library_scans.editing.patches
    backends = game_imports.backends
    return (
        ImportGame(game_metadata),
        ImportNewVersions(game_imports, version_imports),
        ImportVersion(installations, patches, backends),
        PatchVersion(patches, installations, archives, backends, library_scans.settings.patches_max_bytes),
        ReimportVersion(installations, patches, backends),
        VerifyContent(installations, backends),
        VerifyVersion(installations, backends),
        RefreshGame(game_metadata),
        PlanImports(game_imports.providers, backends),
        RemoveLibrary(game_metadata),
        RunImports(game_metadata, version_imports, library_scans.import_runs),
        ScanLibraries(library_scans),
    )


def tasks_of_maintenance(
    library_scans: LibraryScans, backups: Backups, objects: Objects, reports: Reports
) -> Iterable[TaskHandler]:
    """Return the tasks that run daily or weekly."""
    settings, editing = library_scans.settings, library_scans.editing
    return (
        BackUp(backups),
        CleanInvitations(),
        CleanSessions(timedelta(days=settings.session_idle_days)),
        CleanObjects(objects, editing.installations, editing.patches),
        CleanTasks(),
        CleanNotifications(),
        CleanStatistics(settings, reports),
        ComputePlaceholders(editing.game_metadata.artwork),
        RebuildIndex(),
    )
