"""The services of one process, wired once."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from anyio import CapacityLimiter

from playdock.auth.bearers import Bearers
from playdock.auth.passwords import PasswordLane, Passwords
from playdock.db.database import Database
from playdock.db.remembering import Remembered
from playdock.features.accounts.service import Accounts
from playdock.features.artwork.service import Artwork, Previews
from playdock.features.catalogue.service import Catalogue
from playdock.features.collections.service import Collections
from playdock.features.companies.service import Companies
from playdock.features.damage.service import Damages
from playdock.features.damage.tasks import VerifyContent, VerifyVersion
from playdock.features.devices.service import Devices
from playdock.features.downloads.service import Downloads
from playdock.features.editing.service import Editing
from playdock.features.editing.tasks import RefreshGame
from playdock.features.game_import.service import GameImports
from playdock.features.game_import.tasks import ImportGame
from playdock.features.import_plan.service import ImportPlan
from playdock.features.import_plan.tasks import PlanImports
from playdock.features.import_run.service import ImportRuns
from playdock.features.import_run.tasks import CarryOutRun
from playdock.features.installations.service import Installations
from playdock.features.invitations.service import Invitations
from playdock.features.libraries.service import Libraries
from playdock.features.links.service import LinkBooks, Links
from playdock.features.mechanisms.service import Mechanisms
from playdock.features.moved_games.service import MovedGames
from playdock.features.objects.service import Objects
from playdock.features.openid.service import OpenId
from playdock.features.patches.service import Patches
from playdock.features.patches.tasks import PatchVersion
from playdock.features.reimport.service import Reimports
from playdock.features.reimport.tasks import ReimportVersion
from playdock.features.sessions.service import Sessions
from playdock.features.statistics.service import Statistics, TransferBooks
from playdock.features.stock.service import Stock, Tables
from playdock.features.store.service import Store
from playdock.features.tags.service import Tags
from playdock.features.tasks.maintenance import Schedule
from playdock.features.tasks.service import Tasks
from playdock.features.tasks.tasks import (
    CleanInvitations,
    CleanObjects,
    CleanSessions,
    CleanStatistics,
    CleanTasks,
    TintPictures,
)
from playdock.features.tokens.service import Tokens
from playdock.features.traffic.service import Traffic
from playdock.features.version_import.service import VersionImports
from playdock.features.version_import.tasks import ImportVersion
from playdock.fetching.web import Web
from playdock.identity.provider import Provider
from playdock.jobs.kinds import Kinds
from playdock.jobs.notifier import Notifier
from playdock.jobs.runner import Runner
from playdock.kit.clock import Clock, utc_now
from playdock.metadata.ledger import Ledger
from playdock.metadata.providers import Providers
from playdock.metadata.registry import set_up
from playdock.sending.threads import SendingThreads
from playdock.settings import Settings
from playdock.storage.archives import Archives
from playdock.storage.blobs import Blobs, LocalBlobs
from playdock.storage.front import Front

_DISK_THREADS = 8
_PROVIDER_THREADS = 8
_PREVIEW_THREADS = 4


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that routes, tasks and commands call."""

    settings: Settings
    db: Database
    blobs: Blobs
    web: Web
    bearers: Bearers
    password_lane: PasswordLane
    disk_threads: CapacityLimiter
    provider_threads: CapacityLimiter
    preview_threads: CapacityLimiter
    sending_threads: SendingThreads
    unpacking: SendingThreads
    compressing: ThreadPoolExecutor
    provider: Provider
    objects: Objects
    previews: Previews
    accounts: Accounts
    sessions: Sessions
    openid: OpenId
    tokens: Tokens
    devices: Devices
    links: Links
    link_books: LinkBooks
    transfer_books: TransferBooks
    traffic: Traffic
    invitations: Invitations
    mechanisms: Mechanisms
    libraries: Libraries
    companies: Companies
    tags: Tags
    editing: Editing
    game_imports: GameImports
    version_imports: VersionImports
    reimports: Reimports
    moved_games: MovedGames
    damages: Damages
    patches: Patches
    import_plan: ImportPlan
    import_runs: ImportRuns
    downloads: Downloads
    store: Store
    collections: Collections
    statistics: Statistics
    tasks: Tasks
    runner: Runner


