"""Settings: read once from the environment and an ``.env`` file, each with a description.

A secret may also come from a file: ``IGDB_CLIENT_SECRET_FILE=/run/secrets/igdb`` (decisions 1).
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from dotenv import dotenv_values
from msgspec import Meta
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from playdock.kit.errors import Fault, Invalid

_NO_ADDRESS = "It must begin with http:// or https:// and have no spaces and no password in it."
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_FLAGS = ("true", "false", "1", "0")
_NUMBER = re.compile(r"[0-9]{1,18}")
_PROVIDERS = ("steam_", "pcgamingwiki_", "igdb_", "giantbomb_", "steamgriddb_")


class SettingsUnusable(Invalid):
    """One or more settings cannot be used; every one is named."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        listed = " ".join(f"{fault.field}: {fault.detail}" for fault in faults)
        super().__init__(f"The settings cannot be used. {listed}", faults=faults)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set. A field's upper-case name is the environment's name for it."""

    external_url: Annotated[
        str, Meta(description="Address under which people reach the service; http://localhost:3000 if unset.")
    ] = ""
    data_dir: Annotated[Path, Meta(description="Everything the service writes, unless sent elsewhere.")] = Path("data")
    database_url: Annotated[str, Meta(description="postgresql://… or sqlite:///path; SQLite in DATA_DIR if unset.")] = (
        ""
    )
    objects_url: Annotated[
        str, Meta(description="Folder of pictures and manifests; a folder in DATA_DIR if unset.")
    ] = ""
    library: Annotated[
        str, Meta(description="A folder that becomes a Filesystem library named Library if there is no library yet.")
    ] = ""
    trusted_proxies: Annotated[
        str, Meta(description="Addresses, separated by commas, whose X-Forwarded-* headers are believed.")
    ] = ""
    unpacked_max_bytes: Annotated[
        int, Meta(description="How many bytes of unpacked members of `.zip` versions are kept in DATA_DIR.")
    ] = 10 * 1024**3
    patches_max_bytes: Annotated[
        int, Meta(description="How many bytes of patches between versions are kept beside pictures and manifests.")
    ] = 20 * 1024**3
    download_rate: Annotated[
        int, Meta(description="Bytes a second that are sent of games, in all; 0 for no limit.")
    ] = 0
    download_rate_per_user: Annotated[
        int, Meta(description="Bytes a second that a user gets who has no limit of their own; 0 for no limit.")
    ] = 0
    downloads_at_once: Annotated[
        int, Meta(description="How many answers with bytes of games are under way at once, in all; 0 for no limit.")
    ] = 1000
    downloads_at_once_per_user: Annotated[
        int, Meta(description="How many of them a user has who has no limit of their own; 0 for no limit.")
    ] = 32
    x_accel_prefix: Annotated[
        str,
        Meta(
            description="Where nginx has the libraries, such as /playdock-files, if it is to send files itself, to "
            "users whose downloads need not be counted; see operating.md."
        ),
    ] = ""
    contact: Annotated[
        str,
        Meta(description="Page or e-mail address at which metadata providers can reach you; EXTERNAL_URL if unset."),
    ] = ""
    metadata_providers: Annotated[
        str,
        Meta(
            description="The metadata providers to ask, separated by commas, or none; if unset Steam, PCGamingWiki and "
            "those whose keys are set."
        ),
    ] = ""
    steam_community_url: Annotated[
        str, Meta(description="Steam's community, where Steam's games are searched by name.")
    ] = "https://steamcommunity.com"
    steam_api_url: Annotated[str, Meta(description="Where Steam tells about games.")] = "https://api.steampowered.com"
    steam_store_url: Annotated[
        str,
        Meta(
            description="Steam's store, which is searched where the community finds nothing, and where links to games "
            "lead."
        ),
    ] = "https://store.steampowered.com"
    steam_image_url: Annotated[str, Meta(description="Where Steam's pictures of games are.")] = (
        "https://shared.fastly.steamstatic.com/store_item_assets"
    )
    steam_icon_url: Annotated[str, Meta(description="Where Steam's icons of games are.")] = (
        "https://cdn.fastly.steamstatic.com/steamcommunity/public/images/apps"
    )
    pcgamingwiki_url: Annotated[str, Meta(description="PCGamingWiki.")] = "https://www.pcgamingwiki.com"
    pcgamingwiki_image_url: Annotated[str, Meta(description="Where PCGamingWiki's pictures are.")] = (
        "https://images.pcgamingwiki.com"
    )
    igdb_client_id: Annotated[str, Meta(description="Client id of a Twitch application, for IGDB.")] = ""
    igdb_client_secret: Annotated[str, Meta(description="Client secret of that application.")] = ""
    igdb_api_url: Annotated[str, Meta(description="IGDB.")] = "https://api.igdb.com/v4"
    igdb_token_url: Annotated[str, Meta(description="Where IGDB's tokens come from.")] = (
        "https://id.twitch.tv/oauth2/token"  # noqa: S105 - an address
    )
    igdb_image_url: Annotated[
        str, Meta(description="Where IGDB's pictures are, followed by /t_cover_big/<image_id>.jpg.")
    ] = "https://images.igdb.com/igdb/image/upload"
    giantbomb_api_key: Annotated[str, Meta(description="Key for GiantBomb, which is off without one.")] = ""
    giantbomb_api_url: Annotated[str, Meta(description="GiantBomb.")] = "https://www.giantbomb.com/api"
    giantbomb_image_url: Annotated[str, Meta(description="Where GiantBomb's pictures are.")] = (
        "https://www.giantbomb.com/a/uploads"
    )
    steamgriddb_api_key: Annotated[str, Meta(description="Key for SteamGridDB, which has pictures.")] = ""
    steamgriddb_api_url: Annotated[str, Meta(description="SteamGridDB.")] = "https://www.steamgriddb.com/api/v2"
    steamgriddb_image_url: Annotated[str, Meta(description="Where SteamGridDB's pictures are.")] = (
        "https://cdn2.steamgriddb.com"
    )
    oidc_wellknown: Annotated[
        str,
        Meta(
            description="Address of an OpenID provider's discovery document. What it names need not be set; what is "
            "set wins."
        ),
    ] = ""
    oidc_issuer: Annotated[
        str, Meta(description="The OpenID provider's issuer; if unset, what OIDC_WELLKNOWN has before /.well-known.")
    ] = ""
    oidc_authorization: Annotated[str, Meta(description="Where the OpenID provider signs people in.")] = ""
    oidc_token: Annotated[str, Meta(description="Where the OpenID provider gives tokens.")] = ""
    oidc_jwks: Annotated[str, Meta(description="Where the OpenID provider publishes its keys.")] = ""
    oidc_userinfo: Annotated[str, Meta(description="Where the OpenID provider tells about people, if it does.")] = ""
    oidc_end_session: Annotated[str, Meta(description="Where the OpenID provider signs people out, if it does.")] = ""
    oidc_client_id: Annotated[str, Meta(description="The service's name with the OpenID provider.")] = ""
    oidc_client_secret: Annotated[str, Meta(description="The secret that goes with that name.")] = ""
    oidc_scopes: Annotated[
        str, Meta(description="What is asked of the OpenID provider, separated by commas; always with openid.")
    ] = "openid,profile,email"
    oidc_admin_group: Annotated[
        str,
        Meta(description="Whoever is in this group is an admin, and nobody else who comes by OpenID, if it is set."),
    ] = ""
    oidc_groups_claim: Annotated[
        str, Meta(description="The claim with the groups; dots lead into what is nested, such as realm_access.roles.")
    ] = "groups"
    oidc_username_claim: Annotated[str, Meta(description="The claim that new user names are made from.")] = (
        "preferred_username"
    )
    disable_simple_auth: Annotated[
        bool,
        Meta(description="Whether passwords and invitations are switched off; only heeded while OpenID is configured."),
    ] = False

    @property
    def named_providers(self) -> frozenset[str]:
        """The metadata providers that are named, in lower case; ``none`` names nobody."""
        names = (name.strip().lower() for name in self.metadata_providers.split(","))
        return frozenset(names) - {"", "none"}

    @property
    def address(self) -> str:
        """The address under which people reach the service, without a slash behind it."""
        return self.external_url or "http://localhost:3000"

    @property
    def database(self) -> str:
        """The database's address as SQLAlchemy wants it, with the driver named."""
        if not self.database_url:
            return f"sqlite:///{self.data_dir.absolute() / 'playdock.sqlite3'}"
        scheme, _, rest = self.database_url.partition("://")
        return f"postgresql+psycopg://{rest}" if scheme in ("postgres", "postgresql") else self.database_url

    @property
    def objects_dir(self) -> Path:
        return Path(self.objects_url.removeprefix("file://")) if self.objects_url else self.data_dir / "objects"

    @property
    def secure(self) -> bool:
        """Whether people come by https, so that cookies must not travel otherwise."""
        return self.address.startswith("https://")

    @property
    def needs_data_dir(self) -> bool:
        """Whether anything is written there, and not everything sent elsewhere."""
        return not (self.database_url and self.objects_url)

    @property
    def openid(self) -> bool:
        """Whether people can sign in with OpenID; half a configuration is refused when settings are loaded."""
        return bool(self.oidc_client_id)

    @property
    def simple(self) -> bool:
        """Whether people can sign in with a password."""
        return not (self.disable_simple_auth and self.openid)

    @property
    def mechanisms(self) -> list[str]:
        """The names of the ways to sign in that are switched on, sorted."""
        return [name for name, on in (("OpenID", self.openid), ("Simple", self.simple)) if on]

    @property
    def scopes(self) -> list[str]:
        """What is asked of the OpenID provider: always ``openid``, which makes it one."""
        wanted = self.oidc_scopes.replace(",", " ").split()
        return wanted if "openid" in wanted else ["openid", *wanted]

    def page(self, path: str) -> str:
        return f"{self.address}{path}"


