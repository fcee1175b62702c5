"""The reference pages say everything that there is to know, and say it as it is now."""

import re

import pytest

from playdock.auth.permissions import RESERVED_PERMISSIONS, Permission
from playdock.settings import Settings
from reference_docs import DOCS, commands, error_kinds, pages


@pytest.mark.parametrize("name", pages())
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text() == pages()[name], "Run tools/reference_docs.py."


def test_every_setting_is_described() -> None:
    described = (DOCS / "settings.md").read_text()
    assert [name for name in Settings.__struct_fields__ if f"| `{name.upper()}` |" not in described] == []


def test_every_permission_is_listed() -> None:
    listed = (DOCS / "permissions.md").read_text()
    assert [acl for acl in Permission if f"| `{acl.value}` |" not in listed] == []


def test_only_reserved_permissions_are_listed_without_a_call() -> None:
    idle = re.findall(r"^\| `(.*)` \| .* \| none yet \|$", (DOCS / "permissions.md").read_text(), re.MULTILINE)
    assert idle == [acl for acl in Permission if acl in RESERVED_PERMISSIONS]


def test_every_error_is_listed() -> None:
    listed = (DOCS / "errors.md").read_text()
    assert len(error_kinds()) > 30
    assert [kind for kind in error_kinds() if f"| `{kind.code()}` |" not in listed] == []


def test_every_command_is_described() -> None:
    described = (DOCS / "commands.md").read_text()
    assert set(commands()) >= {"serve", "worker", "invite", "token", "doctor", "openapi"}
    assert [name for name in commands() if f"## playdock {name}\n" not in described] == []


def test_error_codes_are_unique() -> None:
    codes = [kind.code() for kind in error_kinds()]
    assert len(set(codes)) == len(codes)


def test_every_error_has_a_docstring() -> None:
    assert [kind for kind in error_kinds() if not (kind.__doc__ or "").strip()] == []
