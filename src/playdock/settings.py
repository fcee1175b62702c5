"""Settings, each with a description. `configuration.py` reads them.

A value can also be read from a file, such as a secret: ``IGDB_CLIENT_SECRET_FILE=/run/secrets/igdb``.
"""

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from playdock.delivery_settings import DeliverySettings
from playdock.kit.database_urls import with_driver
from playdock.kit.s3_location import S3Location, is_s3_url, split_roots, split_s3_url
from playdock.kit.web_urls import origin_part
from playdock.setting_choices import chosen


class Settings(DeliverySettings, kw_only=True):
    """All settings; all services share one object. The environment variable of a field has its name in upper case."""

    external_url: Annotated[
        str,
        Meta(
            description="The URL at which users reach the service, with or without a path. If unset, it is "
            "http://localhost:3000, and links begin with the address at which their creator visits the service."
        ),
    ] = ""
    data_dir: Annotated[
        Path, Meta(description="The folder for the service's data; other settings move only database and images.")
    ] = Path("data")
    secret_key: Annotated[
        str,
        Meta(
            description="At least 32 random characters, which encrypt secrets in the database. All services that share "
            "a database need the same. If unset, a key is created in DATA_DIR."
        ),
    ] = ""
    database_url: Annotated[str, Meta(description="postgresql://… or sqlite:///path; SQLite in DATA_DIR if unset.")] = (
        ""
    )
    node: Annotated[
        str, Meta(description="The name of this node: processes of one node share its cores. The host's name if unset.")
    ] = ""
    cpu_tasks_per_node: Annotated[int, Meta(description="How many tasks that use all cores a node runs at once.")] = 1
    database_wait_seconds: Annotated[
        int,
        Meta(description="How long `serve` and `worker` wait at their start for a PostgreSQL server to accept them."),
    ] = 60
    drain_seconds: Annotated[
        int, Meta(description="How long responses may continue after the signal to stop, so that downloads end.")
    ] = 5
    objects_url: Annotated[
        str, Meta(description="Images, manifests and patches: a folder, or s3://bucket/prefix; in DATA_DIR if unset.")
    ] = ""
    objects_endpoint: Annotated[
        str, Meta(description="The URL of the S3 server, also of libraries; AWS_ENDPOINT_URL, or Amazon's, if unset.")
    ] = ""
    objects_region: Annotated[
        str, Meta(description="The region of buckets in the S3 server; AWS_REGION, or us-east-1, if unset.")
    ] = ""
    objects_access_key_id: Annotated[
        str,
        Meta(description="The access key for the S3 server; AWS_ACCESS_KEY_ID, or the role of the machine, if unset."),
    ] = ""
    objects_secret_access_key: Annotated[str, Meta(description="The secret of that access key.")] = ""
    objects_public_endpoint: Annotated[
        str,
        Meta(description="The URL at which players reach the S3 server, to download files of libraries with links."),
    ] = ""
    objects_path_style: Annotated[
        bool,
        Meta(
            description="Whether URLs of the S3 server have the bucket in their path, not in their host as in "
            "https://bucket.s3.example.org."
        ),
    ] = True
    objects_cache_max_bytes: Annotated[
        int, Meta(description="The maximum size in bytes of the cache of objects from an S3 server, in DATA_DIR.")
    ] = 10 * 1024**3
    library: Annotated[
        str, Meta(description="A folder for which a Filesystem library named Library is created if there is none yet.")
    ] = ""
    library_roots: Annotated[
        str,
        Meta(
            description="Comma-separated folders, or s3://bucket/prefix; libraries must be inside one of them, and "
            "are not used elsewhere. If unset, a library may be anywhere that the service can read, except where its "
            "own data is."
        ),
    ] = ""
    library_quiet_seconds: Annotated[int, Meta(description="How long rules wait after a change; at most 300.")] = 30
    watch_libraries: Annotated[bool, Meta(description="Scan libraries as soon as folders appear, too.")] = True
    library_scan_minutes: Annotated[int, Meta(description="After how many minutes libraries are scanned again.")] = 60
    verify_days: Annotated[int, Meta(description="After how many days all files are verified; 0 for never.")] = 7
    webhooks_private_networks: Annotated[
        bool, Meta(description="Whether webhooks may reach private networks and this machine.")
    ] = False
    trusted_proxies: Annotated[
        str, Meta(description="Comma-separated addresses of proxies whose X-Forwarded-* headers are trusted, or *.")
    ] = ""
    unpacked_max_bytes: Annotated[
        int, Meta(description="The maximum size in bytes of the cache for archives and files from S3, in DATA_DIR.")
    ] = 10 * 1024**3
    archive_max_files: Annotated[
        int, Meta(description="The maximum number of files in an archive that is imported; 0 for no limit.")
    ] = 1_000_000
    archive_max_bytes: Annotated[
        int, Meta(description="The maximum total size in bytes of these files; 0 for no limit.")
    ] = 1024**4
    uploads_max_bytes: Annotated[int, Meta(description="The maximum bytes of all incomplete uploads; 0: no limit.")] = 0
    saves_max_bytes: Annotated[int, Meta(description="The maximum size in bytes of a user's saves; 0: no limit.")] = (
        1024**3
    )
    saves_kept: Annotated[int, Meta(description="How many saves of each slot of a game are kept; 0 for all.")] = 10
    trash_days: Annotated[int, Meta(description="How many days deleted files stay in the trash of a library.")] = 30
    patches_max_bytes: Annotated[
        int, Meta(description="The maximum size in bytes of all patches between versions, stored with the images.")
    ] = 20 * 1024**3
    backup_folder: Annotated[str, Meta(description="A folder or s3://bucket/prefix for daily backups, if set.")] = ""
    backup_time: Annotated[str, Meta(description="When it is made, in the time zone of the machine.")] = "04:00"
    backups_kept: Annotated[int, Meta(description="How many backups are kept there; 0 for all.")] = 14
    download_rate: Annotated[
        int, Meta(description="The maximum total rate of game downloads in bytes per second; 0 for no limit.")
    ] = 0
    download_rate_per_user: Annotated[
        int, Meta(description="The rate in bytes per second for users without their own limit; 0 for no limit.")
    ] = 0
    downloads_at_once: Annotated[
        int, Meta(description="The maximum number of simultaneous responses with game content; 0 for no limit.")
    ] = 1000
    downloads_at_once_per_user: Annotated[
        int, Meta(description="The same number for each user without their own limit; 0 for no limit.")
    ] = 32
    requests_per_minute: Annotated[
        int,
        Meta(
            description="How many API requests a user, or a network without a credential, may send per minute and "
            "process, except for downloads; 0 for no limit."
        ),
    ] = 12_000
    session_idle_days: Annotated[
        int, Meta(description="The number of days without use after which a session ends; at least 1.")
    ] = 30
    token_max_days: Annotated[int, Meta(description="The maximum lifetime of new API tokens in days.")] = 365
    security_log_days: Annotated[
        int, Meta(description="How many days the security log in DATA_DIR is kept; 0 to record nothing and delete it.")
    ] = 90
    audit_log_days: Annotated[
        int, Meta(description="How many days the audit log of administrators' changes is kept, at least 1.")
    ] = 365
    log_level: Annotated[str, Meta(description="Which lines are logged: info, warning or error, and all above.")] = (
        "info"
    )
    log_format: Annotated[
        str,
        Meta(description="How lines are logged: text, json, or auto, which is text on a terminal and JSON otherwise."),
    ] = "auto"
    access_log: Annotated[
        bool,
        Meta(
            description="Whether each request is logged, with its id and the user and address, but without its query. "
            "LOG_LEVEL must be info."
        ),
    ] = False
    metrics_token: Annotated[
        str,
        Meta(
            description="At least 32 random characters: the bearer token with which Prometheus reads /metrics. If "
            "unset, there are no metrics."
        ),
    ] = ""
    lan_discovery: Annotated[
        bool,
        Meta(
            description="Whether the app finds the service on the local network: the service answers queries on UDP "
            "port 26740 with its name and address, if it listens on an address that other machines can reach."
        ),
    ] = True
    drop_clients: Annotated[
        bool,
        Meta(description="Whether Drop's desktop clients can use the service; see drop-clients.md."),
    ] = True
    clients: Annotated[
        str,
        Meta(
            description="The folder with the player's clients and their SHA256SUMS, which anybody can download; those "
            "that came with Playdock if unset."
        ),
    ] = ""
    x_accel_prefix: Annotated[
        str,
        Meta(
            description="The path at which nginx serves the libraries, such as /playdock-files, so that it sends files "
            "itself to users whose downloads need not be counted; see operating.md."
        ),
    ] = ""
    mirrors: Annotated[
        str, Meta(description="Comma-separated addresses of mirrors for the player's client; see operating.md.")
    ] = ""
    contact: Annotated[
        str,
        Meta(description="URL or email address at which metadata providers can contact you; EXTERNAL_URL if unset."),
    ] = ""
    metadata_providers: Annotated[
        str,
        Meta(
            description="Comma-separated metadata providers to use, or none; if unset, Steam, PCGamingWiki and those "
            "whose keys are set."
        ),
    ] = ""
    steam_community_url: Annotated[
        str, Meta(description="The URL of the Steam community, for searching games by name.")
    ] = "https://steamcommunity.com"
    steam_api_url: Annotated[str, Meta(description="The URL of Steam's API for game details.")] = (
        "https://api.steampowered.com"
    )
    steam_store_url: Annotated[
        str,
        Meta(
            description="The URL of the Steam store, for searching if the community finds nothing, and for links to "
            "games."
        ),
    ] = "https://store.steampowered.com"
    steam_image_url: Annotated[str, Meta(description="The URL of Steam's game images.")] = (
        "https://shared.fastly.steamstatic.com/store_item_assets"
    )
    steam_icon_url: Annotated[str, Meta(description="The URL of Steam's game icons.")] = (
        "https://cdn.fastly.steamstatic.com/steamcommunity/public/images/apps"
    )
    pcgamingwiki_url: Annotated[str, Meta(description="The URL of PCGamingWiki.")] = "https://www.pcgamingwiki.com"
    pcgamingwiki_image_url: Annotated[str, Meta(description="The URL of PCGamingWiki's images.")] = (
        "https://images.pcgamingwiki.com"
    )
    igdb_client_id: Annotated[str, Meta(description="The client id of a Twitch application, for IGDB.")] = ""
    igdb_client_secret: Annotated[str, Meta(description="The client secret of that application.")] = ""
    igdb_api_url: Annotated[str, Meta(description="The URL of IGDB's API.")] = "https://api.igdb.com/v4"
    igdb_token_url: Annotated[str, Meta(description="The URL at which tokens for IGDB are requested.")] = (
        "https://id.twitch.tv/oauth2/token"  # noqa: S105 - a URL
    )
    igdb_image_url: Annotated[
        str, Meta(description="The URL of IGDB's images, to which /t_cover_big/<image_id>.jpg is appended.")
    ] = "https://images.igdb.com/igdb/image/upload"
    giantbomb_api_key: Annotated[str, Meta(description="The API key for GiantBomb, which is disabled without one.")] = (
        ""
    )
    giantbomb_api_url: Annotated[str, Meta(description="The URL of GiantBomb's API.")] = "https://www.giantbomb.com/api"
    giantbomb_image_url: Annotated[str, Meta(description="The URL of GiantBomb's images.")] = (
        "https://www.giantbomb.com/a/uploads"
    )
    steamgriddb_api_key: Annotated[str, Meta(description="The API key for SteamGridDB, which provides images.")] = ""
    steamgriddb_api_url: Annotated[str, Meta(description="The URL of SteamGridDB's API.")] = (
        "https://www.steamgriddb.com/api/v2"
    )
    steamgriddb_image_url: Annotated[str, Meta(description="The URL of SteamGridDB's images.")] = (
        "https://cdn2.steamgriddb.com"
    )
    oidc_wellknown: Annotated[
        str,
        Meta(
            description="The URL of an OpenID provider's discovery document. Its values need not be set below; those "
            "that are set take precedence."
        ),
    ] = ""
    oidc_issuer: Annotated[
        str, Meta(description="The OpenID provider's issuer; if unset, the part of OIDC_WELLKNOWN before /.well-known.")
    ] = ""
    oidc_authorization: Annotated[str, Meta(description="The OpenID provider's authorization endpoint.")] = ""
    oidc_token: Annotated[str, Meta(description="The OpenID provider's token endpoint.")] = ""
    oidc_jwks: Annotated[str, Meta(description="The URL of the OpenID provider's keys (JWKS).")] = ""
    oidc_userinfo: Annotated[str, Meta(description="The OpenID provider's userinfo endpoint, if it has one.")] = ""
    oidc_end_session: Annotated[str, Meta(description="The OpenID provider's end session endpoint, if it has one.")] = (
        ""
    )
    oidc_client_id: Annotated[str, Meta(description="The client id of the service at the OpenID provider.")] = ""
    oidc_client_secret: Annotated[str, Meta(description="The client secret of the service at the OpenID provider.")] = (
        ""
    )
    oidc_scopes: Annotated[
        str, Meta(description="Comma-separated scopes to request from the OpenID provider; openid is always added.")
    ] = "openid,profile,email"
    oidc_admin_group: Annotated[
        str,
        Meta(description="If set, OpenID users are administrators if and only if they are members of this group."),
    ] = ""
    oidc_groups_claim: Annotated[
        str, Meta(description="The claim with the groups; nested names contain dots, such as realm_access.roles.")
    ] = "groups"
    oidc_username_claim: Annotated[str, Meta(description="The claim from which new user names are created.")] = (
        "preferred_username"
    )
    oidc_require_auth_time: Annotated[
        bool,
        Meta(
            description="Whether a sign-in with OpenID is recent only if the provider reports when the user signed in "
            "there (auth_time). Set false for a provider that cannot."
        ),
    ] = True
    disable_simple_auth: Annotated[
        bool,
        Meta(description="Whether passwords and invitations are disabled; applies only if OpenID is configured."),
    ] = False
    refuse_weak_passwords: Annotated[
        bool,
        Meta(
            description="Whether new passwords that are easy to guess are rejected, however long they are. Recommended "
            "if the service can be reached from the internet; see security.md."
        ),
    ] = False

    @property
    def named_providers(self) -> frozenset[str]:
        """The metadata providers that are listed explicitly, in lower case; empty for ``none``."""
        return chosen(self.metadata_providers)

    @property
    def address(self) -> str:
        """The URL at which users reach the service, without a trailing slash."""
        return self.external_url or "http://localhost:3000"

    @property
    def origin(self) -> str:
        """The scheme, host and port of `address`."""
        return origin_part(self.address)

    @property
    def url_path(self) -> str:
        """The path of `address`, such as ``/games``; empty if the service has the host to itself."""
        return self.address.removeprefix(self.origin)

    @property
    def database(self) -> str:
        """The URL of the database for SQLAlchemy, with the driver."""
        if not self.database_url:
            return f"sqlite:///{self.data_dir.absolute() / 'playdock.sqlite3'}"
        return with_driver(self.database_url)

    @property
    def objects_in_s3(self) -> S3Location | None:
        """Where objects are in an S3 server; None if they are in `objects_dir`."""
        return self.s3_location(self.objects_url) if is_s3_url(self.objects_url) else None

    def s3_location(self, url: str) -> S3Location:
        """Return a location in the S3 server, such as that of a library."""
        bucket, prefix = split_s3_url(url)
        key, secret = self.objects_access_key_id, self.objects_secret_access_key
        return S3Location(
            bucket, prefix, self.objects_endpoint, self.objects_region, key, secret, self.objects_path_style
        )

    @property
    def objects_dir(self) -> Path:
        """The folder of the objects if they are stored on this machine."""
        if is_s3_url(self.objects_url):
            return self.data_dir / "objects"
        return Path(self.objects_url.removeprefix("file://")) if self.objects_url else self.data_dir / "objects"

    @property
    def clients_dir(self) -> Path:
        return Path(self.clients) if self.clients else Path(__file__).parent / "clients"

    @property
    def allowed_roots(self) -> tuple[Path, ...]:
        """The folders inside which libraries may be; empty if they may be anywhere."""
        return tuple(Path(each) for each in split_roots(self.library_roots) if not is_s3_url(each))

    @property
    def secure(self) -> bool:
        """Whether users reach the service over https, so that cookies must be sent only over https."""
        return self.address.startswith("https://")

    @property
    def changed(self) -> list[str]:
        """The names of the settings that are not as they are by default, without their values, which may be secret."""
        default = Settings()
        return [name.upper() for name in self.__struct_fields__ if getattr(self, name) != getattr(default, name)]

    @property
    def openid(self) -> bool:
        """Whether users can sign in with OpenID. Incomplete configurations are rejected when settings are loaded."""
        return bool(self.oidc_client_id)

    @property
    def simple(self) -> bool:
        """Whether users can sign in with a password."""
        return not (self.disable_simple_auth and self.openid)

    @property
    def sign_in_methods(self) -> list[str]:
        """The names of the enabled sign-in methods, sorted."""
        return [name for name, enabled in (("OpenID", self.openid), ("Simple", self.simple)) if enabled]

    @property
    def scopes(self) -> list[str]:
        """The scopes to request from the OpenID provider, including ``openid``, which OpenID requires."""
        scopes = self.oidc_scopes.replace(",", " ").split()
        return scopes if "openid" in scopes else ["openid", *scopes]

    def page(self, path: str) -> str:
        return f"{self.address}{path}"
