"""Settings: read once from the environment and an ``.env`` file, each with a description.

A secret may also come from a file: ``IGDB_CLIENT_SECRET_FILE=/run/secrets/igdb`` (decisions 1).
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from dotenv import dotenv_values
from msgspec import Meta
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from playdock.kit.errors import Fault, Invalid


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


def _is_origin(address: str) -> bool:
    try:
        parts = urlsplit(address)
        named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(named) and not (parts.path or parts.query or parts.fragment)


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


def _faults(settings: Settings) -> list[Fault]:
    faults = []
    if not _is_origin(settings.address):
        faults.append(Fault("EXTERNAL_URL", "It must be http:// or https:// with a host and nothing behind it."))
    if detail := _fault_of_database(settings.database):
        faults.append(Fault("DATABASE_URL", detail))
    if "://" in settings.objects_url and not settings.objects_url.startswith("file://"):
        faults.append(Fault("OBJECTS_URL", "Only a folder is supported in this release."))
    return faults
