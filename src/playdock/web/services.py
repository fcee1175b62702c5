"""The services of a process."""

from contextlib import ExitStack
from dataclasses import dataclass

from playdock.audit.service import AuditLog
from playdock.auth.passwords import PasswordThreads
from playdock.auth.resolver import CredentialResolver
from playdock.db.database import Database
from playdock.domain.objects.service import Objects
from playdock.domain.server_settings.service import ServerSettings
from playdock.domain.transfers.service import TransferRecorder
from playdock.features.accounts.service import Accounts
from playdock.features.audit_log.service import AuditEntries
from playdock.features.bulk_import.service import ImportPlan, ImportRuns
from playdock.features.client_downloads.service import ClientDownloads
from playdock.features.companies.service import Companies
from playdock.features.damage.service import Damages
from playdock.features.delivery.service import Deliveries
from playdock.features.device_installations.service import DeviceInstallations
from playdock.features.devices.service import Devices
from playdock.features.downloads.service import Downloads
from playdock.features.drop_bridge.depot import DropDepot
from playdock.features.drop_bridge.saves import DropSaves
from playdock.features.drop_bridge.service import DropDownloads, DropGames
from playdock.features.drop_bridge.sign_in import DropSignIns
from playdock.features.editing.service import Editing
from playdock.features.event_streams.service import EventStreams
from playdock.features.feeds.service import Feeds
from playdock.features.game_collections.service import Collections
from playdock.features.game_import.service import GameImports
from playdock.features.game_requests.service import GameRequests
from playdock.features.game_table.service import GameTable
from playdock.features.invitations.service import Invitations
from playdock.features.lan_discovery.service import LanDiscovery
from playdock.features.libraries.service import Libraries
from playdock.features.library_files.service import LibraryFiles
from playdock.features.library_files.trash import Trash
from playdock.features.library_preview.service import LibraryPreviews
from playdock.features.library_scans.service import LibraryScans
from playdock.features.library_scans.watching import LibraryWatcher
from playdock.features.links.service import ContentLengths, LinkQuota, Links
from playdock.features.lost_versions.service import LostVersions
from playdock.features.media.service import Previews, PreviewThreads
from playdock.features.mirrors.service import Mirrors
from playdock.features.monitoring.service import Monitoring
from playdock.features.moved_games.service import MovedGames
from playdock.features.moving_out.service import MovingOut
from playdock.features.news.service import News
from playdock.features.notifications.service import Announcements, UserNotifications
from playdock.features.old_versions.service import OldVersions
from playdock.features.openid.service import OpenId
from playdock.features.patches.service import Patches
from playdock.features.play_records.service import PlayRecords
from playdock.features.provider_pictures.service import PictureChoice
from playdock.features.release_notes.service import VersionNotes
from playdock.features.reports.service import Reports
from playdock.features.saved_games.service import SavedGames
from playdock.features.server_profile.service import ServerProfiles
from playdock.features.server_settings.service import SettingsPage
from playdock.features.sessions.service import Sessions
from playdock.features.sign_in_methods.service import SignInMethods
from playdock.features.store.service import Store
from playdock.features.tags.service import Tags
from playdock.features.tasks.service import Tasks
from playdock.features.tokens.service import Tokens
from playdock.features.unimported_files.service import UnimportedFiles
from playdock.features.uploads.service import Uploads
from playdock.features.version_import.service import VersionImports
from playdock.features.version_unpacking.service import VersionUnpacking
from playdock.features.webhooks.service import Webhooks
from playdock.fetching.web import Fetcher
from playdock.identity.provider import IdentityProvider, ProviderThreads
from playdock.kit.secret_key import SecretKey
from playdock.kit.security_log import SecurityLog
from playdock.nodes.registry import NodeRegistry
from playdock.nodes.sharing import ShareExchange
from playdock.sending.threads import SendingThreads
from playdock.server.disk_threads import DiskThreads
from playdock.server.image_threads import ImageThreads
from playdock.server.object_threads import ObjectThreads
from playdock.server.readiness import Readiness
from playdock.server.request_rate import RequestRate
from playdock.server.write_threads import WriteThreads
from playdock.settings import Settings
from playdock.storage.blobs import Blobs
from playdock.tasks.runner import Runner


@dataclass(frozen=True, slots=True)
class Services:
    """All services that routes, tasks and commands use.

    The parameters of handlers are selected from these fields by type.
    """

    resources: ExitStack
    settings: Settings
    db: Database
    blobs: Blobs
    web: Fetcher
    secret_key: SecretKey
    readiness: Readiness
    request_rate: RequestRate
    security_log: SecurityLog
    audit_log: AuditLog
    audit_entries: AuditEntries
    credentials: CredentialResolver
    password_threads: PasswordThreads
    disk_threads: DiskThreads
    object_threads: ObjectThreads
    image_threads: ImageThreads
    write_threads: WriteThreads
    provider_threads: ProviderThreads
    preview_threads: PreviewThreads
    sending_threads: SendingThreads
    unpacking: SendingThreads
    compressing: SendingThreads
    provider: IdentityProvider
    objects: Objects
    previews: Previews
    accounts: Accounts
    sessions: Sessions
    openid: OpenId
    tokens: Tokens
    devices: Devices
    device_installations: DeviceInstallations
    play_records: PlayRecords
    links: Links
    link_quota: LinkQuota
    transfer_recorder: TransferRecorder
    invitations: Invitations
    server_profiles: ServerProfiles
    server_settings: ServerSettings
    settings_page: SettingsPage
    lan_discovery: LanDiscovery
    sign_in_methods: SignInMethods
    libraries: Libraries
    companies: Companies
    tags: Tags
    editing: Editing
    picture_choice: PictureChoice
    game_imports: GameImports
    library_previews: LibraryPreviews
    game_requests: GameRequests
    game_table: GameTable
    version_imports: VersionImports
    moved_games: MovedGames
    lost_versions: LostVersions
    moving_out: MovingOut
    feeds: Feeds
    damages: Damages
    patches: Patches
    version_notes: VersionNotes
    import_plan: ImportPlan
    import_runs: ImportRuns
    library_scans: LibraryScans
    library_watcher: LibraryWatcher
    downloads: Downloads
    mirrors: Mirrors
    client_downloads: ClientDownloads
    drop_sign_ins: DropSignIns
    drop_games: DropGames
    drop_downloads: DropDownloads
    drop_depot: DropDepot
    drop_saves: DropSaves
    content_lengths: ContentLengths
    store: Store
    collections: Collections
    news: News
    webhooks: Webhooks
    event_streams: EventStreams
    saved_games: SavedGames
    notifications: UserNotifications
    announcements: Announcements
    deliveries: Deliveries
    reports: Reports
    monitoring: Monitoring
    tasks: Tasks
    uploads: Uploads
    library_files: LibraryFiles
    trash: Trash
    old_versions: OldVersions
    version_unpacking: VersionUnpacking
    unimported_files: UnimportedFiles
    runner: Runner
    node_registry: NodeRegistry
    share_exchange: ShareExchange

    def close(self) -> None:
        """Close all resources in reverse order. An error is raised after all others have been closed."""
        self.resources.close()
