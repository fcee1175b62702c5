"""The construction of services."""

import os
from contextlib import ExitStack, closing
from datetime import timedelta
from functools import partial

from anyio import CapacityLimiter

from playdock.audit.service import AuditLog
from playdock.auth.passwords import Passwords, PasswordThreads
from playdock.auth.resolver import CredentialResolver
from playdock.backups.kept_blobs import KeptBlobs
from playdock.backups.writing import Backups
from playdock.configuration import Configuration
from playdock.db.commit_cache import CommitScopedCache
from playdock.db.database import Database
from playdock.db.revisions import Subject
from playdock.domain.artwork.service import Artwork
from playdock.domain.game_metadata.service import GameMetadataService
from playdock.domain.installations.service import ContentTables, Installations
from playdock.domain.libraries.service import LibraryBackends, S3Libraries, policy_of
from playdock.domain.objects.service import Objects
from playdock.domain.server_settings.service import ServerSettings
from playdock.domain.transfers.service import TransferRecorder
from playdock.features.accounts.service import Accounts
from playdock.features.audit_log.service import AuditEntries
from playdock.features.bulk_import.queries import delete_rows
from playdock.features.bulk_import.service import ImportRuns
from playdock.features.bulk_import.tasks import PlanImports, RunImports
from playdock.features.client_downloads.service import ClientDownloads
from playdock.features.companies.service import Companies
from playdock.features.damage.tasks import VerifyContent, VerifyVersion
from playdock.features.delivery.rules import DeliveryChannel
from playdock.features.delivery.service import Deliveries
from playdock.features.delivery.tasks import Deliver
from playdock.features.device_installations.service import DeviceInstallations
from playdock.features.devices.service import Devices
from playdock.features.downloads.rules import limits_of_server
from playdock.features.downloads.service import ContentResolver, Downloads, ResolvedVersion, Transfers
from playdock.features.drop_bridge.bundles import Bundles
from playdock.features.drop_bridge.checksums import ChunkChecksums, ComputedBlobs
from playdock.features.drop_bridge.depot import DropDepot
from playdock.features.drop_bridge.saves import DropSaves
from playdock.features.drop_bridge.service import DropDownloads, DropGames
from playdock.features.drop_bridge.sign_in import DropSignIns
from playdock.features.drop_bridge.tasks import ReadForDrop
from playdock.features.editing.tasks import RefreshGame
from playdock.features.event_streams.service import EventStreams
from playdock.features.feeds.service import Feeds
from playdock.features.game_collections.service import Collections
from playdock.features.game_import.service import GameImports
from playdock.features.game_import.tasks import ImportGame
from playdock.features.game_requests.service import GameRequests
from playdock.features.game_table.service import GameTable
from playdock.features.import_parts.tasks import ReadParts
from playdock.features.invitations.service import Invitations
from playdock.features.lan_discovery.service import LanDiscovery
from playdock.features.libraries.service import Libraries
from playdock.features.libraries.tasks import RemoveLibrary
from playdock.features.library_files.changes import DELETE_UNIMPORTED, UNPACK_ELSEWHERE
from playdock.features.library_files.service import LibraryFiles
from playdock.features.library_files.tasks import ChangeFiles, CleanTrash, EraseTrash
from playdock.features.library_files.trash import Trash
from playdock.features.library_preview.service import LibraryPreviews
from playdock.features.library_scans.tasks import ScanLibraries
from playdock.features.links.service import LinkQuota, Links
from playdock.features.lost_versions.service import LostVersions
from playdock.features.media.service import Previews, PreviewThreads
from playdock.features.mirrors.service import Mirrors
from playdock.features.monitoring.service import Monitoring
from playdock.features.moved_games.service import MovedGames
from playdock.features.moving_in.tasks import ContinueVersions
from playdock.features.moving_out.service import MovingOut
from playdock.features.news.service import News
from playdock.features.notifications.matters import is_settled
from playdock.features.notifications.service import Announcements, UserNotifications
from playdock.features.notifications.tasks import AnnounceEvents
from playdock.features.old_versions.service import OldVersions
from playdock.features.old_versions.tasks import DeleteOldVersions
from playdock.features.openid.service import OpenId
from playdock.features.patches.service import Patches
from playdock.features.patches.tasks import PatchVersion
from playdock.features.play_records.service import PlayRecords
from playdock.features.provider_pictures.service import PictureChoice
from playdock.features.release_notes.service import VersionNotes
from playdock.features.release_notes.tasks import FetchReleaseNotes
from playdock.features.reports.service import Reports
from playdock.features.saved_games.service import SavedGames
from playdock.features.server_profile.service import ServerProfiles
from playdock.features.server_settings.service import SettingsPage
from playdock.features.sessions.service import Sessions
from playdock.features.sign_in_methods.service import SignInMethods
from playdock.features.store.service import Store
from playdock.features.tags.service import Tags
from playdock.features.tasks.maintenance import Schedule, tick
from playdock.features.tasks.service import Tasks
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
from playdock.features.tokens.service import Tokens
from playdock.features.unimported_files.service import UnimportedFiles
from playdock.features.uploads.tasks import CleanUploads, PlaceUpload
from playdock.features.version_import.new_versions import ImportNewVersions
from playdock.features.version_import.service import VersionImports
from playdock.features.version_import.tasks import ImportVersion, ReimportVersion
from playdock.features.version_unpacking.service import VersionUnpacking
from playdock.features.webhooks.service import Webhooks
from playdock.features.webhooks.tasks import DeliverWebhooks
from playdock.fetching.web import Fetcher
from playdock.identity.provider import IdentityProvider, ProviderThreads
from playdock.kit.clock import Clock, utc_now
from playdock.metadata.provider_store import ProviderStore
from playdock.metadata.providers import Providers
from playdock.metadata.registry import set_up
from playdock.nodes.sharing import ShareExchange
from playdock.sending.limits import DownloadLimiter
from playdock.sending.threads import SendingThreads
from playdock.server.disk_threads import DiskThreads
from playdock.server.image_threads import ImageThreads
from playdock.server.object_threads import ObjectThreads
from playdock.server.readiness import Readiness
from playdock.server.request_rate import RequestRate
from playdock.server.write_threads import WriteThreads
from playdock.settings import Settings
from playdock.storage.archives import Archives
from playdock.storage.encoded_blobs import EncodedBlobs
from playdock.storage.x_accel import XAccel
from playdock.tasks.registry import TaskRegistry
from playdock.tasks.runner import Runner
from playdock.tasks.task_signal import TaskSignal
from playdock.web.object_storage import open_blobs
from playdock.web.services import Services
from playdock.web.setting_copies import SettingCopies
from playdock.web.wiring_parts import library_services, node_registry_of, security_log_of, watcher_of

