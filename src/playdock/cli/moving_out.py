"""The command `export`."""

from pathlib import Path

import msgspec

from playdock.audit.rules import Action
from playdock.cli.moving_in import show_progress
from playdock.cli.people import NoSuchUser, open_services
from playdock.configuration import Configuration
from playdock.features.moving_out.service import ExportFolder
from playdock.other_servers.export_format import ExportInfo


class ExportEntry(msgspec.Struct, frozen=True):
    """What is recorded of an export in the audit log."""

    path: str
    username: str | None


def export(configuration: Configuration, folder: Path, *, username: str | None) -> str:
    """Write an export, of one user if there is a user name, and return what was written, as text.

    Raises:
        NoSuchUser: no user has the user name.
        ExportFolderUsed, ExportFolderUnwritable: the folder cannot be used.
    """
    with open_services(configuration) as services:
        moving = services.moving_out
        user_id = moving.user_id(username) if username else None
        if username and user_id is None:
            raise NoSuchUser(username)
        target = ExportFolder.made(folder)
        action = Action("export", (), body=ExportEntry(str(folder), username))
        info = services.audit_log.record(
            None,
            action,
            lambda: moving.person(target, user_id) if user_id else moving.server(target, show_progress),
        )
    return _text(folder, info)


def _text(folder: Path, info: ExportInfo) -> str:
    lines = [f"The export {folder} is complete:"]
    lines += [f"* {name.removesuffix('.jsonl')}: {each.records:,}" for name, each in info.files.items()]
    lines += ["", "Not in it:", *(f"* {each.what}: {each.reason}." for each in info.left_out)]
    return "\n".join(lines)
