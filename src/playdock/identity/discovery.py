"""The configuration of an identity provider: its discovery document (OpenID Connect Discovery 1.0) and the settings."""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playdock.identity.claims import ALGORITHMS
from playdock.identity.errors import IdentityProviderUnusable
from playdock.kit.web_urls import is_redirectable
from playdock.settings import Settings

_SUFFIX = "/.well-known/openid-configuration"
_ADDRESSES = ("authorization", "token", "jwks", "userinfo", "end_session")
_OTHER_ISSUER = "reports an issuer that does not match OIDC_ISSUER (or OIDC_WELLKNOWN, if OIDC_ISSUER is unset)"


class ProviderConfiguration(Struct, frozen=True):
    """An identity provider: its issuer, its endpoints (empty if it has none), and its variant of the protocol.

    ``algorithms`` are the accepted ones of those it signs with. ``sends_issuer`` says that its authorization responses
    carry the ``iss`` parameter (RFC 9207), ``secret_in_body`` that it expects the client secret in the body of token
    requests instead of the Authorization header.
    """

    issuer: str
    authorization: str
    token: str
    jwks: str
    userinfo: str = ""
    end_session: str = ""
    algorithms: tuple[str, ...] = ALGORITHMS
    sends_issuer: bool = False
    secret_in_body: bool = False

    @property
    def addresses(self) -> dict[str, str]:
        """The URLs of the endpoints that the provider has, by name."""
        return {name: address for name in _ADDRESSES if (address := getattr(self, name))}


class _Document(msgspec.Struct):
    """The fields of a discovery document that are used."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    id_token_signing_alg_values_supported: list[str] | None = None
    token_endpoint_auth_methods_supported: list[str] | None = None
    authorization_response_iss_parameter_supported: bool | None = None


def configured(settings: Settings) -> ProviderConfiguration:
    """Return the configuration from the settings alone."""
    return _with_settings(ProviderConfiguration(settings.oidc_issuer, "", "", ""), settings)


def read_document(body: bytes, settings: Settings) -> ProviderConfiguration:
    """Parse a discovery document. Endpoints in the settings take precedence over those in the document.

    Raises:
        IdentityProviderUnusable: the document is invalid, has another issuer, or names an invalid endpoint or no
            accepted algorithm.
    """
    try:
        document = msgspec.json.decode(body, type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise IdentityProviderUnusable("has no valid discovery document at OIDC_WELLKNOWN") from None
    if document.issuer not in _possible_issuers(settings):
        raise IdentityProviderUnusable(_OTHER_ISSUER)
    configuration = _configuration_of(document)
    for name, address in configuration.addresses.items():
        if not is_redirectable(address) or (
            settings.oidc_wellknown.startswith("https:") and address.startswith("http:")
        ):
            raise IdentityProviderUnusable(f"announces an invalid URL for its {name.replace('_', ' ')} endpoint")
    if not configuration.algorithms:
        raise IdentityProviderUnusable(f"supports none of the signing algorithms {', '.join(ALGORITHMS)}")
    return _with_settings(configuration, settings)


def _possible_issuers(settings: Settings) -> tuple[str, ...]:
    """Return the issuers that are accepted; the URL of the document does not show whether one ends with a slash."""
    if settings.oidc_issuer:
        return (settings.oidc_issuer,)
    issuer = settings.oidc_wellknown.removesuffix(_SUFFIX)
    return (issuer, f"{issuer}/")


def _configuration_of(document: _Document) -> ProviderConfiguration:
    algorithms = document.id_token_signing_alg_values_supported
    methods = document.token_endpoint_auth_methods_supported or ["client_secret_basic"]
    return ProviderConfiguration(
        issuer=document.issuer,
        authorization=document.authorization_endpoint,
        token=document.token_endpoint,
        jwks=document.jwks_uri,
        userinfo=document.userinfo_endpoint or "",
        end_session=document.end_session_endpoint or "",
        algorithms=ALGORITHMS if algorithms is None else tuple(name for name in ALGORITHMS if name in algorithms),
        sends_issuer=bool(document.authorization_response_iss_parameter_supported),
        secret_in_body="client_secret_basic" not in methods and "client_secret_post" in methods,
    )


def _with_settings(configuration: ProviderConfiguration, settings: Settings) -> ProviderConfiguration:
    return replace(
        configuration,
        authorization=settings.oidc_authorization or configuration.authorization,
        token=settings.oidc_token or configuration.token,
        jwks=settings.oidc_jwks or configuration.jwks,
        userinfo=settings.oidc_userinfo or configuration.userinfo,
        end_session=settings.oidc_end_session or configuration.end_session,
    )