def load(environment: Mapping[str, str] = os.environ, *, dotenv: Path = Path(".env")) -> Settings:
    """Read the settings.

    Raises:
        SettingsUnusable: naming every setting that cannot be used and why.
    """
    sources = (environment, {key: value or "" for key, value in dotenv_values(dotenv).items()})
    faults: list[Fault] = []
    read = {field.name: _value(sources, field.name.upper(), faults) for field in msgspec.structs.fields(Settings)}
    given = {name: value for name, value in read.items() if value}
    for fault in _unreadable(given):
        faults.append(fault)
        del given[fault.field.lower()]
    settings = msgspec.convert(given, Settings, strict=False, dec_hook=lambda kind, value: kind(value))
    settings = msgspec.structs.replace(settings, external_url=settings.external_url.rstrip("/"))
    faults += _faults(settings)
    if faults:
        raise SettingsUnusable(faults)
    return settings


def describe() -> dict[str, str]:
    """Give each setting's environment name and what it means."""
    kinds = msgspec.inspect.type_info(Settings)
    assert isinstance(kinds, msgspec.inspect.StructType)
    return {
        field.name.upper(): (field.type.extra_json_schema or {})["description"]
        for field in kinds.fields
        if isinstance(field.type, msgspec.inspect.Metadata)
    }


