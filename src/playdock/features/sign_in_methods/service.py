"""Operations on sign-in methods."""

from collections.abc import Sequence

from msgspec import UNSET, Struct

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.db.database import Database
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.service import lock_caller
from playdock.features.sign_in_methods import queries
from playdock.features.sign_in_methods.errors import LastSignInMethod, SignInMethodUnknown
from playdock.features.sign_in_methods.schemas import OpenIdResponse, SignInMethodsResponse
from playdock.identity.errors import IdentityProviderError
from playdock.identity.provider import IdentityProvider
from playdock.kit.clock import Clock
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import SignInMethod
from playdock.settings import Settings


class SignInMethods(Struct, frozen=True):
    """The sign-in methods of the service and of the caller."""

    db: Database
    clock: Clock
    settings: Settings
    provider: IdentityProvider

    def configuration(self, actor: Actor) -> SignInMethodsResponse:
        """Return the configuration of the sign-in methods; works while the identity provider is unavailable."""
        actor.require(Permission.AUTH_READ)
        openid = self._openid() if self.settings.openid else UNSET
        return SignInMethodsResponse(simple=self.settings.simple, openid=openid)

    def own(self, actor: Actor) -> Sequence[SignInMethod]:
        actor.require_session()
        with self.db.read() as session:
            return queries.of_user(session, actor.user.id)

    def remove(self, actor: Actor, kind: str) -> None:
        """Remove one of the caller's sign-in methods.

        Raises:
            RecentSignInRequired: the caller has to confirm the password.
            SignInMethodUnknown: the caller has no method of this kind.
            LastSignInMethod: no other enabled method would remain.
        """
        actor.require_recent_sign_in(now=self.clock())
        with self.db.write() as session:
            lock_caller(session, actor)
            methods = {row.kind: row for row in queries.of_user(session, actor.user.id)}
            if kind not in methods:
                raise SignInMethodUnknown
            if not methods.keys() & set(self.settings.sign_in_methods) - {kind}:
                raise LastSignInMethod
            account_queries.remove_sign_in_method(session, methods[kind].id)
        record(SecurityEvent.SIGN_IN_METHOD_REMOVED, method=kind)

    def _openid(self) -> OpenIdResponse:
        return OpenIdResponse(
            authorization_url=self._authorization_address(),
            scopes=",".join(self.settings.scopes),
            admin_group=self.settings.oidc_admin_group,
            username_claim=self.settings.oidc_username_claim,
            external_url=self.settings.address,
        )

    def _authorization_address(self) -> str:
        try:
            return self.provider.discover().authorization
        except IdentityProviderError:
            return self.settings.oidc_authorization