def wire(
    settings: Settings,
    *,
    clock: Clock = utc_now,
    passwords: Passwords | None = None,
    providers: Providers | None = None,
    processes: int = 1,
) -> Services:
    """Make all services of one of so many processes; nothing is opened or written yet."""
    db = Database(settings.database)
    blobs = LocalBlobs(settings.objects_dir)
    passwords = passwords or Passwords()
    objects = Objects(db, clock, blobs)
    installations = Installations(blobs)
    sending_threads, unpacking = SendingThreads(), SendingThreads()
    compressing = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="compressing")
    stock = Stock(db, Tables(installations), Remembered(db))
    archives = Archives(settings.data_dir / "cache" / "unpacked", settings.unpacked_max_bytes)
    links = Links(db, clock, settings)
    link_books = LinkBooks(links)
    transfer_books = TransferBooks(db, clock)
    traffic = Traffic(settings, link_books, transfer_books, processes=processes)
    web = Web()
    provider = Provider(settings, web, clock)
    sessions = Sessions(db, clock, passwords, settings)
    providers = providers or set_up(settings, web=web, ledger=Ledger(db, clock))
    artwork = Artwork(objects, clock)
    catalogue = Catalogue(clock, providers, artwork)
    notifier = Notifier()
    version_imports = VersionImports(db, clock, installations, notifier.notify)
    game_imports = GameImports(db, clock, providers, notifier.notify)
    damages = Damages(db, clock, notifier.notify)
    patches = Patches(db, clock, blobs, notifier.notify)
    kinds = Kinds(
        [
            ImportGame(catalogue),
            ImportVersion(installations, patches),
            PatchVersion(patches, installations, archives, settings.patches_max_bytes),
            ReimportVersion(installations, patches),
            VerifyContent(installations),
            VerifyVersion(installations),
            RefreshGame(catalogue),
            PlanImports(providers),
            CarryOutRun(catalogue, version_imports),
            CleanInvitations(),
            CleanSessions(),
            CleanObjects(objects, installations, patches),
            CleanTasks(),
            CleanStatistics(),
            TintPictures(artwork),
        ]
    )
    return Services(
        settings=settings,
        db=db,
        blobs=blobs,
        web=web,
        bearers=Bearers(db, clock),
        password_lane=PasswordLane(),
        disk_threads=CapacityLimiter(_DISK_THREADS),
        provider_threads=CapacityLimiter(_PROVIDER_THREADS),
        preview_threads=CapacityLimiter(_PREVIEW_THREADS),
        sending_threads=sending_threads,
        unpacking=unpacking,
        compressing=compressing,
        provider=provider,
        objects=objects,
        previews=Previews(providers),
        accounts=Accounts(db, clock, passwords, objects),
        sessions=sessions,
        openid=OpenId(db, clock, settings, provider, sessions, objects),
        tokens=Tokens(db, clock),
        devices=Devices(db, clock, settings),
        links=links,
        link_books=link_books,
        transfer_books=transfer_books,
        traffic=traffic,
        invitations=Invitations(db, clock, passwords, objects, settings),
        mechanisms=Mechanisms(db, settings, provider),
        libraries=Libraries(db, clock),
        companies=Companies(db, clock),
        tags=Tags(db, clock),
        editing=Editing(db, clock, catalogue, installations, patches, notifier.notify),
        game_imports=game_imports,
        version_imports=version_imports,
        reimports=Reimports(db, clock, notifier.notify),
        moved_games=MovedGames(db, clock, installations, game_imports, notifier.notify),
        damages=damages,
        patches=patches,
        import_plan=ImportPlan(db, clock, notifier.notify),
        import_runs=ImportRuns(db, clock, catalogue, notifier.notify),
        downloads=Downloads(
            db,
            installations,
            stock,
            patches,
            archives,
            traffic,
            Front(settings.x_accel_prefix),
            sending_threads,
            unpacking,
            compressing,
            damages,
        ),
        store=Store(db),
        collections=Collections(db, clock),
        statistics=Statistics(db, clock, settings, providers),
        tasks=Tasks(db, clock, notifier.notify),
        runner=Runner(db, clock, kinds, notifier=notifier, on_tick=Schedule(db, clock).enqueue_due),
    )
