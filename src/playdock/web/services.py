"""The services of one process, wired once."""

from dataclasses import dataclass

from playdock.auth.bearers import Bearers
from playdock.auth.passwords import PasswordLane, Passwords
from playdock.db.database import Database
from playdock.features.accounts.service import Accounts
from playdock.features.invitations.service import Invitations
from playdock.features.objects.service import Objects
from playdock.features.sessions.service import Sessions
from playdock.features.tokens.service import Tokens
from playdock.kit.clock import Clock, utc_now
from playdock.settings import Settings
from playdock.storage.blobs import Blobs, LocalBlobs


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that routes, tasks and commands call."""

    settings: Settings
    db: Database
    blobs: Blobs
    bearers: Bearers
    password_lane: PasswordLane
    objects: Objects
    accounts: Accounts
    sessions: Sessions
    tokens: Tokens
    invitations: Invitations


def wire(settings: Settings, *, clock: Clock = utc_now, passwords: Passwords | None = None) -> Services:
    """Make all services; nothing is opened or written yet."""
    db = Database(settings.database)
    blobs = LocalBlobs(settings.objects_dir)
    passwords = passwords or Passwords()
    objects = Objects(db, clock, blobs)
    return Services(
        settings=settings,
        db=db,
        blobs=blobs,
        bearers=Bearers(db, clock),
        password_lane=PasswordLane(),
        objects=objects,
        accounts=Accounts(db, clock, passwords, objects),
        sessions=Sessions(db, clock, passwords),
        tokens=Tokens(db, clock),
        invitations=Invitations(db, clock, passwords, objects),
    )
