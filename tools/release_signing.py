"""Sign updates of the client with Ed25519, so that they can be installed over unencrypted connections.

`PLAYDOCK_SIGNING_KEY` is the private key in PEM format, or the path of a file with it:

    openssl genpkey -algorithm ed25519 -out release-key.pem
    PLAYDOCK_SIGNING_KEY=release-key.pem make client
"""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from playdock_client.updating.offers import release_keys

VARIABLE = "PLAYDOCK_SIGNING_KEY"


def signing_key(environment: Mapping[str, str]) -> Ed25519PrivateKey | None:
    """Return the key of the environment, None without one.

    Raise SystemExit if it is invalid, or if the clients to be built would not accept its signatures.
    """
    given = environment.get(VARIABLE)
    if not given:
        return None
    try:
        key = load_pem_private_key((given if "-----" in given else Path(given).read_text()).encode(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise SystemExit(f"{VARIABLE} is not an unencrypted private key in PEM format: {error}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SystemExit(f"{VARIABLE} is not an Ed25519 key. Make one: openssl genpkey -algorithm ed25519 -out FILE")
    public = key.public_key().public_bytes_raw()
    if public not in release_keys():
        line = base64.b64encode(public).decode()
        raise SystemExit(
            f"Clients do not know the key in {VARIABLE}. If it is yours to use for releases, add this line to "
            f"client/src/playdock_client/updating/release_keys.txt: {line}"
        )
    return key


def sign_updates(folder: Path, checksums: Sequence[str], key: Ed25519PrivateKey) -> None:
    """Write a signature beside each update: of its line in the list of checksums."""
    for line in checksums:
        name = line.split()[1]
        if name.startswith("playdock-update-"):
            signature = base64.b64encode(key.sign(line.encode())).decode()
            (folder / f"{name}.sig").write_text(f"{signature}\n")
