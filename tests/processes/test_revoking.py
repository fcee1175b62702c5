"""A credential revoked in one process is rejected by another at its next request, even if it was cached."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .service import Service

pytestmark = pytest.mark.both_databases

ROUNDS = 20


@pytest.fixture
def other(service: Service, tmp_path: Path) -> Iterator[Service]:
    """A second process with the same database."""
    (tmp_path / "other").mkdir()
    other = Service(tmp_path / "other", service.database_url)
    yield other
    other.end()


def _refused(here: Service, there: Service) -> bool:
    """Create a token in one process, use it in another, revoke it, and return whether it is then rejected."""
    made = here.post("/api/v1/user/token", {"name": "n", "acls": ["user:read"]})
    there.token = made["token"]
    used = [there.get("/api/v1/user") for _ in range(3)]
    assert None not in used
    [listed] = here.get("/api/v1/user/token")
    assert here.request("DELETE", f"/api/v1/user/token/{listed['id']}").is_success
    return there.get("/api/v1/user") is None


def test_a_credential_revoked_in_one_process_is_rejected_by_another(service: Service, other: Service) -> None:
    service.start()
    other.start()
    service.sign_up(service.invitations[0])

    assert [_refused(service, other) for _ in range(ROUNDS)] == [True] * ROUNDS

    other.token = service.token
    assert other.get("/api/v1/user")["username"] == "ada"
    assert service.request("POST", "/api/v1/auth/signout").is_success
    assert other.get("/api/v1/user") is None
