"""The command `doctor`, which checks the installation and explains how to fix problems."""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from rich.console import Console

from playdock.backups.errors import BackupFolderNotWritable
from playdock.backups.queries import referenced_keys
from playdock.cli.database_checks import check_database
from playdock.cli.failures import storage_advice
from playdock.cli.finding import DoctorFinding, report
from playdock.cli.opening import make_data_folder
from playdock.cli.setting_checks import check_settings
from playdock.configuration import Configuration
from playdock.db.database import Database
from playdock.db.migrate import server_time
from playdock.domain.libraries.queries import has_games, list_all
from playdock.domain.libraries.service import base_dir_of
from playdock.domain.server_settings.service import ServerSettings
from playdock.features.damage.queries import count_damaged
from playdock.features.reports import rules
from playdock.features.reports.rules import Check, CheckState
from playdock.identity.errors import IdentityProviderError
from playdock.identity.provider import CALLBACK
from playdock.kit.s3_location import is_s3_url
from playdock.kit.secret_key import SecretKeyReplaced, SecretKeyUnusable
from playdock.kit.storage_failures import StorageFailure, system_error
from playdock.kit.web_urls import is_local
from playdock.settings import Settings
from playdock.storage.blobs import Blobs, NoSuchBlob
from playdock.storage.installer_content import find_innoextract
from playdock.storage.unpacking import library_version
from playdock.web.services import Services
from playdock.web.wiring import wire

# More than the time of a query over a slow network, and too little to affect sessions and leases.
_MAX_SKEW_SECONDS = 5
# If objects were lost or not moved, usually all are missing.
_OBJECTS_LOOKED_FOR = 10
_STORAGE_ADVICE: Mapping[int, str] = {
    errno.ENOSPC: "Free some space on its disk, or move it and set OBJECTS_URL.",
    errno.EDQUOT: "Raise the quota of the service's user, or free some space.",
    errno.EROFS: "Mount its disk with write access, or move it and set OBJECTS_URL.",
}
_SETTINGS_ADVICE = "Correct it on the settings page."
_OTHER_STORAGE_ADVICE = "Check OBJECTS_URL and the folder's permissions."


def examine(configuration: Configuration, *, console: Console | None = None) -> bool:
    """Run all checks, print the results, and return whether all succeeded."""
    console = console or Console()
    known = ServerSettings(Database(configuration.settings.database), configuration)
    with closing(wire(known.settings, server_settings=known)) as services:
        return report(_findings(services), console)


def _finding(check: Check, subject: str = "") -> DoctorFinding:
    """Return the finding for a check of the dashboard. Warnings are not treated as problems."""
    return DoctorFinding(subject or check.name, check.detail if check.state is CheckState.BAD else "")


def _findings(services: Services) -> Iterator[DoctorFinding]:
    folder, database = _folder(services.settings), check_database(services.db)
    if not database.fault:
        # What is wrong with the secret key is a finding of its own.
        with suppress(SecretKeyUnusable, OSError):
            services.server_settings.load()
    yield from check_settings(services.settings, services.web, sources=services.server_settings.sources)
    yield from _stored_settings(services.server_settings)
    yield _passwords(services.settings)
    yield folder
    yield _secret_key(services)
    yield database
    if not database.fault:
        yield _clock(services)
        yield from _libraries(services)
        yield _damage(services)
        yield from _providers(services)
    yield _objects(services)
    if not database.fault:
        yield from _missing_objects(services)
    yield from _backups(services.settings)
    yield _archives()
    yield _installers()
    yield _clients(services)
    yield from openid(services)


def _stored_settings(server_settings: ServerSettings) -> Iterator[DoctorFinding]:
    for error in server_settings.faults:
        yield DoctorFinding(f"Setting {error.name} in the database is not used", str(error.detail), _SETTINGS_ADVICE)


def _passwords(settings: Settings) -> DoctorFinding:
    if not settings.simple:
        return DoctorFinding("Passwords: not used")
    if settings.refuse_weak_passwords or is_local(settings.address):
        return DoctorFinding("Passwords")
    hint = "If this server can be reached from the internet, set REFUSE_WEAK_PASSWORDS=true: see docs/security.md."
    return DoctorFinding("Passwords", hint=hint)


def _folder(settings: Settings) -> DoctorFinding:
    folder = settings.data_dir.absolute()
    subject = f"Data folder {folder}"
    try:
        make_data_folder(settings)
        _require_writable(folder)
        disk = shutil.disk_usage(folder)
        open_to_others = folder.stat().st_mode & stat.S_IRWXO
    except OSError as error:
        return _finding(rules.no_data_folder(system_error(error)), subject)
    if open_to_others:
        return DoctorFinding(
            subject, "Other users of this machine can access it.", f"Remove their access: chmod o-rwx {folder}"
        )
    return _finding(rules.free_space(disk.free, disk.total), f"{subject}, {disk.free // 1024**3} GiB free")


def _secret_key(services: Services) -> DoctorFinding:
    try:
        services.secret_key.load()
        services.secret_key.require_same()
    except (SecretKeyUnusable, SecretKeyReplaced) as error:
        return DoctorFinding("Secret key", error.detail)
    except OSError as error:
        return DoctorFinding("Secret key", f"{error.filename} cannot be used: {system_error(error)}.")
    return DoctorFinding("Secret key")


def _require_writable(folder: Path) -> None:
    """Create a file in a folder and delete it.

    Raises:
        OSError: that is not possible.
    """
    with tempfile.TemporaryFile(dir=folder):
        pass


def _clock(services: Services) -> DoctorFinding:
    skew = abs((server_time(services.db) - datetime.now(UTC)).total_seconds())
    if skew > _MAX_SKEW_SECONDS:
        fix = "Synchronize the clocks of both machines with a time server."
        return DoctorFinding("Clock", f"It differs from the database's by {skew:.0f} seconds.", fix)
    return DoctorFinding("Clock")


