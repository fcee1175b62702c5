"""The server, as typed calls."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Self, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from playdock_client.answers import (
    DeviceInfo,
    FoundGame,
    GamePage,
    Limits,
    PatchSet,
    SignIn,
    UserInfo,
    VersionInfo,
)
from playdock_client.errors import (
    BadAnswer,
    ClientError,
    Refused,
    SignInPending,
    SignInRefused,
    SlowDown,
    VersionChanged,
)
from playdock_client.manifest import Manifest, read_manifest
from playdock_client.transport import Body, Broken, Gate, Patience, Transport
from playdock_client.unpacking import Frames, unpacked

_T = TypeVar("_T")
_CLIENT = "playdock-client"
_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_LARGEST_ANSWER = 16 * 1024 * 1024
_LARGEST_MANIFEST = 512 * 1024 * 1024
_MOST_GAMES_A_PAGE = 100
_FIRST_PATIENCE = 5.0
_OK, _ACCEPTED, _EMPTY, _PARTIAL, _UNCHANGED = 200, 202, 204, 206, 304
_NOT_FOUND, _OUT_OF_RANGE, _TOO_MANY = 404, 416, 429
_CHANGED = "The version was imported again meanwhile."
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class FetchedManifest(msgspec.Struct, frozen=True):
    """A manifest, its ETag without quotes, its own JSON, and how many bytes came over the network."""

    manifest: Manifest
    etag: str
    data: bytes
    fetched: int


class _StorePage(msgspec.Struct):
    games: list[FoundGame]
    next: str | None = None


class _Token(msgspec.Struct):
    access_token: str


class Server:
    """A Playdock server at `address` (scheme, host and port); `token` is sent with every call where there is one.

    Calls are tried again for `patience` seconds when the connection fails, but for 5 at most as long as the server has
    never answered. All raise ServerAway when it stays away, NotSignedIn, Refused with the server's own sentence, or
    BadAnswer.
    """

    def __init__(self, address: str, token: str | None = None, *, patience: float = 60.0) -> None:
        self._transport = Transport(address, token)
        self.patience = patience
        self._has_answered = False

    @property
    def address(self) -> str:
        """The address made regular: ``https://games.example.org``."""
        return self._transport.address

    @property
    def received(self) -> int:
        """How many bytes have come in the bodies of all answers."""
        return self._transport.received

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def user(self) -> UserInfo | None:
        """Tell who is signed in, None if nobody."""
        found: UserInfo | None = self._get("/api/v1/user", UserInfo | None)  # type: ignore[arg-type]
        return found

    def search(self, text: str, *, limit: int = 50) -> list[FoundGame]:
        """Find games of the store by words, the best first; all games if `text` is empty."""
        found: list[FoundGame] = []
        after = ""
        while len(found) < limit:
            query = {"q": text, "limit": min(limit - len(found), _MOST_GAMES_A_PAGE), "after": after}
            page = self._get("/api/v1/store?" + urlencode(query), _StorePage)
            found += page.games
            if not page.games or not page.next:
                break
            after = page.next
        return found[:limit]

    def game(self, game_id: str) -> GamePage:
        """Tell of a game, with its versions and the platforms that these are for."""
        page = self._get(f"/api/v1/games/{_part(game_id)}", GamePage)
        platforms = tuple(sorted({version.platform for version in page.versions}))
        return msgspec.structs.replace(page, platforms=platforms)

    def versions(self, game_id: str) -> list[VersionInfo]:
        """List the versions of a game, oldest first."""
        return self._get(f"/api/v1/games/{_part(game_id)}/versions", list[VersionInfo])

    def limits(self) -> Limits:
        """Tell how fast and how many at once the server lets this user download."""
        return self._get("/api/v1/user/limits", Limits)

    def manifest(self, version_id: str, *, etag: str | None = None) -> FetchedManifest | None:
        """Fetch a version's manifest, None if it still is that of the `etag`. Raises BadManifest."""
        headers = {"Accept-Encoding": "zstd", **({"If-None-Match": f'"{etag}"'} if etag else {})}
        return self._again(lambda: self._manifest(f"/api/v1/versions/{_part(version_id)}/manifest", headers))

    def patches(self, version_id: str, *, base: str, patience: float = 0.0) -> PatchSet | None:
        """Find the patches from the version `base`, None if there are none or the server has too much to do for them.

        Asking has the server make them where it can; `patience` is for how many seconds to wait for that.
        """
        target = f"/api/v1/versions/{_part(version_id)}/patches?" + urlencode({"from": base})
        deadline = time.monotonic() + patience
        while True:
            found, wait = self._again(lambda: self._patches(target))
            if found is not None or wait is None or time.monotonic() + wait > deadline:
                return found
            time.sleep(wait)

    @contextmanager
    def range(
        self, version_id: str, start: int, end: int, *, etag: str = "", gate: Gate | None = None
    ) -> Iterator[Body]:
        """Fetch the bytes `start` to `end` (exclusive) of a version's image, once; `etag` is the image's, if known.

        Raises VersionChanged if the image is another now, and Broken for what may be tried again.
        """
        headers = {"Range": f"bytes={start}-{end - 1}", **({"If-Range": f'"{etag}"'} if etag else {})}
        with self._content(f"/api/v1/versions/{_part(version_id)}/content", headers, gate=gate) as body:
            _check_range(body, start=start, end=end)
            yield body

    @contextmanager
    def frames(
        self, version_id: str, start: int, end: int, *, etag: str = "", gate: Gate | None = None
    ) -> Iterator[Frames]:
        """Fetch the same compressed; both must be borders of chunks."""
        target = f"/api/v1/versions/{_part(version_id)}/content?frames=zstd&start={start}&end={end}"
        with self._content(target, {}, gate=gate) as body:
            if body.status != _OK or not body.header("Content-Type").startswith("application/zstd"):
                raise BadAnswer("The server does not compress what was asked to be compressed.")
            if etag and body.etag != etag:
                raise VersionChanged(_CHANGED)
            yield Frames(body)

    @contextmanager
    def patch_bytes(self, set_id: str, start: int, end: int, *, gate: Gate | None = None) -> Iterator[Body]:
        """Fetch bytes of a set of patches, once."""
        headers = {"Range": f"bytes={start}-{end - 1}"}
        with self._content(f"/api/v1/patches/{_part(set_id)}", headers, gate=gate) as body:
            _check_range(body, start=start, end=end)
            yield body

    def begin_sign_in(self, name: str, platform: str | None) -> SignIn:
        """Begin to sign this device in (RFC 8628)."""
        form = {"client_id": _CLIENT, "device_name": name[:80], **({"platform": platform} if platform else {})}
        return self._post("/oauth/device_authorization", form, SignIn)

    def ask_for_token(self, device_code: str) -> str:
        """Ask for the token once. Raises SignInPending, SlowDown or SignInRefused."""
        form = {"grant_type": _DEVICE_GRANT, "device_code": device_code, "client_id": _CLIENT}
        try:
            return self._post("/oauth/token", form, _Token).access_token
        except Refused as refused:
            raise _sign_in_error(refused) from None

    def devices(self) -> list[DeviceInfo]:
        """List the devices that are signed in as this user."""
        return self._get("/api/v1/user/client", list[DeviceInfo])

    def sign_out(self) -> None:
        """Sign this device out, so that its token is worth nothing any more; another token is left alone."""
        for device in self.devices():
            if device.current:
                self._delete(device.id)

    def _get(self, target: str, kind: type[_T]) -> _T:
        return self._again(lambda: self._read("GET", target, kind))

    def _post(self, target: str, form: Mapping[str, str], kind: type[_T]) -> _T:
        return self._read("POST", target, kind, body=urlencode(form).encode(), headers=_FORM)

    def _read(
        self,
        method: str,
        target: str,
        kind: type[_T],
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> _T:
        with self._transport.opened(method, target, body=body, headers=headers) as answer:
            return _decoded(answer.all(_LARGEST_ANSWER), kind)

    def _delete(self, device_id: str) -> None:
        target = f"/api/v1/user/client/{_part(device_id)}"
        with self._transport.opened("DELETE", target, expect=frozenset({_OK, _EMPTY})):
            return

    def _manifest(self, target: str, headers: Mapping[str, str]) -> FetchedManifest | None:
        expect = frozenset({_OK, _UNCHANGED})
        with self._transport.opened("GET", target, headers=headers, expect=expect) as answer:
            if answer.status == _UNCHANGED:
                return None
            packed = answer.all(_LARGEST_MANIFEST)
            data = unpacked(packed, answer.header("Content-Encoding"), most=_LARGEST_MANIFEST)
            return FetchedManifest(read_manifest(data), answer.etag, data, len(packed))

    def _patches(self, target: str) -> tuple[PatchSet | None, float | None]:
        """Give the patches, or how long to wait before asking again, or neither."""
        expect = frozenset({_OK, _ACCEPTED, _NOT_FOUND, _TOO_MANY})
        headers = {"Accept-Encoding": "zstd"}
        with self._transport.opened("GET", target, headers=headers, expect=expect) as answer:
            if answer.status in (_NOT_FOUND, _TOO_MANY):
                return None, None
            if answer.status == _ACCEPTED:
                after = answer.header("Retry-After")
                return None, float(after) if after.isascii() and after.isdigit() else 1.0
            data = unpacked(answer.all(_LARGEST_MANIFEST), answer.header("Content-Encoding"), most=_LARGEST_MANIFEST)
            return _decoded(data, PatchSet), None

    @contextmanager
    def _content(self, target: str, headers: Mapping[str, str], *, gate: Gate | None) -> Iterator[Body]:
        expect = frozenset({_OK, _PARTIAL, _OUT_OF_RANGE})
        with self._transport.opened("GET", target, headers=headers, expect=expect, gate=gate) as body:
            if body.status == _OUT_OF_RANGE:
                raise VersionChanged(_CHANGED)
            yield body

    def _again(self, call: Callable[[], _T]) -> _T:
        patience = Patience(self.patience if self._has_answered else min(self.patience, _FIRST_PATIENCE))
        while True:
            try:
                found = call()
            except Broken as broken:
                patience.wait(broken)
            else:
                self._has_answered = True
                return found


def _part(text: str) -> str:
    """Make one part of a path of any id, also of one that a hostile server made up."""
    if text in ("", ".", ".."):
        raise BadAnswer("The server gives ids that are none.")
    return quote(text, safe="")


def _decoded(data: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadAnswer("The server answers as no Playdock server does. Check the address.") from error


def _check_range(body: Body, *, start: int, end: int) -> None:
    """Whoever asks for a range and gets everything asked for bytes of an image that is no more (RFC 9110, 13.1.5)."""
    if body.status == _OK:
        raise VersionChanged(_CHANGED)
    if not body.header("Content-Range").startswith(f"bytes {start}-{end - 1}/"):
        raise BadAnswer("The server sends other bytes than it was asked for.")


def _sign_in_error(refused: Refused) -> ClientError:
    match refused.type:
        case "authorization_pending":
            return SignInPending("Nobody has approved this device yet.")
        case "slow_down":
            return SlowDown("The server wants to be asked less often.")
        case "access_denied":
            return SignInRefused("The sign-in was denied.")
        case "expired_token" | "invalid_grant":
            return SignInRefused("The code has expired. Sign in again.")
    return refused
