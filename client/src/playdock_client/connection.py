"""The API of a server as typed methods."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import IO
from urllib.parse import urlencode

import msgspec

from playdock_client.calls import ServerCalls, decoded, problem_type
from playdock_client.errors import (
    BadResponse,
    ClientError,
    RequestRefused,
    SignInPending,
    SignInRefused,
    SlowDown,
    VersionChanged,
)
from playdock_client.manifest import Manifest
from playdock_client.manifest_file import MAX_MANIFEST_BYTES, MAX_MANIFEST_IN_MEMORY, ManifestFile
from playdock_client.playing.sessions import PlaySession
from playdock_client.ranges import CHANGED, check_range, path_segment
from playdock_client.responses import (
    AccessToken,
    DeviceInfo,
    FeedGame,
    FeedPage,
    FileLinkList,
    GamePage,
    GamePictures,
    GameSummary,
    Limits,
    MirrorList,
    PatchSet,
    QueuedGame,
    SaveInfo,
    SaveList,
    ServerProfile,
    SignIn,
    StorePage,
    UserInfo,
    VersionInfo,
)
from playdock_client.sign_in_page import reachable
from playdock_client.transport import Body, OnReceived
from playdock_client.unpacking import ZstdFrames, decompress

_CLIENT_ID = "playdock-client"
_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
# The server's limit.
_MAX_GAMES_PER_PAGE = 100
_OK, _CREATED, _ACCEPTED, _EMPTY, _PARTIAL, _UNCHANGED = 200, 201, 202, 204, 206, 304
_NOT_FOUND, _CONFLICT, _OUT_OF_RANGE, _TOO_MANY, _UNAVAILABLE = 404, 409, 416, 429, 503
_NOT_CREATED = "patches-not-made"
# The name of a server without one, which says nothing.
_DEFAULT_SERVER_NAME = "Playdock"
# The longest play session that servers accept: a year.
_MAX_SESSION_SECONDS = 366 * 24 * 3600
# As long as servers allow it.
_MAX_SERVER_NAME = 40


class Server(ServerCalls):
    """A Playdock server.

    All methods raise ServerUnavailable, NotSignedIn, RequestRefused (with the server's message), or BadResponse.
    """

    def user(self) -> UserInfo | None:
        """Return the signed-in user, or None."""
        found: UserInfo | None = self._get("/api/v1/user", UserInfo | None)  # type: ignore[arg-type]
        return found

    def name(self) -> str:
        """Return what the server calls itself, empty if it has no name."""
        try:
            name = self._get("/api/v1/server", ServerProfile).name
        except ClientError:
            return ""
        plain = "".join(letter for letter in name if letter.isprintable())[:_MAX_SERVER_NAME]
        return "" if plain == _DEFAULT_SERVER_NAME else plain

    def search(self, text: str, *, limit: int = 50) -> list[GameSummary]:
        """Search the store; the best matches come first. An empty text returns all games."""
        found: list[GameSummary] = []
        after = ""
        while len(found) < limit:
            query = {"q": text, "limit": min(limit - len(found), _MAX_GAMES_PER_PAGE), "after": after}
            page = self._get("/api/v1/store?" + urlencode(query), StorePage)
            found += page.games
            if not page.games or not page.next:
                break
            after = page.next
        return found[:limit]

    def game(self, game_id: str) -> GamePage:
        """Return a game with its versions and their platforms."""
        page = self._get(f"/api/v1/games/{path_segment(game_id)}", GamePage)
        platforms = tuple(sorted({version.platform for version in page.versions}))
        return msgspec.structs.replace(page, platforms=platforms)

    def games(self, *, everything: bool = False) -> Iterator[FeedGame]:
        """Yield the games in the user's own library, or all games, by name and with their versions."""
        scope, after = "all" if everything else "library", ""
        while True:
            page = self._get("/api/v1/feeds/library?" + urlencode({"scope": scope, "after": after}), FeedPage)
            yield from page.games
            if not page.games or not page.next:
                return
            after = page.next

    def versions(self, game_id: str) -> list[VersionInfo]:
        """Return the versions of a game, oldest first."""
        return self._get(f"/api/v1/games/{path_segment(game_id)}/versions", list[VersionInfo])

    def pictures(self, game_id: str) -> GamePictures:
        """Return the pictures of a game."""
        return self._get(f"/api/v1/games/{path_segment(game_id)}", GamePictures)

    def object(self, object_id: str) -> bytes:
        """Return the bytes of an object, such as a picture."""
        target = f"/api/v1/object/{path_segment(object_id)}"
        return self._with_retries(lambda: self._bytes(target))

    def limits(self) -> Limits:
        """Return the rate and number of simultaneous downloads allowed for this user."""
        return self._get("/api/v1/user/limits", Limits)

    def mirrors(self, version_id: str) -> MirrorList:
        """Request the mirrors of a version image, with a ticket for them, once."""
        return self._read("GET", f"/api/v1/versions/{path_segment(version_id)}/mirrors", MirrorList)

    def file_links(self, version_id: str, *, start: int) -> FileLinkList:
        """Request links to large files of a version image from a byte on, once."""
        return self._read("GET", f"/api/v1/versions/{path_segment(version_id)}/file-links?start={start}", FileLinkList)

    def manifest(self, version_id: str) -> Manifest:
        """Return a version's manifest. Raises BadManifest."""
        with SpooledTemporaryFile(MAX_MANIFEST_IN_MEMORY) as file:
            return self.receive_manifest(version_id, file).whole

    def receive_manifest(self, version_id: str, file: IO[bytes]) -> ManifestFile:
        """Write a version's manifest to a file and return it."""
        return self._with_retries(lambda: self._receive_manifest(_manifest_of(version_id), file))

    def has_changed(self, version_id: str, *, etag: str) -> bool:
        """Return whether a version's manifest has another ETag now."""
        return self._with_retries(lambda: self._is_modified(_manifest_of(version_id), etag))

    def patches(self, version_id: str, *, base: str, wait_seconds: float = 0.0) -> PatchSet | None:
        """Return the patches from the version `base`, or None if there are none or the server is too busy.

        Patches that do not exist yet are requested; wait for them for up to `wait_seconds`.
        """
        target = f"/api/v1/versions/{path_segment(version_id)}/patches?" + urlencode({"from": base})
        deadline = time.monotonic() + wait_seconds
        while True:
            patches, delay = self._with_retries(lambda: self._patches(target))
            if patches is not None or delay is None or time.monotonic() + delay > deadline:
                return patches
            time.sleep(delay)

    @contextmanager
    def range(
        self, version_id: str, start: int, end: int, *, etag: str = "", on_received: OnReceived | None = None
    ) -> Iterator[Body]:
        """Request the bytes `start` to `end` (exclusive) of a version image once. `etag` is the image's, if known.

        Raises VersionChanged if the image has changed, and Broken for what can be retried.
        """
        headers = {"Range": f"bytes={start}-{end - 1}", **({"If-Range": f'"{etag}"'} if etag else {})}
        with self._content(
            f"/api/v1/versions/{path_segment(version_id)}/content", headers, on_received=on_received
        ) as body:
            check_range(body, start=start, end=end)
            yield body

    @contextmanager
    def frames(
        self, version_id: str, start: int, end: int, *, etag: str = "", on_received: OnReceived | None = None
    ) -> Iterator[ZstdFrames]:
        """Request the same bytes compressed; `start` and `end` must be chunk boundaries."""
        target = f"/api/v1/versions/{path_segment(version_id)}/content?frames=zstd&start={start}&end={end}"
        with self._content(target, {}, on_received=on_received) as body:
            if body.status != _OK or not body.header("Content-Type").startswith("application/zstd"):
                raise BadResponse("The server did not send compressed data as requested.")
            if etag and body.etag != etag:
                raise VersionChanged(CHANGED)
            yield ZstdFrames(body)

    @contextmanager
    def patch_bytes(
        self, set_id: str, start: int, end: int, *, on_received: OnReceived | None = None
    ) -> Iterator[Body]:
        """Request bytes of a patch set once."""
        headers = {"Range": f"bytes={start}-{end - 1}"}
        with self._content(f"/api/v1/patches/{path_segment(set_id)}", headers, on_received=on_received) as body:
            check_range(body, start=start, end=end)
            yield body

    def begin_sign_in(self, name: str, platform: str | None) -> SignIn:
        """Start to sign this device in (RFC 8628). The page is one that a browser on this machine can open."""
        form = {"client_id": _CLIENT_ID, "device_name": name[:80], **({"platform": platform} if platform else {})}
        return reachable(self._post("/oauth/device_authorization", form, SignIn), self.address)

    def poll_token(self, device_code: str) -> str:
        """Request the token once. Raises SignInPending, SlowDown or SignInRefused."""
        form = {"grant_type": _DEVICE_GRANT, "device_code": device_code, "client_id": _CLIENT_ID}
        try:
            return self._post("/oauth/token", form, AccessToken).access_token
        except RequestRefused as refused:
            raise _sign_in_error(refused) from None

    def devices(self) -> list[DeviceInfo]:
        """Return the devices signed in as this user."""
        return self._get("/api/v1/user/client", list[DeviceInfo])

    def queued_games(self) -> list[QueuedGame]:
        """Return the games that the player has queued for this device elsewhere, the oldest first."""
        return self._get("/api/v1/client/queue", list[QueuedGame])

    def acknowledge(self, game_id: str) -> None:
        """Remove a game from the queue of this device."""
        self._delete(f"/api/v1/client/queue/{path_segment(game_id)}")

    def report_installations(self, versions: Mapping[str, str]) -> None:
        """Tell the server what is installed on this device: the id of the version of each game."""
        listed = [{"game": game, "version": version} for game, version in versions.items()]
        body = msgspec.json.encode({"installations": listed})
        headers = {"Content-Type": "application/json"}
        expect = frozenset({_OK, _EMPTY})
        with self._transport.opened("PUT", "/api/v1/client/installations", body=body, headers=headers, expect=expect):
            return

    def upload_play_sessions(self, sessions: Sequence[PlaySession]) -> None:
        """Send play sessions that have ended, at most 500. Those that the server has are ignored."""
        listed = [
            {
                "id": each.id,
                "game": each.game,
                "version": each.version,
                "started": each.started,
                "seconds": min(max(round(each.seconds), 0), _MAX_SESSION_SECONDS),
            }
            for each in sessions
        ]
        body = msgspec.json.encode({"sessions": listed})
        headers = {"Content-Type": "application/json"}
        with self._transport.opened("POST", "/api/v1/user/play-sessions", body=body, headers=headers):
            return

    def saves(self, game_id: str) -> Sequence[SaveInfo]:
        """Return the user's saved games for a game, newest first."""
        return self._get("/api/v1/user/saves?" + urlencode({"game": game_id}), SaveList).saves

    def upload_save(self, game_id: str, content: bytes, *, based_on: str, sha256: str) -> SaveInfo:
        """Upload a saved game once. A conflict is RequestRefused with the type ``save-conflict``."""
        query = urlencode({"basedOn": based_on, "sha256": sha256})
        target = f"/api/v1/user/games/{path_segment(game_id)}/saves?{query}"
        headers = {"Content-Type": "application/octet-stream"}
        return self._read("POST", target, SaveInfo, body=content, headers=headers, expect=frozenset({_CREATED}))

    def save_content(self, save: SaveInfo) -> bytes:
        """Return the content of a saved game."""
        target = f"/api/v1/user/saves/{path_segment(save.id)}/content"
        return self._with_retries(lambda: self._bytes(target, save.size))

    def restore_save(self, save_id: str) -> SaveInfo:
        """Make a saved game the newest."""
        return self._read("POST", f"/api/v1/user/saves/{path_segment(save_id)}/restore", SaveInfo)

    def sign_out(self) -> None:
        """Sign this device out, which invalidates its token. An API token is not affected."""
        for device in self.devices():
            if device.current:
                self._delete(f"/api/v1/user/client/{path_segment(device.id)}")

    def _receive_manifest(self, target: str, file: IO[bytes]) -> ManifestFile:
        with self._transport.opened("GET", target, headers={"Accept-Encoding": "zstd"}) as response:
            return ManifestFile.receive(response, file)

    def _is_modified(self, target: str, etag: str) -> bool:
        headers, expect = {"If-None-Match": f'"{etag}"'}, frozenset({_OK, _UNCHANGED})
        with self._transport.opened("GET", target, headers=headers, expect=expect) as response:
            return response.status == _OK

    def _patches(self, target: str) -> tuple[PatchSet | None, float | None]:
        """Return the patches, or the delay in seconds before the next request, or neither."""
        expect = frozenset({_OK, _ACCEPTED, _NOT_FOUND, _CONFLICT, _TOO_MANY})
        headers = {"Accept-Encoding": "zstd"}
        with self._transport.opened("GET", target, headers=headers, expect=expect) as response:
            if response.status == _OK:
                data = decompress(
                    response.read_all(MAX_MANIFEST_BYTES),
                    response.header("Content-Encoding"),
                    max_bytes=MAX_MANIFEST_BYTES,
                )
                return decoded(data, PatchSet), None
            if response.status == _ACCEPTED:
                return None, _retry_after(response)
            if response.status != _NOT_FOUND or problem_type(response) != _NOT_CREATED:
                return None, None
        return None, self._request_patches(target)

    def _request_patches(self, target: str) -> float | None:
        """Request the creation of patches; return the delay in seconds, or None if the server does not create them."""
        expect = frozenset({_ACCEPTED, _NOT_FOUND, _CONFLICT, _TOO_MANY, _UNAVAILABLE})
        with self._transport.opened("POST", target, expect=expect) as response:
            return _retry_after(response) if response.status == _ACCEPTED else None

    @contextmanager
    def _content(self, target: str, headers: Mapping[str, str], *, on_received: OnReceived | None) -> Iterator[Body]:
        expect = frozenset({_OK, _PARTIAL, _OUT_OF_RANGE})
        with self._transport.opened("GET", target, headers=headers, expect=expect, on_received=on_received) as body:
            if body.status == _OUT_OF_RANGE:
                raise VersionChanged(CHANGED)
            yield body


def _manifest_of(version_id: str) -> str:
    return f"/api/v1/versions/{path_segment(version_id)}/manifest"


def _retry_after(response: Body) -> float:
    delay = response.header("Retry-After")
    return float(delay) if delay.isascii() and delay.isdigit() else 1.0


def _sign_in_error(refused: RequestRefused) -> ClientError:
    match refused.type:
        case "authorization_pending":
            return SignInPending("The device has not been authorized yet.")
        case "slow_down":
            return SlowDown("The server requests a longer interval.")
        case "access_denied":
            return SignInRefused("The sign-in was denied.")
        case "expired_token" | "invalid_grant":
            return SignInRefused("The code has expired. Start signing in again to get a new one.")
    return refused
