"""Pictures of games are fetched, checked and kept."""

import json
from pathlib import Path

from loopback import Loopback, answer
from playdock_client.artwork import ArtworkRole, fetch_artwork, stored_artwork
from playdock_client.client_folders import ClientFolders
from playdock_client.connection import Server

PNG, JPEG = b"\x89PNG\r\n\x1a\n...", b"\xff\xd8\xff..."


def _picture(*renditions: tuple[str, int, str]) -> dict[str, object]:
    return {
        "id": "p",
        "renditions": [
            {"size": "grid", "mediaType": f"image/{kind}", "width": width, "height": 10, "objectId": name}
            for kind, width, name in renditions
        ],
    }


def test_the_largest_png_or_jpeg_of_each_picture_is_kept(tmp_path: Path) -> None:
    folders = ClientFolders(tmp_path, tmp_path)
    pictures = {
        "cover": _picture(("webp", 900, "webp"), ("jpeg", 300, "small"), ("jpeg", 600, "large")),
        "icon": _picture(("png", 64, "icon")),
        "logo": _picture(("png", 64, "script")),
        "banner": None,
    }
    with Loopback() as server:
        server.on("/api/v1/games/g", answer(json.dumps(pictures).encode()))
        server.on("/api/v1/object/large", answer(JPEG))
        server.on("/api/v1/object/icon", answer(PNG))
        server.on("/api/v1/object/script", answer(b"<svg onload='alert()'/>"))
        with Server(server.address) as connection:
            fetched = fetch_artwork(connection, folders, "g")

    folder = folders.artwork("g")
    assert fetched == {ArtworkRole.COVER: folder / "cover.jpg", ArtworkRole.ICON: folder / "icon.png"}
    assert fetched[ArtworkRole.COVER].read_bytes() == JPEG
    assert stored_artwork(folders, "g") == fetched
