"""Reading the settings: from the environment, a file ``.env``, and a configuration file, in this order.

All errors of all sources are reported together.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from playdock.kit.clock import time_of_day
from playdock.kit.config_file import read_config
from playdock.kit.database_urls import error_of_database_url
from playdock.kit.environment import SettingError, SettingSource, SettingsUnusable, read_dotenv, read_value, type_errors
from playdock.kit.log_config import LEVELS
from playdock.kit.messages import Message
from playdock.kit.networks import ALL, entries_of, is_host
from playdock.kit.s3_location import error_of_s3_url, is_s3_url
from playdock.kit.secret_key import MIN_LENGTH
from playdock.kit.web_urls import is_base_url, is_origin, is_redirectable, is_web_url
from playdock.setting_choices import ONE_OF, SOME_OF, chosen
from playdock.settings import Settings

_INVALID_URL = Message("setting-url")
_NODE = re.compile(r"[A-Za-z0-9._-]{1,64}")
# An address, or a name followed by one in angle brackets. Only characters that need no encoding or quoting in either.
_SENDER = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)*|[\w .&'+-]+<[\w.+-]+@[\w-]+(\.[\w-]+)*>", re.ASCII)
_MAX_PORT = 65_535
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")
# A century; more could lead past the last date that a computer can express.
_MAX_DAYS = 36_500
# A scan that waits for files to be unchanged must continue within ten minutes (`tasks.lease_queries.MAX_AHEAD`).
_MAX_QUIET_SECONDS = 300
_MAX_SCAN_MINUTES = 24 * 60
_COUNTS = ("saves_max_bytes", "saves_kept")
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
    types = _types()
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
    settings = _with_texts(Settings(), values)
    errors += _errors(settings)
    if errors:
        raise SettingsUnusable(errors)
    return Configuration(settings, {name.upper(): found[name].source for name in values})


class Merged(Struct, frozen=True):
    """A configuration with stored settings, and the errors of those that are left out."""

    configuration: Configuration
    errors: tuple[SettingError, ...]


def merge(fixed: Configuration, stored: Mapping[str, str], *, source: str) -> Merged:
    """Add stored texts, by the names of fields, for settings that no other source sets.

    The rules are the same. A text that is not valid is left out, as is one that is not valid without such a one.
    """
    values = {name: text for name, text in stored.items() if text and name.upper() not in fixed.sources}
    errors = type_errors(values, _types())
    values = _without(values, errors)
    if found := _errors(_with_texts(fixed.settings, values)):
        errors += found
        values = _without(values, found)
        if _errors(_with_texts(fixed.settings, values)):
            alone = {name: _with_texts(fixed.settings, {name: text}) for name, text in values.items()}
            values = {name: text for name, text in values.items() if not _errors(alone[name])}
    sources = {**fixed.sources, **{name.upper(): source for name in values}}
    return Merged(Configuration(_with_texts(fixed.settings, values), sources), tuple(errors))


def _types() -> dict[str, type]:
    return {field.name: type(field.default) for field in msgspec.structs.fields(Settings)}


def _without(values: Mapping[str, str], errors: Iterable[SettingError]) -> dict[str, str]:
    invalid = {error.name.lower() for error in errors}
    return {name: text for name, text in values.items() if name not in invalid}


def _with_texts(settings: Settings, texts: Mapping[str, str]) -> Settings:
    """Return a copy of settings with values from texts of the right types."""
    read = msgspec.convert(texts, Settings, strict=False, dec_hook=lambda kind, value: kind(value))
    changed = msgspec.structs.replace(settings, **{name: getattr(read, name) for name in texts})
    changed.external_url = changed.external_url.rstrip("/")
    return changed


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
                code = "setting-endpoint-needed" if name in endpoints else "setting-needed-for-openid"
                yield SettingError(name.upper(), Message(code))
    for name in addresses:
        address = getattr(settings, name)
        if address and not is_redirectable(address):
            yield SettingError(name.upper(), _INVALID_URL)


def _choice_errors(settings: Settings) -> Iterator[SettingError]:
    for name, values in ONE_OF.items():
        if getattr(settings, name) not in values:
            yield SettingError(name.upper(), Message("setting-one-of", others=", ".join(values[:-1]), last=values[-1]))
    for name, values in SOME_OF.items():
        if unknown := chosen(getattr(settings, name)).difference(value.lower() for value in values):
            found, known = ", ".join(sorted(unknown)), ", ".join(values)
            yield SettingError(name.upper(), Message("setting-some-of", unknown=found, known=known))


def _log_errors(settings: Settings) -> Iterator[SettingError]:
    if settings.access_log and settings.log_level in LEVELS[1:]:
        yield SettingError("ACCESS_LOG", f"Its lines have the level {LEVELS[0]}. Set LOG_LEVEL={LEVELS[0]}.")


def _secret_errors(settings: Settings) -> Iterator[SettingError]:
    for name in ("secret_key", "metrics_token"):
        if (secret := getattr(settings, name)) and len(secret) < MIN_LENGTH:
            yield SettingError(name.upper(), f"It must have at least {MIN_LENGTH} random characters.")


def _backup_errors(settings: Settings) -> Iterator[SettingError]:
    if "://" in settings.backup_folder and error_of_s3_url(settings.backup_folder):
        yield SettingError("BACKUP_FOLDER", Message("setting-backup-place"))
    if time_of_day(settings.backup_time) is None:
        yield SettingError("BACKUP_TIME", Message("setting-time"))


def _library_errors(settings: Settings) -> Iterator[SettingError]:
    if not 1 <= settings.library_quiet_seconds <= _MAX_QUIET_SECONDS:
        yield SettingError("LIBRARY_QUIET_SECONDS", f"It must be from 1 to {_MAX_QUIET_SECONDS}.")
    if not 1 <= settings.library_scan_minutes <= _MAX_SCAN_MINUTES:
        yield SettingError("LIBRARY_SCAN_MINUTES", Message("setting-range", least=1, most=_MAX_SCAN_MINUTES))
    if not all(root.is_absolute() for root in settings.allowed_roots):
        detail = "It must be absolute paths of folders, or s3://bucket/prefix, separated by commas."
        yield SettingError("LIBRARY_ROOTS", detail)


def _delivery_errors(settings: Settings) -> Iterator[SettingError]:
    for name, other in (("smtp_server", "smtp_from"), ("smtp_from", "smtp_server")):
        if getattr(settings, other) and not getattr(settings, name):
            yield SettingError(name.upper(), Message("setting-needed-for-email"))
    if settings.smtp_from and not _SENDER.fullmatch(settings.smtp_from):
        yield SettingError("SMTP_FROM", Message("setting-mail-sender"))
    if settings.smtp_server and not is_host(settings.smtp_server):
        yield SettingError("SMTP_SERVER", Message("setting-mail-server"))
    for name in ("smtp_user", "smtp_password"):
        if not getattr(settings, name).isascii():
            yield SettingError(name.upper(), Message("setting-mail-ascii"))
    if not 1 <= settings.smtp_port <= _MAX_PORT:
        yield SettingError("SMTP_PORT", Message("setting-range", least=1, most=_MAX_PORT))


def _node_errors(settings: Settings) -> Iterator[SettingError]:
    if settings.node and not _NODE.fullmatch(settings.node):
        yield SettingError("NODE", "It must be at most 64 letters, digits, dots, hyphens and underscores.")
    if not 1 <= settings.cpu_tasks_per_node <= _MAX_CPU_TASKS:
        yield SettingError("CPU_TASKS_PER_NODE", f"It must be from 1 to {_MAX_CPU_TASKS}.")


def _errors(settings: Settings) -> list[SettingError]:
    """Return what is wrong with settings whose values have the right types."""
    errors = list(_openid_errors(settings))
    if not is_base_url(settings.address):
        errors.append(SettingError("EXTERNAL_URL", Message("setting-base-url")))
    if detail := error_of_database_url(settings.database):
        errors.append(SettingError("DATABASE_URL", detail))
    errors += _provider_url_errors(settings)
    least_of = {
        "session_idle_days": 1,
        "token_max_days": 1,
        "audit_log_days": 1,
        "security_log_days": 0,
        "drain_seconds": 0,
        "verify_days": 0,
    }
    for name, least in least_of.items():
        if not least <= getattr(settings, name) <= _MAX_DAYS:
            errors.append(SettingError(name.upper(), Message("setting-range", least=least, most=_MAX_DAYS)))
    if ALL in (proxies := entries_of(settings.trusted_proxies)) and len(proxies) > 1:
        errors.append(SettingError("TRUSTED_PROXIES", "* stands for all addresses. Set only *, or only addresses."))
    errors += _choice_errors(settings)
    errors += _delivery_errors(settings)
    errors += _log_errors(settings)
    errors += _backup_errors(settings)
    errors += _secret_errors(settings)
    errors += _node_errors(settings)
    errors += _library_errors(settings)
    if settings.x_accel_prefix and not _PREFIX.fullmatch(settings.x_accel_prefix):
        errors.append(
            SettingError("X_ACCEL_PREFIX", "It must be a path such as /playdock-files, without a trailing slash.")
        )
    if not all(is_base_url(address) for address in entries_of(settings.mirrors)):
        detail = "It must be addresses such as https://mirror.example.org, without a final slash, separated by commas."
        errors.append(SettingError("MIRRORS", detail))
    errors += [SettingError(name.upper(), "It must be 0 or more.") for name in _COUNTS if getattr(settings, name) < 0]
    errors += _object_errors(settings)
    return errors


def error_of_objects_url(url: str) -> str:
    """Return what is wrong with the location of objects, empty if nothing is."""
    if is_s3_url(url):
        return error_of_s3_url(url)
    if "://" in url and not url.startswith("file://"):
        return "It must be the path of a folder, or s3://bucket/prefix."
    return ""


def _object_errors(settings: Settings) -> Iterator[SettingError]:
    if detail := error_of_objects_url(settings.objects_url):
        yield SettingError("OBJECTS_URL", detail)
    for name in ("objects_endpoint", "objects_public_endpoint"):
        if (endpoint := getattr(settings, name)) and not is_origin(endpoint):
            yield SettingError(name.upper(), "It must be http:// or https:// with a host, without a path.")
    if bool(settings.objects_access_key_id) != bool(settings.objects_secret_access_key):
        missing = "OBJECTS_SECRET_ACCESS_KEY" if settings.objects_access_key_id else "OBJECTS_ACCESS_KEY_ID"
        yield SettingError(missing, "Set the access key and its secret together.")
