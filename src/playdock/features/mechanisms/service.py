"""Showing the ways to sign in, and taking one's own away."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import UNSET

from playdock.auth.acls import Acl
from playdock.auth.actor import Actor
from playdock.db.database import Database
from playdock.features.accounts import queries as account_queries
from playdock.features.mechanisms import queries
from playdock.features.mechanisms.errors import LastMechanism, MechanismUnknown
from playdock.features.mechanisms.schemas import MechanismsAnswer, OpenIdAnswer
from playdock.identity.errors import ProviderFault
from playdock.identity.provider import Provider
from playdock.models import Mechanism
from playdock.settings import Settings


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """The ways to sign in, those of the service and those of one user."""

    db: Database
    settings: Settings
    provider: Provider

    def configuration(self, actor: Actor) -> MechanismsAnswer:
        """Tell how the ways to sign in are configured, also while the identity provider is away."""
        actor.require(Acl.AUTH_READ)
        openid = self._openid() if self.settings.openid else UNSET
        return MechanismsAnswer(simple=self.settings.simple, openid=openid)

    def own(self, actor: Actor) -> Sequence[Mechanism]:
        actor.require_session()
        with self.db.read() as session:
            return queries.of_user(session, actor.person.id)

    def remove(self, actor: Actor, kind: str) -> None:
        """Take one of the caller's ways to sign in away.

        Raises:
            MechanismUnknown: the caller has none of this kind.
            LastMechanism: no other one is switched on.
        """
        actor.require_session()
        with self.db.write() as session:
            account_queries.hold_person(session, actor.person.id)
            found = {row.kind: row for row in queries.of_user(session, actor.person.id)}
            if kind not in found:
                raise MechanismUnknown
            if not found.keys() & set(self.settings.mechanisms) - {kind}:
                raise LastMechanism
            queries.remove(session, found[kind].id)

    def _openid(self) -> OpenIdAnswer:
        return OpenIdAnswer(
            authorization_url=self._authorization_address(),
            scopes=",".join(self.settings.scopes),
            admin_group=self.settings.oidc_admin_group,
            username_claim=self.settings.oidc_username_claim,
            external_url=self.settings.address,
        )

    def _authorization_address(self) -> str:
        try:
            return self.provider.discover().authorization
        except ProviderFault:
            return self.settings.oidc_authorization