def _value(sources: Sequence[Mapping[str, str]], name: str, faults: list[Fault]) -> str:
    """Give a setting's text from the first source that has it or its file, empty if none has."""
    for source in sources:
        if path := source.get(f"{name}_FILE"):
            return _content(path, name, faults)
        if value := source.get(name):
            return value
    return ""


def _content(path: str, name: str, faults: list[Fault]) -> str:
    """Give a file's text; what is wrong with the file is added to the faults."""
    try:
        return Path(path).read_text().strip()
    except OSError as error:
        faults.append(Fault(f"{name}_FILE", f"The file cannot be read: {error.strerror}."))
    except UnicodeDecodeError:
        faults.append(Fault(f"{name}_FILE", "The file is no text in UTF-8."))
    return ""


def _unreadable(given: Mapping[str, str]) -> list[Fault]:
    """Name the settings that are no flag or number where they must be one."""
    kinds = {field.name: type(field.default) for field in msgspec.structs.fields(Settings)}
    flags = [name for name, value in given.items() if kinds[name] is bool and value.lower() not in _FLAGS]
    numbers = [name for name, value in given.items() if kinds[name] is int and not _NUMBER.fullmatch(value)]
    return [
        *(Fault(name.upper(), "It must be true or false.") for name in flags),
        *(Fault(name.upper(), "It must be a whole number, in digits alone.") for name in numbers),
    ]


