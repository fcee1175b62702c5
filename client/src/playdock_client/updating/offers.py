"""Pure decisions about updates of the client: which offered release is wanted, and whether it is trusted."""

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Annotated

from msgspec import Meta

from playdock_client.errors import ClientError
from playdock_client.responses import ApiStruct
from playdock_client.transport import is_unencrypted
from playdock_client.updating.ed25519 import verify

# Several times the size of today's.
MAX_DOWNLOAD_BYTES = 300 * 1024 * 1024
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:(a|b|rc)(\d{1,6}))?")
_FINAL = "~"
# What servers offer to systems without an update of their own, which is installed with pipx or uv.
ANY_SYSTEM = "Any"
_PYTHON_PACKAGE = "playdock_client-{}-py3-none-any.whl"
_VersionKey = tuple[int, int, int, str, int]


class UnsignedUpdate(ClientError):
    """The update could have been changed on its way."""

    def __init__(self, version: str, server: str) -> None:
        super().__init__(
            f"Version {version} is not installed automatically: the connection to {server} is not encrypted, and the "
            "update has no valid signature of the project. Use the server's https address, or install it by hand."
        )


class ClientOffer(ApiStruct, frozen=True):
    """A release of the client for one system, as a server offers it. ``signature`` is of `statement`, in base64."""

    name: Annotated[str, Meta(max_length=200)]
    system: Annotated[str, Meta(max_length=20)]
    version: Annotated[str, Meta(max_length=40)]
    size: Annotated[int, Meta(ge=0)]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    signature: Annotated[str, Meta(max_length=200)] | None = None

    @property
    def is_valid(self) -> bool:
        """Return whether the signed name says the same as the other fields, and the size is allowed."""
        expected = f"playdock-update-{self.version}-{self.system.lower()}-x86_64.tar.xz"
        return self.name in (expected, _PYTHON_PACKAGE.format(self.version)) and self.size <= MAX_DOWNLOAD_BYTES


def newest_offer(offers: Iterable[ClientOffer], *, system: str, above: Sequence[str]) -> ClientOffer | None:
    """Return the newest release for a system, if it is newer than all of some other releases."""
    newer = [each for each in offers if each.system == system and each.is_valid]
    newer = [each for each in newer if all(is_newer(each.version, other) for other in above)]
    return max(newer, key=lambda each: version_key(each.version) or (), default=None)


def is_newer(version: str, other: str) -> bool:
    """Return whether a text is a version, and newer than the other one if that is a version too."""
    key = version_key(version)
    return key is not None and key > (version_key(other) or ())


def version_key(version: str) -> _VersionKey | None:
    """Return a key in the order of releases, None for what is no version.

    >>> version_key("1.10.0") > version_key("1.9.0") > version_key("1.9.0rc1")
    True
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        return None
    major, minor, patch, stage, number = match.groups()
    return int(major), int(minor), int(patch), stage or _FINAL, int(number or 0)


def statement(name: str, sha256: str) -> bytes:
    """Return what a release signs: the line with the checksum as ``sha256sum`` writes it."""
    return f"{sha256}  {name}\n".encode()


def require_trust(offer: ClientOffer, server: str, *, keys: Sequence[bytes]) -> None:
    """Check that an offer of a server is what it sent. Raises UnsignedUpdate.

    An encrypted connection ensures that, and so does this machine. Over any other one only a signature does.
    """
    if is_unencrypted(server) and not is_signed(offer, keys=keys):
        raise UnsignedUpdate(offer.version, server)


def is_signed(offer: ClientOffer, *, keys: Sequence[bytes]) -> bool:
    """Return whether an offer has a valid signature of one of the keys."""
    try:
        signature = base64.b64decode(offer.signature or "", validate=True)
    except (binascii.Error, ValueError):
        return False
    return any(verify(key, statement(offer.name, offer.sha256), signature) for key in keys)


def release_keys() -> Sequence[bytes]:
    """Return the public keys of the project."""
    lines = files("playdock_client.updating").joinpath("release_keys.txt").read_text("utf-8").splitlines()
    return [base64.b64decode(line, validate=True) for line in lines if line and not line.startswith("#")]
