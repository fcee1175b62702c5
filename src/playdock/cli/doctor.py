"""The doctor: what is well, what is broken, and how to mend it."""

import shutil
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from rich.console import Console
from rich.markup import escape
from sqlalchemy.exc import SQLAlchemyError

from playdock.cli.opening import make_data_folder
from playdock.db.faults import reason_of
from playdock.db.migrate import is_current, server_time
from playdock.features.damage.queries import count_damaged
from playdock.features.libraries.queries import everything
from playdock.features.libraries.service import fault_of
from playdock.features.statistics import rules
from playdock.features.statistics.rules import Check, State
from playdock.identity.errors import ProviderFault
from playdock.identity.provider import CALLBACK
from playdock.settings import Settings
from playdock.web.services import Services, wire

_MOST_SKEW_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, what is wrong with it (nothing: it is well), and how to mend that."""

    subject: str
    fault: str = ""
    fix: str = ""


def examine(settings: Settings, *, console: Console | None = None) -> bool:
    """Look at everything, print what was found, and tell whether all is well."""
    console = console or Console()
    services = wire(settings)
    sound = tell(_findings(services), console)
    services.web.close()
    services.db.close()
    return sound


def tell(findings: Iterable[Finding], console: Console) -> bool:
    """Print findings as they come, and tell whether all is well."""
    sound = True
    for finding in findings:
        mark = "[red]broken[/]" if finding.fault else "[green]well[/]  "
        console.print(f"{mark} {escape(finding.subject)}", soft_wrap=True)
        if finding.fault:
            sound = False
            console.print(f"       {escape(f'{finding.fault} {finding.fix}'.rstrip())}", soft_wrap=True)
    return sound


def _found(check: Check, subject: str = "") -> Finding:
    """Tell what was found as the dashboard does; what is only in need of a look is not broken."""
    return Finding(subject or check.name, check.detail if check.state is State.BAD else "")


def _findings(services: Services) -> Iterator[Finding]:
    yield Finding(f"Settings: people come by {services.settings.address}")
    if services.settings.needs_data_dir:
        yield _folder(services.settings)
    database = _database(services)
    yield database
    if not database.fault:
        yield _clock(services)
        yield from _libraries(services)
        yield _damage(services)
        yield from _providers(services)
    yield _objects(services)
    yield from openid(services)


def _folder(settings: Settings) -> Finding:
    folder = settings.data_dir.absolute()
    subject = f"Data folder {folder}"
    try:
        make_data_folder(settings)
        disk = shutil.disk_usage(folder)
        open_to_others = folder.stat().st_mode & stat.S_IRWXO
    except OSError as error:
        return _found(rules.no_data_folder(error.strerror or str(error)), subject)
    if open_to_others:
        return Finding(
            subject, "Other users of this machine may look into it.", f"Close it to them: chmod o-rwx {folder}"
        )
    return _found(rules.free_space(disk.free, disk.total), f"{subject}, {disk.free // 1024**3} GiB free")


def _database(services: Services) -> Finding:
    subject = f"Database {services.db.url.render_as_string(hide_password=True)}"
    try:
        current = is_current(services.db)
    except (SQLAlchemyError, OSError) as error:
        return Finding(
            subject, f"It cannot be reached: {reason_of(error)}.", "Check DATABASE_URL, and that the server runs."
        )
    if not current:
        return Finding(subject, "It is not of this release's form.", "Start `playdock serve` once: it upgrades it.")
    return Finding(subject)


def _clock(services: Services) -> Finding:
    skew = abs((server_time(services.db) - datetime.now(UTC)).total_seconds())
    if skew > _MOST_SKEW_SECONDS:
        fix = "Let both machines set their clocks by a time server."
        return Finding("Clock", f"It differs from the database's by {skew:.0f} seconds.", fix)
    return Finding("Clock")


def _libraries(services: Services) -> Iterator[Finding]:
    with services.db.read() as session:
        libraries = everything(session)
    if not libraries:
        yield Finding("Libraries: none yet")
    for library in libraries:
        check = rules.library(library.name, fault_of(library))
        yield _found(check, f"{check.name} at {library.options['baseDir']}")


def _damage(services: Services) -> Finding:
    with services.db.read() as session:
        return _found(rules.versions(count_damaged(session)))


def _providers(services: Services) -> Iterator[Finding]:
    providers = services.game_imports.providers
    for name in providers.missing(services.settings.named_providers):
        yield _found(rules.provider_without_keys(name))
    ailments = providers.examine()
    if not ailments:
        yield Finding("Metadata providers: none")
    for name, fault in ailments.items():
        fix = "Check its key and address, and that this machine has a way out; or leave it out of METADATA_PROVIDERS."
        yield Finding(f"Metadata provider {name}", fault, fix if fault else "")


def _objects(services: Services) -> Finding:
    subject = f"Object storage {services.settings.objects_dir}"
    try:
        services.blobs.check()
    except OSError as error:
        return Finding(
            subject, f"It cannot be written: {error.strerror}.", "Check OBJECTS_URL and the folder's rights."
        )
    return Finding(subject)


def openid(services: Services) -> Iterator[Finding]:
    """Look at the identity provider, if there is one, and tell what it told about itself."""
    settings = services.settings
    if not settings.openid:
        yield Finding("OpenID: not set up")
        return
    try:
        found = services.provider.discover()
        keys = services.provider.count_keys()
    except ProviderFault as fault:
        subject = f"OpenID provider {settings.oidc_wellknown or settings.oidc_issuer}"
        yield Finding(subject, f"It {fault.reason}.", "Check the OIDC_ settings, and that this machine reaches it.")
        return
    yield Finding(f"OpenID provider {found.issuer}: {keys} keys, signs with {', '.join(found.algorithms)}")
    for name, address in found.addresses.items():
        yield Finding(f"OpenID address of {name.replace('_', ' ')}: {address}")
    yield Finding(f"OpenID redirect address, to be registered at the provider: {settings.page(CALLBACK)}")
