"""``playdock invite`` and ``playdock token``."""

import json
from contextlib import closing
from typing import Any

import pytest

from playdock.features.invitations.rules import InvitationInfo
from playdock.kit.clock import utc_now

from .conftest import Outcome, Prompt, add_ada, is_sentence

_URL = "http://localhost:3000/auth/register?id="


def _invitation(prompt: Prompt, outcome: Outcome) -> InvitationInfo:
    assert outcome.status == 0, outcome.err
    last = outcome.out.splitlines()[-1]
    assert last.startswith(_URL)
    services = prompt.services()
    with closing(services.db):
        return services.invitations.find(last.removeprefix(_URL), address="127.0.0.1")


def test_invite_prints_the_link_last(prompt: Prompt) -> None:
    invitation = _invitation(prompt, prompt.run_program("invite"))
    assert (invitation.is_admin, invitation.username, invitation.email) == (False, None, None)
    assert invitation.expires > utc_now()


def test_invite_enforces_the_user_name_and_email(settled: Prompt) -> None:
    wanted = ("--admin", "--username", "ada", "--email", "ada@example.org", "--expires", "2090-01-31T12:00:00Z")
    invitation = _invitation(settled, settled.run("invite", *wanted))
    assert (invitation.is_admin, invitation.username, invitation.email) == (True, "ada", "ada@example.org")
    assert invitation.expires.isoformat() == "2090-01-31T12:00:00+00:00"


def test_invite_creates_a_missing_database(bare: Prompt) -> None:
    _invitation(bare, bare.run("invite"))


@pytest.mark.parametrize("moves", [(), ("DATABASE_URL", "OBJECTS_URL")])
def test_the_data_folder_is_created_accessible_only_to_its_owner(bare: Prompt, moves: tuple[str, ...]) -> None:
    (bare.folder / "elsewhere").mkdir()
    elsewhere = {"DATABASE_URL": f"sqlite:///{bare.folder}/elsewhere/db", "OBJECTS_URL": f"{bare.folder}/elsewhere"}
    invited = bare.run("invite", **{name: elsewhere[name] for name in moves})
    assert (invited.status, invited.err) == (0, "")
    assert (bare.folder / "data").stat().st_mode & 0o777 == 0o700
    assert (bare.folder / "data" / "security-log").is_dir()


def test_invite_uses_the_external_url(settled: Prompt) -> None:
    invited = settled.run("invite", EXTERNAL_URL="https://play.example.org/")
    assert invited.out.startswith("https://play.example.org/auth/register?id=")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--username", "a b"), "username: "),
        (("--email", "nowhere"), "email: "),
        (("--expires", "2020-01-01"), "expires: "),
        (("--expires", "2400-01-01"), "expires: "),
    ],
)
def test_invite_names_an_invalid_option(bare: Prompt, options: tuple[str, ...], named: str) -> None:
    refused = bare.run("invite", *options)
    assert (refused.status, refused.out) == (1, "")
    assert is_sentence(refused.err)
    assert named in refused.err


def test_invite_names_all_invalid_options(bare: Prompt) -> None:
    refused = bare.run("invite", "--username", "a b", "--email", "nowhere")
    assert all(named in refused.err for named in ("username: ", "email: "))


def test_an_invalid_expiry_time_is_reported(bare: Prompt) -> None:
    refused = bare.run("invite", "--expires", "nonsense")
    assert refused.status == 2
    assert "--expires" in refused.err
    assert "Traceback" not in refused.err


def _recorded(prompt: Prompt) -> list[dict[str, Any]]:
    files = (prompt.folder / "data" / "security-log").iterdir()
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_commands_record_security_events_without_a_network(settled: Prompt) -> None:
    add_ada(settled, admin=False)
    settled.run("invite", "--admin")
    settled.run("token", "--user", "ada", "--name", "backup", "--acl", "user:read")

    invited, made = _recorded(settled)

    assert (invited["event"], invited["admin"], invited["network"]) == ("invitation-created", True, "")
    assert (made["event"], made["permissions"], made["caller"]) == ("token-created", ["user:read"], "")


def test_token_prints_a_working_secret(prompt: Prompt) -> None:
    add_ada(prompt, admin=True)
    made = prompt.run("token", "--user", "ADA", "--name", "backup", "--acl", "user:read", "--acl", "system:user:read")
    assert made.status == 0, made.err
    services = prompt.services()
    with closing(services.db):
        actor = services.credentials.resolve(made.out.strip())
    assert actor is not None
    assert (actor.user.username, sorted(actor.acls)) == ("Ada", ["system:user:read", "user:read"])


@pytest.mark.parametrize(
    ("user", "acl", "named"),
    [
        ("nobody", "user:read", "nobody"),
        ("ada", "system:user:read", "system:user:read"),
    ],
)
def test_token_names_invalid_arguments(settled: Prompt, user: str, acl: str, named: str) -> None:
    add_ada(settled, admin=False)
    refused = settled.run("token", "--user", user, "--name", "backup", "--acl", acl)
    assert (refused.status, refused.out) == (1, "")
    assert is_sentence(refused.err)
    assert named in refused.err


def test_token_names_the_permissions_that_exist(bare: Prompt) -> None:
    refused = bare.run("token", "--user", "ada", "--name", "backup", "--acl", "user:nothing")
    assert refused.status == 2
    assert "'user:nothing' is not one of" in refused.err
    assert "'user:store:read'" in refused.err
    assert "'store:read'" not in refused.err


def test_token_requires_a_user(bare: Prompt) -> None:
    refused = bare.run("token", "--name", "backup", "--acl", "user:read")
    assert refused.status == 2
    assert "--user" in refused.err
