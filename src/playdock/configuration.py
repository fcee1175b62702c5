"""Reading the settings: from the environment, a file ``.env``, and a configuration file, in this order.

All errors of all sources are reported together.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from playdock.kit.clock import time_of_day
from playdock.kit.config_file import read_config
from playdock.kit.database_urls import error_of_database_url
from playdock.kit.environment import SettingError, SettingSource, read_dotenv, read_value, type_errors
from playdock.kit.log_config import FORMATS, LEVELS
from playdock.kit.networks import ALL, entries_of
from playdock.kit.s3_location import error_of_s3_url, is_s3_url
from playdock.kit.secret_key import MIN_LENGTH
from playdock.kit.web_urls import is_base_url, is_origin, is_redirectable, is_web_url
from playdock.settings import Settings, SettingsUnusable

_INVALID_URL = "It must begin with http:// or https:// and must not contain spaces or a password."
_NODE = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")
# A century; more could lead past the last date that a computer can express.
_MAX_DAYS = 36_500
# Each of them has a thread.
_MAX_CPU_TASKS = 64
_PROVIDERS = ("steam_", "pcgamingwiki_", "igdb_", "giantbomb_", "steamgriddb_")
# The environment variable with the path of the configuration file.
CONFIG = "PLAYDOCK_CONFIG"


class Configuration(Struct, frozen=True):
    """The settings, and for each that is set the name of its source: the environment or the path of a file."""

    settings: Settings
    sources: Mapping[str, str]


def load(environment: Mapping[str, str] = os.environ, *, dotenv: Path = Path(".env")) -> Settings:
    """Read the settings. Raises as `read`."""
    return read(environment, dotenv=dotenv).settings


def read(environment: Mapping[str, str] = os.environ, *, dotenv: Path = Path(".env")) -> Configuration:
    """Read the settings and where they come from.

    Raises:
        SettingsUnusable: settings are invalid; all of them are named with the reason.
    """
    errors: list[SettingError] = []
    types = {field.name: type(field.default) for field in msgspec.structs.fields(Settings)}
    sources = [
        SettingSource("the environment", environment),
        SettingSource(str(dotenv), read_dotenv(dotenv, errors)),
    ]
    if config := environment.get(CONFIG):
        sources.append(SettingSource(config, read_config(Path(config), types, errors)))
    found = {name: value for name in types if (value := read_value(sources, name.upper(), errors))}
    values = {name: value.text for name, value in found.items() if value.text}
    for error in type_errors(values, types):
        errors.append(error)
        del values[error.name.lower()]
    settings = msgspec.convert(values, Settings, strict=False, dec_hook=lambda kind, value: kind(value))
    settings = msgspec.structs.replace(settings, external_url=settings.external_url.rstrip("/"))
    errors += _errors(settings)
    if errors:
        raise SettingsUnusable(errors)
    return Configuration(settings, {name.upper(): found[name].source for name in values})


def _provider_url_errors(settings: Settings) -> list[SettingError]:
    fields = [field.name for field in msgspec.structs.fields(settings) if field.name.startswith(_PROVIDERS)]
    invalid = [name for name in fields if name.endswith("_url") and not is_web_url(getattr(settings, name))]
    return [SettingError(name.upper(), _INVALID_URL) for name in invalid]


def _openid_errors(settings: Settings) -> Iterator[SettingError]:
    """Yield errors for missing settings of an incomplete configuration, and for invalid URLs."""
    endpoints = ("oidc_issuer", "oidc_authorization", "oidc_token", "oidc_jwks")
    needed = ("oidc_client_id", "oidc_client_secret", *(() if settings.oidc_wellknown else endpoints))
    addresses = ("oidc_wellknown", *endpoints, "oidc_userinfo", "oidc_end_session")
    if any(getattr(settings, name) for name in (*needed, *addresses)):
        for name in needed:
            if not getattr(settings, name):
                detail = "OpenID requires it too. Alternatively, set the discovery URL OIDC_WELLKNOWN."
                yield SettingError(name.upper(), detail if name in endpoints else "OpenID requires it too.")
    for name in addresses:
        address = getattr(settings, name)
        if address and not is_redirectable(address):
            yield SettingError(name.upper(), _INVALID_URL)


def _log_errors(settings: Settings) -> Iterator[SettingError]:
    for name, values in (("log_level", LEVELS), ("log_format", FORMATS)):
        if getattr(settings, name) not in values:
            yield SettingError(name.upper(), f"It must be {', '.join(values[:-1])} or {values[-1]}.")
    if settings.access_log and settings.log_level in LEVELS[1:]:
        yield SettingError("ACCESS_LOG", f"Its lines have the level {LEVELS[0]}. Set LOG_LEVEL={LEVELS[0]}.")


def _secret_errors(settings: Settings) -> Iterator[SettingError]:
    for name in ("secret_key", "metrics_token"):
        if (secret := getattr(settings, name)) and len(secret) < MIN_LENGTH:
            yield SettingError(name.upper(), f"It must have at least {MIN_LENGTH} random characters.")


def _backup_errors(settings: Settings) -> Iterator[SettingError]:
    if time_of_day(settings.backup_time) is None:
        yield SettingError("BACKUP_TIME", "It must be a time of day, such as 04:00.")


def _node_errors(settings: Settings) -> Iterator[SettingError]:
    if settings.node and not _NODE.fullmatch(settings.node):
        yield SettingError("NODE", "It must be at most 64 letters, digits, dots, hyphens and underscores.")
    if not 1 <= settings.cpu_tasks_per_node <= _MAX_CPU_TASKS:
        yield SettingError("CPU_TASKS_PER_NODE", f"It must be from 1 to {_MAX_CPU_TASKS}.")


def _errors(settings: Settings) -> list[SettingError]:
    """Return what is wrong with settings whose values have the right types."""
    errors = list(_openid_errors(settings))
    if not is_base_url(settings.address):
        detail = "It must be http:// or https:// with a host, and may end with a path such as /games."
        errors.append(SettingError("EXTERNAL_URL", detail))
    if detail := error_of_database_url(settings.database):
        errors.append(SettingError("DATABASE_URL", detail))
    errors += _provider_url_errors(settings)
    least_of = {
        "session_idle_days": 1,
        "token_max_days": 1,
        "audit_log_days": 1,
        "security_log_days": 0,
        "drain_seconds": 0,
    }
    for name, least in least_of.items():
        if not least <= getattr(settings, name) <= _MAX_DAYS:
            errors.append(SettingError(name.upper(), f"It must be from {least} to {_MAX_DAYS}."))
    if ALL in (proxies := entries_of(settings.trusted_proxies)) and len(proxies) > 1:
        errors.append(SettingError("TRUSTED_PROXIES", "* stands for all addresses. Set only *, or only addresses."))
    errors += _log_errors(settings)
    errors += _backup_errors(settings)
    errors += _secret_errors(settings)
    errors += _node_errors(settings)
    if not all(root.is_absolute() for root in settings.allowed_roots):
        errors.append(SettingError("LIBRARY_ROOTS", "It must be absolute paths of folders, separated by commas."))
    if settings.x_accel_prefix and not _PREFIX.fullmatch(settings.x_accel_prefix):
        errors.append(
            SettingError("X_ACCEL_PREFIX", "It must be a path such as /playdock-files, without a trailing slash.")
        )
    if not all(is_base_url(address) for address in entries_of(settings.mirrors)):
        detail = "It must be addresses such as https://mirror.example.org, without a final slash, separated by commas."
        errors.append(SettingError("MIRRORS", detail))
    errors += _object_errors(settings)
    return errors


def _object_errors(settings: Settings) -> Iterator[SettingError]:
    if is_s3_url(settings.objects_url):
        if detail := error_of_s3_url(settings.objects_url):
            yield SettingError("OBJECTS_URL", detail)
    elif "://" in settings.objects_url and not settings.objects_url.startswith("file://"):
        yield SettingError("OBJECTS_URL", "It must be the path of a folder, or s3://bucket/prefix.")
    if settings.objects_endpoint and not is_origin(settings.objects_endpoint):
        yield SettingError("OBJECTS_ENDPOINT", "It must be http:// or https:// with a host, without a path.")
    if bool(settings.objects_access_key_id) != bool(settings.objects_secret_access_key):
        missing = "OBJECTS_SECRET_ACCESS_KEY" if settings.objects_access_key_id else "OBJECTS_ACCESS_KEY_ID"
        yield SettingError(missing, "Set the access key and its secret together.")
