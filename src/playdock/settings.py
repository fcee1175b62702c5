"""Settings: read once from the environment and an ``.env`` file, each with a description.

A secret may also come from a file: ``IGDB_CLIENT_SECRET_FILE=/run/secrets/igdb`` (decisions 1).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from dotenv import dotenv_values
from msgspec import Meta

from playdock.kit.errors import Fault, InvalidInput


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set. A field's upper-case name is the environment's name for it."""

    external_url: Annotated[str, Meta(description="Address under which people reach the service.")] = (
        "http://localhost:3000"
    )
    data_dir: Annotated[Path, Meta(description="Everything the service writes, unless sent elsewhere.")] = Path("data")
    database_url: Annotated[str, Meta(description="postgresql://… or sqlite:///path; SQLite in DATA_DIR if unset.")] = (
        ""
    )
    objects_url: Annotated[
        str, Meta(description="Folder of pictures and manifests; a folder in DATA_DIR if unset.")
    ] = ""
    library: Annotated[
        str, Meta(description="A folder that becomes a Filesystem library named Library on first start.")
    ] = ""
    trusted_proxies: Annotated[
        str, Meta(description="Addresses, separated by commas, whose X-Forwarded-* headers are believed.")
    ] = ""

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
        return self.external_url.startswith("https://")

    def page(self, path: str) -> str:
        return f"{self.external_url}{path}"


def load(environment: Mapping[str, str] = os.environ, *, dotenv: Path = Path(".env")) -> Settings:
    """Read the settings.

    Raises:
        InvalidInput: naming every setting that cannot be used and why.
    """
    values = {**{key: value or "" for key, value in dotenv_values(dotenv).items()}, **environment}
    given = {
        field.name: value
        for field in msgspec.structs.fields(Settings)
        if (value := _value(values, field.name.upper())) is not None and value != ""
    }
    settings = msgspec.convert(given, Settings, strict=False, dec_hook=lambda kind, value: kind(value))
    settings = msgspec.structs.replace(settings, external_url=settings.external_url.rstrip("/"))
    faults = list(_faults(settings))
    if faults:
        raise InvalidInput(faults)
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


def _value(values: Mapping[str, str], name: str) -> str | None:
    if path := values.get(f"{name}_FILE"):
        try:
            return Path(path).read_text().strip()
        except OSError as error:
            raise InvalidInput([Fault(f"{name}_FILE", f"The file cannot be read: {error.strerror}.")]) from None
    return values.get(name)


def _faults(settings: Settings) -> list[Fault]:
    faults = []
    address = urlsplit(settings.external_url)
    if address.scheme not in ("http", "https") or not address.netloc or address.path or address.query:
        faults.append(Fault("EXTERNAL_URL", "It must be http:// or https:// with a host and nothing behind it."))
    if not settings.database.startswith(("sqlite:///", "postgresql+psycopg://")):
        faults.append(Fault("DATABASE_URL", "It must begin with postgresql:// or sqlite:///."))
    if "://" in settings.objects_url and not settings.objects_url.startswith("file://"):
        faults.append(Fault("OBJECTS_URL", "Only a folder is supported in this release."))
    return faults