# Threads for sign-ins that wait for the identity provider.
_PROVIDER_THREADS = 8
# Threads for previews of images, which are downloaded from metadata providers.
_PREVIEW_THREADS = 4


def wire(
    settings: Settings,
    *,
    server_settings: ServerSettings | None = None,
    clock: Clock = utc_now,
    passwords: Passwords | None = None,
    providers: Providers | None = None,
    processes: int = 1,
    network_port: int | None = None,
) -> Services:
    """Return the services of one of ``processes`` processes, without opening or writing anything yet.

    ``network_port`` is the port at which other machines reach them, None if they cannot. ``server_settings`` are those
    that share ``settings``, if there are any already.

    Resources are registered here so that `Services.close` closes each of them before its dependencies.
    """
    resources = ExitStack()
    server_settings = server_settings or ServerSettings(Database(settings.database), Configuration(settings, {}))
    db, secret_key = server_settings.db, server_settings.secret_key
    resources.callback(db.close)
    blobs = KeptBlobs(open_blobs(settings, resources), db)
    security_log = resources.enter_context(closing(security_log_of(settings, clock)))
    passwords = passwords or Passwords()
    objects, installations = Objects(db, clock, blobs), Installations(blobs)
    encoded_blobs, computed = EncodedBlobs(blobs), ComputedBlobs(blobs)
    archives = Archives(settings.data_dir / "cache" / "unpacked", settings.unpacked_max_bytes)
    backends = LibraryBackends(policy_of(settings, archives.unpacked), S3Libraries(settings, archives.unpacked))
    tables, cache = ContentTables(installations), CommitScopedCache[str, ResolvedVersion](db, Subject.CONTENT)
    resolver = ContentResolver(db, tables, cache, backends, ObjectThreads())
    checksums, bundles = ChunkChecksums(computed, tables, archives), Bundles(computed, tables, archives, secret_key)
    devices, tokens, links = Devices(db, clock, settings, secret_key), Tokens(db, clock, settings), Links(db, clock)
    link_quota = resources.enter_context(closing(LinkQuota(links)))
    transfer_recorder = resources.enter_context(closing(TransferRecorder(db, clock)))
    limiter = DownloadLimiter(limits_of_server(settings), processes=processes)
    transfers = Transfers(settings, limiter, link_quota, transfer_recorder)
    web = resources.enter_context(closing(Fetcher()))
    sending_threads, unpacking = (resources.enter_context(closing(SendingThreads())) for _ in range(2))
    # More threads would not compress faster.
    compressing = resources.enter_context(closing(SendingThreads(os.cpu_count() or 1)))
    password_threads = resources.enter_context(closing(PasswordThreads()))
    provider, readiness = IdentityProvider(settings, web, clock), Readiness()
    session_idle = timedelta(days=settings.session_idle_days)
    credentials, sessions = (
        CredentialResolver(db, clock, secret_key, session_idle),
        Sessions(db, clock, passwords, settings),
    )
    request_rate = RequestRate(settings.requests_per_minute)
    providers_of_settings = partial(set_up, settings, web=web, provider_store=ProviderStore(db, clock))
    renewed = None if providers else providers_of_settings
    providers = providers or providers_of_settings()
    server_settings.listeners.append(SettingCopies(settings, limiter, request_rate, provider, providers, renewed).renew)
    artwork, signal = Artwork(objects, clock), TaskSignal()
    game_metadata = GameMetadataService(clock, providers, artwork)
    version_imports = VersionImports(db, clock, installations, backends, signal.notify)
    import_runs = ImportRuns(db, clock, game_metadata, signal.notify)
    game_imports = GameImports(db, clock, providers, backends, signal.notify)
    patches, version_notes = (
        Patches(db, clock, blobs, encoded_blobs, signal.notify),
        VersionNotes(db, clock, providers, signal.notify),
    )
    libraries = library_services(settings, game_metadata, version_imports, import_runs, patches)
    server_profiles, reports = ServerProfiles(db, objects), Reports(db, clock, settings, providers, backends)
    saved_games = SavedGames(db, clock, settings, objects, limiter, sending_threads)
    deliveries = Deliveries(db, clock, settings, secret_key, server_profiles, signal.notify)
    patch_version = PatchVersion(patches, installations, archives, backends, settings.patches_max_bytes)
    registry = TaskRegistry(
        [
            ImportGame(game_metadata, backends),
            ImportNewVersions(game_imports, version_imports),
            ImportVersion(installations, patches, version_notes, backends, import_runs.note_failure, delete_rows),
            ReadParts(backends),
            FetchReleaseNotes(version_notes),
            patch_version,
            patch_version.improving(),
            ReimportVersion(installations, patches, backends),
            AnnounceEvents(deliveries),
            DeliverWebhooks(settings, web, secret_key),
            Deliver(DeliveryChannel.EMAIL, deliveries.open_email, is_settled),
            Deliver(DeliveryChannel.CHAT, deliveries.open_chat, is_settled),
            Deliver(DeliveryChannel.PUSH, partial(deliveries.open_push, web), is_settled),
            VerifyContent(installations, backends),
            VerifyVersion(installations, backends),
            ReadForDrop(resolver, checksums, bundles),
            ContinueVersions(version_imports),
            RefreshGame(game_metadata),
            PlanImports(providers, backends),
            RemoveLibrary(game_metadata),
            RunImports(game_metadata, version_imports, import_runs),
            ScanLibraries(libraries.scans, libraries.automatic_imports),
            PlaceUpload(libraries.uploads),
            CleanUploads(libraries.uploads),
            ChangeFiles(libraries.change_executor),
            ChangeFiles(libraries.change_executor, DELETE_UNIMPORTED),
            ChangeFiles(libraries.change_executor, UNPACK_ELSEWHERE),
            EraseTrash(libraries.change_executor),
            DeleteOldVersions(libraries.change_executor),
            CleanTrash(libraries.change_executor),
            BackUp(Backups(db, clock, settings, blobs)),
            CleanInvitations(),
            CleanSessions(session_idle),
            CleanObjects(objects, installations, patches, saved_games),
            CleanTasks(),
            CleanNotifications(),
            CleanStatistics(settings, reports),
            ComputePlaceholders(artwork),
            RebuildIndex(),
        ]
    )
    downloads = Downloads(
        db,
        encoded_blobs,
        resolver,
        patches,
        archives,
        transfers,
        XAccel(settings.x_accel_prefix),
        sending_threads,
        unpacking,
        compressing,
        libraries.damages,
    )
    store, collections, announcements, webhooks, drop_sign_ins = (
        Store(db),
        Collections(db, clock),
        Announcements(db, clock, settings, signal.notify),
        Webhooks(db, clock, settings, secret_key, signal.notify),
        DropSignIns(db, clock, settings, secret_key, credentials),
    )
    node_registry = node_registry_of(resources, settings, db, clock)
    runner = Runner(
        db,
        clock,
        registry,
        signal=signal,
        on_tick=partial(tick, server_settings, Schedule(db, clock, settings), announcements, deliveries, webhooks),
        on_failure=announcements.record_failure,
        worker_id=node_registry.worker_id,
        cpu_tasks=settings.cpu_tasks_per_node,
    )
    resources.callback(runner.stop)
    # This is called before the runner is stopped, because its threads may be waiting for a file to be decompressed.
    resources.callback(archives.stop)
    return Services(
        resources=resources,
        settings=settings,
        db=db,
        blobs=blobs,
        web=web,
        secret_key=secret_key,
        readiness=readiness,
        request_rate=request_rate,
        security_log=security_log,
        audit_log=AuditLog(db, clock),
        audit_entries=AuditEntries(db, settings),
        credentials=credentials,
        password_threads=password_threads,
        object_threads=resolver.threads,
        disk_threads=DiskThreads(),
        image_threads=ImageThreads(),
        write_threads=WriteThreads(),
        provider_threads=ProviderThreads(CapacityLimiter(_PROVIDER_THREADS)),
        preview_threads=PreviewThreads(CapacityLimiter(_PREVIEW_THREADS)),
        sending_threads=sending_threads,
        unpacking=unpacking,
        compressing=compressing,
        provider=provider,
        objects=objects,
        previews=Previews(providers),
        accounts=Accounts(db, clock, settings, passwords, objects, sessions, devices, tokens, links),
        sessions=sessions,
        openid=OpenId(db, clock, settings, provider, sessions, objects),
        tokens=tokens,
        devices=devices,
        device_installations=DeviceInstallations(db, clock),
        play_records=PlayRecords(db, clock),
        links=links,
        link_quota=link_quota,
        transfer_recorder=transfer_recorder,
        invitations=Invitations(db, clock, passwords, objects, settings, secret_key),
        server_profiles=server_profiles,
        server_settings=server_settings,
        settings_page=SettingsPage(db, clock, server_settings, web),
        lan_discovery=LanDiscovery(server_profiles, settings, network_port),
        sign_in_methods=SignInMethods(db, clock, settings, provider),
        libraries=Libraries(db, clock, backends, libraries.import_plan.discard),
        companies=Companies(db, clock),
        tags=Tags(db, clock),
        editing=libraries.editing,
        picture_choice=PictureChoice(db, clock, game_metadata),
        game_imports=game_imports,
        library_previews=LibraryPreviews(backends.policy),
        game_requests=GameRequests(db, clock, providers),
        game_table=GameTable(db, game_imports),
        version_imports=version_imports,
        lost_versions=LostVersions(db, clock, installations, game_imports, backends, delete_rows, signal.notify),
        moved_games=MovedGames(db, clock, installations, game_imports, backends, signal.notify),
        moving_out=MovingOut(db, clock, objects, settings),
        feeds=Feeds(db),
        damages=libraries.damages,
        patches=patches,
        version_notes=version_notes,
        import_plan=libraries.import_plan,
        import_runs=import_runs,
        library_scans=libraries.scans,
        library_watcher=watcher_of(resources, libraries.scans, node_registry),
        downloads=downloads,
        mirrors=Mirrors(downloads, clock, settings, secret_key),
        client_downloads=ClientDownloads(settings, limiter, sending_threads),
        content_lengths=downloads,
        drop_sign_ins=drop_sign_ins,
        drop_games=DropGames(db, store, collections),
        drop_downloads=DropDownloads(db, clock, store, downloads, checksums, signal.notify),
        drop_saves=DropSaves(saved_games, drop_sign_ins),
        drop_depot=DropDepot(db, clock, store, downloads, bundles, signal.notify),
        store=store,
        collections=collections,
        news=News(db, clock, objects),
        webhooks=webhooks,
        event_streams=resources.enter_context(closing(EventStreams(db, credentials, readiness))),
        notifications=UserNotifications(db),
        announcements=announcements,
        deliveries=deliveries,
        reports=reports,
        monitoring=Monitoring(db, clock, settings, backends, archives),
        tasks=Tasks(db, clock, settings, import_runs, signal.notify),
        saved_games=saved_games,
        uploads=libraries.uploads,
        library_files=LibraryFiles(libraries.file_changes),
        trash=Trash(libraries.file_changes),
        old_versions=OldVersions(libraries.file_changes),
        version_unpacking=VersionUnpacking(libraries.file_changes),
        unimported_files=UnimportedFiles(libraries.file_changes, libraries.import_plan),
        runner=runner,
        node_registry=node_registry,
        share_exchange=ShareExchange(db, clock, node_registry, limiter),
    )
