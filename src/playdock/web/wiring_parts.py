"""Parts of the construction of services."""

from contextlib import ExitStack, closing

from msgspec import Struct

from playdock.db.database import Database
from playdock.domain.game_metadata.service import GameMetadataService
from playdock.features.bulk_import.service import ImportPlan, ImportRuns
from playdock.features.damage.service import Damages
from playdock.features.editing.service import Editing
from playdock.features.library_files.changes import FileChanges
from playdock.features.library_files.tasks import ChangeExecutor
from playdock.features.library_scans.automatic_imports import AutomaticImports
from playdock.features.library_scans.service import LibraryScans
from playdock.features.library_scans.watching import LibraryWatcher
from playdock.features.patches.service import Patches
from playdock.features.uploads.service import Uploads
from playdock.features.version_import.service import VersionImports
from playdock.kit.clock import Clock
from playdock.kit.day_files import DayFiles
from playdock.kit.security_log import SecurityLog
from playdock.kit.workers import default_node, new_worker_id
from playdock.nodes.registry import NodeRegistry
from playdock.settings import Settings


class LibraryServices(Struct, frozen=True):
    """The services that read the folders of libraries, and change them."""

    damages: Damages
    import_plan: ImportPlan
    editing: Editing
    scans: LibraryScans
    automatic_imports: AutomaticImports
    uploads: Uploads
    file_changes: FileChanges
    change_executor: ChangeExecutor


def library_services(
    settings: Settings,
    game_metadata: GameMetadataService,
    version_imports: VersionImports,
    import_runs: ImportRuns,
    patches: Patches,
) -> LibraryServices:
    db, clock, backends = version_imports.db, version_imports.clock, version_imports.backends
    installations, notify_runner = version_imports.installations, version_imports.notify_runner
    damages = Damages(db, clock, notify_runner)
    import_plan = ImportPlan(db, clock, backends, notify_runner)
    editing = Editing(db, clock, game_metadata, installations, patches, notify_runner)
    scans = LibraryScans(settings, import_plan, editing)
    changes = FileChanges(db, clock, settings, backends, notify_runner)
    return LibraryServices(
        damages,
        import_plan,
        editing,
        scans,
        AutomaticImports(db, clock, import_plan, import_runs, version_imports, damages),
        Uploads(db, clock, settings, backends, scans.request, notify_runner),
        changes,
        ChangeExecutor(changes, editing, import_plan, installations, scans.request),
    )


def security_log_of(settings: Settings, clock: Clock) -> SecurityLog:
    """Return the security log in the data folder."""
    return SecurityLog(DayFiles(settings.data_dir / "security-log", settings.security_log_days), clock)


def node_registry_of(resources: ExitStack, settings: Settings, db: Database, clock: Clock) -> NodeRegistry:
    """Return the registry of nodes, which removes this process when it is closed with the resources."""
    worker_id = new_worker_id(settings.node or default_node())
    return resources.enter_context(closing(NodeRegistry(db, clock, worker_id)))


def watcher_of(resources: ExitStack, library_scans: LibraryScans, node_registry: NodeRegistry) -> LibraryWatcher:
    """Return the watcher of libraries, which is closed with the resources."""
    return resources.enter_context(closing(LibraryWatcher(library_scans, node_registry.worker_id)))
