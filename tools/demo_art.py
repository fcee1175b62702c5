"""Images and descriptions for the games of the demo library. The images are cropped from the games' own files."""

import io
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from PIL import Image, ImageOps

COVER, BANNER = (600, 900), (1920, 800)


@dataclass(frozen=True, slots=True)
class Art:
    """The images of a game, as patterns of files in its folder, and its description."""

    sentence: str
    description: str
    genres: tuple[str, ...]
    made_by: str
    released: str
    cover: str = ""
    banner: str = ""
    pictures: tuple[str, ...] = ()
    featured: bool = False
    developers: tuple[str, ...] = field(default=())


_STORY = "data/core/images/story"
_TRACKS = "data/tracks"
DEMO = {
    "The Battle for Wesnoth": Art(
        "Turn-based battles in a world of elves, orcs and undead.",
        "Raise an army, level its heroes and lead it through **seventeen campaigns**, or meet friends on one of many "
        "maps.\n\n- Hundreds of units of six factions\n- Every hex matters: terrain, time of day, courage\n"
        "- A map editor, and campaigns that players have made",
        ("Strategy", "Role-playing"),
        "Battle for Wesnoth Project",
        "2005-10-02",
        cover=f"{_STORY}/landscape-mountains-01.jpg",
        banner=f"{_STORY}/landscape-mountains-04.jpg",
        pictures=tuple(
            f"{_STORY}/{name}.jpg"
            for name in (
                "landscape-battlefield",
                "landscape-castle",
                "landscape-coast",
                "swamp-03",
                "landscape-bridge_sun",
            )
        ),
        featured=True,
    ),
    "SuperTuxKart": Art(
        "Karts, bananas and a penguin: racing for everybody on one sofa.",
        "Race through pirate coves, haunted mansions and the inside of a computer. Eight people can play on one "
        "screen, more over the network.",
        ("Racing", "Arcade"),
        "SuperTuxKart Team",
        "2007-07-02",
        cover=f"{_TRACKS}/zengarden/screenshot.jpg",
        banner=f"{_TRACKS}/gran_paradiso_island/screenshot_paradiso.png",
        pictures=tuple(
            f"{_TRACKS}/{name}/screenshot.jpg"
            for name in (
                "ravenbridge_mansion",
                "cornfield_crossing",
                "lighthouse",
                "pumpkin_park",
                "abyss",
                "candela_city",
            )
        ),
        featured=True,
    ),
    "Teeworlds": Art(
        "Small round fighters with hooks, hammers and no mercy.",
        "An online shooter in two dimensions for up to sixteen players: deathmatch, team deathmatch, capture the flag.",
        ("Action", "Shooter"),
        "Teeworlds Team",
        "2007-05-27",
        cover="data/mapres/mountains.png",
        banner="data/mapres/winter_mountains.png",
    ),
    "Hedgewars": Art(
        "Hedgehogs in pink solve their differences with bazookas.",
        "Turn by turn, on landscapes that break. Alone, on one keyboard, or over the network.",
        ("Strategy", "Action"),
        "Hedgewars Project",
        "2006-12-07",
        cover="Data/Graphics/Missions/Campaign/A_Classic_Fairytale/enemy@2x.png",
        banner="Data/Graphics/Missions/Campaign/A_Classic_Fairytale/epil@2x.png",
        pictures=tuple(
            f"Data/Graphics/Missions/Campaign/A_Classic_Fairytale/{name}@2x.png"
            for name in ("backstab", "dragon", "enemy")
        ),
    ),
    "Frozen Bubble": Art(
        "Shoot bubbles, match colours, beware of the penguins next door.",
        "A hundred levels alone, and a duel for two on one keyboard or five over the network.",
        ("Puzzle", "Arcade"),
        "Guillaume Cottenceau",
        "2002-02-01",
        cover="gfx/menu/back_start.png",
        banner="gfx/menu/back_start.png",
    ),
    "Neverball": Art(
        "Tilt the floor, roll the ball, do not fall.",
        "Over a hundred levels that need a steady hand, and a golf course with Neverputt.",
        ("Puzzle", "Sport"),
        "Robert Kooima",
        "2003-07-01",
        cover="shot-easy/corners.jpg",
        banner="shot-easy/bumper.jpg",
        pictures=("shot-easy/easy.jpg", "shot-easy/curved.jpg", "shot-easy/bumps.jpg"),
    ),
    "OpenTTD": Art(
        "Build a transport empire of trains, roads, ships and planes.",
        "Connect towns and industries, outlive your competitors, and watch the decades go by.",
        ("Simulation", "Strategy"),
        "OpenTTD Team",
        "2004-03-06",
    ),
    "Freedoom": Art(
        "Demons, corridors and a shotgun, all of it free.",
        "Two complete single-player games and a deathmatch, made by their community from nothing.",
        ("Action", "Shooter"),
        "Freedoom Project",
        "2001-03-23",
    ),
}


def dress(admin: httpx2.Client, folder: Path, game: str, art: Art) -> None:
    """Set the description and images of a game, like an administrator does on its page."""
    details = {
        "shortDescription": art.sentence,
        "description": art.description,
        "released": {"date": art.released, "precision": "day"},
        "developers": [art.made_by],
        "tags": [{"kind": "genre", "name": name} for name in art.genres],
        "featured": art.featured,
    }
    admin.patch(f"/api/v1/admin/game/{game}", json=details).raise_for_status()
    for role, size, patterns in (
        ("cover", COVER, [art.cover]),
        ("banner", BANNER, [art.banner]),
        ("carousel", None, art.pictures),
    ):
        files = [found for pattern in patterns if pattern and (found := _find(folder, pattern))]
        for file in files:
            sent = {"files": (f"{file.stem}.png", _cut(file, size), "image/png")}
            admin.post("/api/v1/admin/game/image", data={"id": game, "use": role}, files=sent).raise_for_status()


def _find(folder: Path, pattern: str) -> Path | None:
    return next(iter(sorted(folder.rglob(f"**/{pattern}"))), None)


def _cut(file: Path, size: tuple[int, int] | None) -> bytes:
    """Return the middle of an image, cropped to an aspect ratio, as PNG."""
    with Image.open(file) as opened:
        # Transparent parts get the color of an evening sky.
        ground = Image.new("RGBA", opened.size, (44, 58, 92, 255))
        picture = Image.alpha_composite(ground, opened.convert("RGBA")).convert("RGB")
    written = io.BytesIO()
    (ImageOps.fit(picture, size, Image.Resampling.LANCZOS) if size else picture).save(written, "PNG")
    return written.getvalue()
