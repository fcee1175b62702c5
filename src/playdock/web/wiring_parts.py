"""Parts of the construction of services."""

from contextlib import ExitStack, closing

from playdock.domain.game_metadata.service import GameMetadataService
from playdock.features.bulk_import.service import ImportPlan, ImportRuns
from playdock.features.damage.service import Damages
from playdock.features.editing.service import Editing
from playdock.features.library_scans.service import LibraryScans
from playdock.features.library_scans.watching import LibraryWatcher
from playdock.features.patches.service import Patches
from playdock.features.version_import.service import VersionImports
from playdock.kit.clock import Clock
from playdock.kit.day_files import DayFiles
from playdock.kit.security_log import SecurityLog
from playdock.nodes.registry import NodeRegistry
from playdock.settings import Settings


def library_scans_of(
    settings: Settings,
    game_metadata: GameMetadataService,
    version_imports: VersionImports,
    import_runs: ImportRuns,
    patches: Patches,
) -> LibraryScans:
    """Return the service of scans, with those that it uses and that routes use too."""
    db, clock, notify_runner = version_imports.db, version_imports.clock, version_imports.notify_runner
    damages = Damages(db, clock, notify_runner)
    import_plan = ImportPlan(db, clock, version_imports.backends, notify_runner)
    editing = Editing(db, clock, game_metadata, version_imports.installations, patches, notify_runner)
    return LibraryScans(settings, import_plan, import_runs, version_imports, damages, editing)


def security_log_of(settings: Settings, clock: Clock) -> SecurityLog:
    """Return the security log in the data folder."""
    return SecurityLog(DayFiles(settings.data_dir / "security-log", settings.security_log_days), clock)


def watcher_of(resources: ExitStack, library_scans: LibraryScans, node_registry: NodeRegistry) -> LibraryWatcher:
    """Return the watcher of libraries, which is closed with the resources."""
    return resources.enter_context(closing(LibraryWatcher(library_scans, node_registry.worker_id)))
