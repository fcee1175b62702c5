"""The services of one process, wired once."""

from dataclasses import dataclass

from anyio import CapacityLimiter

from playdock.auth.bearers import Bearers
from playdock.auth.passwords import PasswordLane, Passwords
from playdock.db.database import Database
from playdock.features.accounts.service import Accounts
from playdock.features.downloads.service import Downloads
from playdock.features.game_import.service import GameImports
from playdock.features.game_import.tasks import ImportGame
from playdock.features.installations.service import Installations
from playdock.features.invitations.service import Invitations
from playdock.features.libraries.service import Libraries
from playdock.features.objects.service import Objects
from playdock.features.sessions.service import Sessions
from playdock.features.tasks.maintenance import Schedule
from playdock.features.tasks.service import Tasks
from playdock.features.tasks.tasks import CleanInvitations, CleanObjects, CleanSessions, CleanTasks
from playdock.features.tokens.service import Tokens
from playdock.features.version_import.service import VersionImports
from playdock.features.version_import.tasks import ImportVersion
from playdock.jobs.kinds import Kinds
from playdock.jobs.notifier import Notifier
from playdock.jobs.runner import Runner
from playdock.kit.clock import Clock, utc_now
from playdock.metadata.providers import Manual, Providers
from playdock.settings import Settings
from playdock.storage.blobs import Blobs, LocalBlobs

_DISK_THREADS = 8


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that routes, tasks and commands call."""

    settings: Settings
    db: Database
    blobs: Blobs
    bearers: Bearers
    password_lane: PasswordLane
    disk_threads: CapacityLimiter
    objects: Objects
    accounts: Accounts
    sessions: Sessions
    tokens: Tokens
    invitations: Invitations
    libraries: Libraries
    game_imports: GameImports
    version_imports: VersionImports
    downloads: Downloads
    tasks: Tasks
    runner: Runner


def wire(settings: Settings, *, clock: Clock = utc_now, passwords: Passwords | None = None) -> Services:
    """Make all services; nothing is opened or written yet."""
    db = Database(settings.database)
    blobs = LocalBlobs(settings.objects_dir)
    passwords = passwords or Passwords()
    objects = Objects(db, clock, blobs)
    installations = Installations(blobs)
    providers = Providers([Manual()])
    notifier = Notifier()
    kinds = Kinds(
        [
            ImportGame(providers),
            ImportVersion(installations),
            CleanInvitations(),
            CleanSessions(),
            CleanObjects(objects, installations),
            CleanTasks(),
        ]
    )
    return Services(
        settings=settings,
        db=db,
        blobs=blobs,
        bearers=Bearers(db, clock),
        password_lane=PasswordLane(),
        disk_threads=CapacityLimiter(_DISK_THREADS),
        objects=objects,
        accounts=Accounts(db, clock, passwords, objects),
        sessions=Sessions(db, clock, passwords),
        tokens=Tokens(db, clock),
        invitations=Invitations(db, clock, passwords, objects),
        libraries=Libraries(db, clock),
        game_imports=GameImports(db, clock, providers, notifier.notify),
        version_imports=VersionImports(db, clock, installations, notifier.notify),
        downloads=Downloads(db, installations),
        tasks=Tasks(db, clock, notifier.notify),
        runner=Runner(db, clock, kinds, notifier=notifier, on_tick=Schedule(db, clock).enqueue_due),
    )