def _is_origin(address: str) -> bool:
    try:
        parts = urlsplit(address)
        named = address.startswith(("http://", "https://")) and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(named) and not (parts.path or parts.query or parts.fragment)


def _is_web_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        return False


def _faults_of_provider_addresses(settings: Settings) -> list[Fault]:
    fields = [field.name for field in msgspec.structs.fields(settings) if field.name.startswith(_PROVIDERS)]
    wrong = [name for name in fields if name.endswith("_url") and not _is_web_address(getattr(settings, name))]
    return [Fault(name.upper(), _NO_ADDRESS) for name in wrong]


def _fault_of_database(address: str) -> str:
    """Say what is wrong with a database's address, without the address: it may hold a password."""
    if not address.startswith(("sqlite:///", "postgresql+psycopg://")):
        return "It must begin with postgresql:// or sqlite:///."
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        return "It must be of the form postgresql://user:password@host:port/database or sqlite:///path."
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        return "It must name a file: sqlite:///path, or sqlite:////path from the root of the disk."
    return ""


def is_page(address: str) -> bool:
    """Tell whether an address of the web can be sent to browsers as it is: no spaces, nothing that ends a header."""
    origin = "/".join(address.split("/")[:3])
    return _is_origin(origin) and "@" not in origin and all("!" <= character <= "~" for character in address)


def _faults_of_openid(settings: Settings) -> Iterator[Fault]:
    """Name what half a configuration lacks, and addresses that are none."""
    endpoints = ("oidc_issuer", "oidc_authorization", "oidc_token", "oidc_jwks")
    needed = ("oidc_client_id", "oidc_client_secret", *(() if settings.oidc_wellknown else endpoints))
    addresses = ("oidc_wellknown", *endpoints, "oidc_userinfo", "oidc_end_session")
    if any(getattr(settings, name) for name in (*needed, *addresses)):
        for name in needed:
            if not getattr(settings, name):
                detail = "OpenID needs it too. An address of discovery, OIDC_WELLKNOWN, stands for the others."
                yield Fault(name.upper(), detail if name in endpoints else "OpenID needs it too.")
    for name in addresses:
        address = getattr(settings, name)
        if address and not is_page(address):
            yield Fault(name.upper(), _NO_ADDRESS)


def _faults(settings: Settings) -> list[Fault]:
    faults = list(_faults_of_openid(settings))
    if not _is_origin(settings.address):
        faults.append(Fault("EXTERNAL_URL", "It must be http:// or https:// with a host and nothing behind it."))
    if detail := _fault_of_database(settings.database):
        faults.append(Fault("DATABASE_URL", detail))
    faults += _faults_of_provider_addresses(settings)
    if settings.x_accel_prefix and not _PREFIX.fullmatch(settings.x_accel_prefix):
        faults.append(Fault("X_ACCEL_PREFIX", "It must be a path such as /playdock-files, with no slash behind it."))
    if "://" in settings.objects_url and not settings.objects_url.startswith("file://"):
        faults.append(Fault("OBJECTS_URL", "Only a folder is supported in this release."))
    return faults