def _libraries(services: Services) -> Iterator[DoctorFinding]:
    with services.db.read() as session:
        libraries = {library: has_games(session, library.id) for library in list_all(session)}
    if not libraries:
        yield DoctorFinding("Libraries: none yet")
    for library, known in libraries.items():
        check = rules.library(library.name, services.libraries.backends.fault_of(library, has_games=known))
        yield _finding(check, f"{check.name} at {base_dir_of(library)}")


def _damage(services: Services) -> DoctorFinding:
    with services.db.read() as session:
        return _finding(rules.versions(count_damaged(session)))


def _providers(services: Services) -> Iterator[DoctorFinding]:
    providers = services.game_imports.providers
    for name in providers.missing(services.settings.named_providers):
        yield _finding(rules.provider_without_keys(name))
    faults = providers.check()
    if not faults:
        yield DoctorFinding("Metadata providers: none")
    for name, fault in faults.items():
        fix = "Check its key, its URL and the internet connection, or remove it from METADATA_PROVIDERS."
        yield DoctorFinding(f"Metadata provider {name}", fault, fix if fault else "")


def _objects(services: Services) -> DoctorFinding:
    if location := services.settings.objects_in_s3:
        return _objects_in_s3(services, f"Object storage {location.url} at {location.endpoint or 'the usual server'}")
    folder = services.settings.objects_dir.absolute()
    subject = f"Object storage {folder}"
    try:
        services.blobs.check()
        disk = shutil.disk_usage(folder)
    except OSError as error:
        fault = f"It is not writable: {(error.strerror or str(error)).lower()}."
        return DoctorFinding(subject, fault, _STORAGE_ADVICE.get(error.errno or 0, _OTHER_STORAGE_ADVICE))
    return _finding(rules.free_space(disk.free, disk.total), f"{subject}, {disk.free // 1024**3} GiB free")


def _objects_in_s3(services: Services, subject: str) -> DoctorFinding:
    endpoint = services.settings.objects_endpoint
    unencrypted = endpoint.startswith("http://") and not is_local(endpoint)
    hint = "The connection is not encrypted: use https:// in OBJECTS_ENDPOINT." if unencrypted else ""
    try:
        services.blobs.check()
    except StorageFailure as failure:
        return DoctorFinding(subject, f"{failure.reason}.", storage_advice(failure))
    except OSError as error:
        return DoctorFinding(subject, f"Its cache in DATA_DIR cannot be used: {system_error(error)}.")
    return DoctorFinding(subject, hint=hint)


def _missing_objects(services: Services) -> Iterator[DoctorFinding]:
    """Yield a finding if images that the database names are not where objects are stored."""
    with services.db.read() as session:
        keys = list(islice(referenced_keys(session), _OBJECTS_LOOKED_FOR))
    if missing := sum(not _is_stored(services.blobs, key) for key in keys):
        fault = f"{missing} of {len(keys)} that were looked for are not there."
        yield DoctorFinding("Images", fault, "Check OBJECTS_URL, move the objects there, or restore a backup.")


def _is_stored(blobs: Blobs, key: str) -> bool:
    """Return whether an object exists. One that cannot be read now is the matter of another finding."""
    try:
        os.close(blobs.descriptor(key))
    except NoSuchBlob:
        return False
    except OSError:
        return True
    return True


def _backups(settings: Settings) -> Iterator[DoctorFinding]:
    """Yield a finding if daily backups go to a folder."""
    place = settings.backup_folder
    if not place or is_s3_url(place):
        return
    folder = Path(place).absolute()
    # The first backup creates what is missing.
    existing = next(each for each in (folder, *folder.parents) if each.exists())
    is_writable = existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
    fault = "" if is_writable else BackupFolderNotWritable(str(folder), os.geteuid()).detail
    yield DoctorFinding(f"Backups in {folder}", fault)


def _archives() -> DoctorFinding:
    fault = "" if library_version() else "The system library libarchive is missing, so that .7z, .rar, .iso and .tar "
    advice = "archives cannot be imported. Install it; on Debian it is in the package libarchive13."
    return DoctorFinding("archives", fault and fault + advice)


def _installers() -> DoctorFinding:
    hint = "The program innoextract is missing, so that installers are not unpacked. On Debian it is in the package "
    return DoctorFinding("installers", hint="" if find_innoextract() else f"{hint}innoextract.")


def _clients(services: Services) -> DoctorFinding:
    content = services.client_downloads.content()
    names = ", ".join(each.name for each in content.files) or "none"
    return DoctorFinding(f"Client downloads: {names}", hint=content.advice)


def openid(services: Services) -> Iterator[DoctorFinding]:
    """Check the identity provider, if one is configured, and yield its configuration."""
    settings = services.settings
    if not settings.openid:
        yield DoctorFinding("OpenID: not configured")
        return
    try:
        metadata = services.provider.discover()
        keys = services.provider.count_keys()
    except IdentityProviderError as fault:
        subject = f"OpenID provider {settings.oidc_wellknown or settings.oidc_issuer}"
        yield DoctorFinding(
            subject, f"It {fault.reason}.", "Check the OIDC_ settings, and that this machine can reach it."
        )
        return
    yield DoctorFinding(f"OpenID provider {metadata.issuer}: {keys} keys, signs with {', '.join(metadata.algorithms)}")
    for name, address in metadata.addresses.items():
        yield DoctorFinding(f"OpenID {name.replace('_', ' ')} URL: {address}")
    yield DoctorFinding(f"OpenID redirect URL, to be registered with the provider: {settings.page(CALLBACK)}")
