"""The commands `migrate` and `import-export`, which move from another server and write a report."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from playdock.audit.rules import Action
from playdock.cli.people import open_services
from playdock.configuration import Configuration
from playdock.features.moving_in.errors import MappingInvalid
from playdock.features.moving_in.person import plan_person
from playdock.features.moving_in.reporting import MoveReport
from playdock.features.moving_in.rules import MovedKind, Remark, with_identities
from playdock.features.moving_in.service import MovingIn, Plan
from playdock.features.moving_in.undoing import UndoingMoves
from playdock.kit.clock import timestamp, utc_now
from playdock.other_servers import playdock
from playdock.other_servers.model import SourceServer
from playdock.other_servers.objects import ObjectFolder
from playdock.other_servers.readers import read
from playdock.web.services import Services

# What an export is called where other servers have the names of their programs.
EXPORT = "playdock"
_REPORT_MODE = 0o600
# Between two lines of progress.
_STEP = 25
_PLURALS = {
    MovedKind.USER: "users",
    MovedKind.RESET: "users without a password",
    MovedKind.INVITATION: "invitations",
    MovedKind.LIBRARY: "libraries",
    MovedKind.GAME: "games",
    MovedKind.COMPANY: "companies",
    MovedKind.TAG: "tags",
    MovedKind.VERSION: "versions",
    MovedKind.COLLECTION: "collections",
    MovedKind.ENTRY: "games in collections",
    MovedKind.PLAY_RECORD: "play records",
    MovedKind.PLAY_SESSION: "play sessions",
    MovedKind.SAVE: "saved games",
    MovedKind.TOKEN: "API tokens",
}


class MigrationEntry(msgspec.Struct, frozen=True):
    """What is recorded of a move in the audit log."""

    name: str


def mapping_of(given: Sequence[str]) -> Mapping[str, str]:
    """Return folders of the other server and those on this machine.

    Raises:
        MappingInvalid: an option is not of the form OLD=NEW.
    """
    mapped = {}
    for each in given:
        old, _, new = each.partition("=")
        if not old or not new.startswith("/"):
            raise MappingInvalid(each)
        mapped[old] = new
    return mapped


class MoveOrigin(msgspec.Struct, frozen=True):
    """What is moved: from which kind of server, how it is read, and where its images and saved games are.

    ``username`` is the account that gets everything, empty if it is not the export of one person.
    """

    server: str
    read: Callable[[], SourceServer]
    objects: Path | None
    saves: Path | None
    username: str = ""


def origin_in_database(
    server: str, address: str, *, objects: Path | None, saves: Path | None, issuer: str
) -> MoveOrigin:
    """Return another server by the URL of its database; ``issuer`` is the OpenID provider that both use, or empty."""

    def read_with_identities() -> SourceServer:
        source = read(server, address, saves)
        return msgspec.structs.replace(source, users=with_identities(source.users, issuer))

    return MoveOrigin(server, read_with_identities, objects, objects if server == "drop" else saves)


def origin_in_export(folder: Path, *, username: str) -> MoveOrigin:
    """Return another Playdock server by the folder of its export, or one account there that ``username`` gets."""
    read_export = playdock.read_person if username else playdock.read
    return MoveOrigin(EXPORT, lambda: read_export(folder), folder, folder, username)


def plan(configuration: Configuration, origin: MoveOrigin, *, mapped: Mapping[str, str]) -> str:
    """Return what would be moved, as text. Nothing is changed."""
    source = origin.read()
    with open_services(configuration) as services:
        return _plan_text(_planned(_moving(services, origin), origin, source, mapped))


def move(configuration: Configuration, origin: MoveOrigin, *, mapped: Mapping[str, str]) -> str:
    """Move from another server, write a report, and return what was done, as text."""
    source = origin.read()
    with open_services(configuration) as services:
        moving = _moving(services, origin)
        planned = _planned(moving, origin, source, mapped)
        action = Action("migrate", (), body=MigrationEntry(source.name))
        report = services.audit_log.record(None, action, lambda: moving.move(planned))
        links = {name: services.settings.page(f"/auth/reset?id={secret}") for name, secret in report.resets.items()}
        text = f"{_plan_text(planned)}\n\n{_report_text(report, links)}\n"
        path = _write_report(services.settings.data_dir, origin.server, text)
    return f"{_report_text(report, links)}\n\nThe report is {path}."


def _planned(moving: MovingIn, origin: MoveOrigin, source: SourceServer, mapped: Mapping[str, str]) -> Plan:
    if origin.username:
        return plan_person(moving, source, username=origin.username)
    return moving.plan(source, mapped=mapped)


def plan_undo(configuration: Configuration, server: str) -> str:
    """Return what an undo would delete, as text. Nothing is changed."""
    with open_services(configuration) as services:
        return "\n".join(["This was moved, and would be deleted:", *_counted(_undoing(services, server).plan())])


def undo(configuration: Configuration, server: str) -> str:
    """Delete what was moved from another server, and return what was deleted, as text."""
    with open_services(configuration) as services:
        action = Action("undo_migration", (), body=MigrationEntry(server))
        report = services.audit_log.record(None, action, _undoing(services, server).undo)
    return "\n".join(["Deleted what was moved:", *_counted(report.deleted), *_lines(report.remarks)])


def _undoing(services: Services, server: str) -> UndoingMoves:
    return UndoingMoves(server, services.db, utc_now, services.objects, services.import_runs.game_metadata)


def _counted(amounts: Mapping[MovedKind, int]) -> list[str]:
    return [f"* {_PLURALS[kind]}: {count:,}" for kind, count in amounts.items()]


def _moving(services: Services, origin: MoveOrigin) -> MovingIn:
    return MovingIn(
        server=origin.server,
        db=services.db,
        clock=utc_now,
        passwords=services.accounts.passwords,
        objects=services.objects,
        libraries=services.libraries,
        invitations=services.invitations,
        game_metadata=services.import_runs.game_metadata,
        version_imports=services.version_imports,
        files=ObjectFolder(origin.objects),
        saves=ObjectFolder(origin.saves),
        settings=services.settings,
        progress=show_progress,
    )


def show_progress(kind: str, done: int, total: int) -> None:
    """Print how much is done."""
    if done % _STEP == 0 or done == total:
        print(f"{kind}: {done:,} of {total:,}", file=sys.stderr)  # noqa: T201 - for who waits


def _plan_text(planned: Plan) -> str:
    source = planned.source
    table: list[Sequence[str]] = [("", "found", "to add", "here already", "left out")]
    table += [(each.kind, *map(str, (each.found, each.added, each.present, each.omitted))) for each in planned.counts]
    lines = [f"From {source.name}", "", *(_row(row) for row in table)]
    if source.omissions:
        lines += ["", "Not moved:"]
        lines += [f"* {each.what} ({each.count:,}): {each.reason}" for each in source.omissions]
    if source.left_out:
        lines += ["", "Not in the export:", *(f"* {each}." for each in source.left_out)]
    if planned.remarks:
        lines += ["", "Remarks:", *_lines(planned.remarks)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return cells[0].ljust(20) + "".join(each.rjust(14) for each in cells[1:])


def _report_text(report: MoveReport, links: Mapping[str, str]) -> str:
    lines = ["Added:", *(f"* {kind}: {count:,}" for kind, count in report.added.items() if count)]
    if len(lines) == 1:
        lines = ["Nothing was added." if report.remarks else "Nothing was added: everything had been moved before."]
    if report.remarks:
        lines += ["", "Remarks:", *_lines(report.remarks)]
    if links:
        lines += ["", "Users who set a new password with their link, within a day:"]
        lines += [f"* {name}: {link}" for name, link in links.items()]
    return "\n".join(lines)


def _lines(remarks: Sequence[Remark]) -> list[str]:
    return [f"* {each.about}: {each.text}" for each in remarks]


def _write_report(folder: Path, server: str, text: str) -> Path:
    """Write a file that only its owner can read, because it may contain links with secrets."""
    path = folder / f"migration-{server}-{timestamp(utc_now()).replace(':', '')}.txt"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _REPORT_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path
