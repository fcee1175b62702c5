"""What a provider tells about itself (OpenID Connect Discovery 1.0), and what the settings say instead."""

from dataclasses import dataclass, replace

import msgspec

from playdock.identity.claims import ALGORITHMS
from playdock.identity.errors import ProviderUnusable
from playdock.settings import Settings, is_page

_SUFFIX = "/.well-known/openid-configuration"
_ADDRESSES = ("authorization", "token", "jwks", "userinfo", "end_session")
_OTHER_ISSUER = (
    "calls itself otherwise in its discovery document than OIDC_ISSUER says, or, without that, than OIDC_WELLKNOWN does"
)


@dataclass(frozen=True, slots=True)
class Discovered:
    """A provider: its name, its addresses (empty: it has none), and how it speaks.

    ``algorithms`` are those it signs with and that are accepted; ``names_itself`` says that its answers by way of the
    browser carry its name (RFC 9207); ``secret_in_body`` that it wants the client's secret beside the code.
    """

    issuer: str
    authorization: str
    token: str
    jwks: str
    userinfo: str = ""
    end_session: str = ""
    algorithms: tuple[str, ...] = ALGORITHMS
    names_itself: bool = False
    secret_in_body: bool = False

    @property
    def addresses(self) -> dict[str, str]:
        """The addresses that there are, by what stands there."""
        return {name: address for name in _ADDRESSES if (address := getattr(self, name))}


class _Document(msgspec.Struct):
    """The parts of a discovery document that are read; all others are left alone."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    id_token_signing_alg_values_supported: list[str] | None = None
    token_endpoint_auth_methods_supported: list[str] | None = None
    authorization_response_iss_parameter_supported: bool | None = None


def configured(settings: Settings) -> Discovered:
    """Give the provider that the settings describe alone."""
    return _with_set_addresses(Discovered(settings.oidc_issuer, "", "", ""), settings)


def read_document(body: bytes, settings: Settings) -> Discovered:
    """Read a discovery document. An address that is set wins over the one in it.

    Raises:
        ProviderUnusable: it is none, or another provider's, or an address in it is none.
    """
    try:
        document = msgspec.json.decode(body, type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ProviderUnusable("has no discovery document where OIDC_WELLKNOWN points") from None
    if document.issuer not in _possible_issuers(settings):
        raise ProviderUnusable(_OTHER_ISSUER)
    found = _described(document)
    for name, address in found.addresses.items():
        if not is_page(address) or (settings.oidc_wellknown.startswith("https:") and address.startswith("http:")):
            raise ProviderUnusable(f"announces an address for {name.replace('_', ' ')} that cannot be used")
    if not found.algorithms:
        raise ProviderUnusable(f"signs with none of {', '.join(ALGORITHMS)}")
    return _with_set_addresses(found, settings)


def _possible_issuers(settings: Settings) -> tuple[str, ...]:
    """Give the names that the provider may have; a slash at its name's end is not in the document's address."""
    if settings.oidc_issuer:
        return (settings.oidc_issuer,)
    name = settings.oidc_wellknown.removesuffix(_SUFFIX)
    return (name, f"{name}/")


def _described(document: _Document) -> Discovered:
    signs = document.id_token_signing_alg_values_supported
    methods = document.token_endpoint_auth_methods_supported or ["client_secret_basic"]
    return Discovered(
        issuer=document.issuer,
        authorization=document.authorization_endpoint,
        token=document.token_endpoint,
        jwks=document.jwks_uri,
        userinfo=document.userinfo_endpoint or "",
        end_session=document.end_session_endpoint or "",
        algorithms=ALGORITHMS if signs is None else tuple(name for name in ALGORITHMS if name in signs),
        names_itself=bool(document.authorization_response_iss_parameter_supported),
        secret_in_body="client_secret_basic" not in methods and "client_secret_post" in methods,
    )


def _with_set_addresses(found: Discovered, settings: Settings) -> Discovered:
    return replace(
        found,
        authorization=settings.oidc_authorization or found.authorization,
        token=settings.oidc_token or found.token,
        jwks=settings.oidc_jwks or found.jwks,
        userinfo=settings.oidc_userinfo or found.userinfo,
        end_session=settings.oidc_end_session or found.end_session,
    )
