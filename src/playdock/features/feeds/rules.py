"""Pure decisions about feeds: the installer script for Lutris, and the file for Playnite."""

import html
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from unicodedata import normalize

import msgspec

from playdock.content.programs import Platform
from playdock.features.feeds.schemas import (
    FeedGame,
    FeedVersion,
    LutrisSource,
    PlayniteAction,
    PlayniteGame,
    PlayniteLink,
)
from playdock.metadata.game_metadata import Precision

# The runners of Lutris, and what Playnite calls the platforms in its specifications.
_RUNNERS = {Platform.LINUX: "linux", Platform.WINDOWS: "wine"}
_PLAYNITE_PLATFORMS = {Platform.WINDOWS: "pc_windows", Platform.LINUX: "pc_linux", Platform.MACOS: "macintosh"}
# Characters that YAML allows only in an escape sequence, or takes for the end of a line (YAML 1.1, 1.2: section 5).
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def version_for_lutris(versions: Sequence[FeedVersion], chosen: str) -> FeedVersion | None:
    """Return the chosen version, or the newest one for Linux, else for Windows; None if Lutris can run none."""
    runnable = [each for each in versions if each.platform in _RUNNERS and chosen in ("", each.id)]
    native = [each for each in runnable if each.platform is Platform.LINUX]
    return next(reversed(native or runnable), None)


def lutris_script(game: FeedGame, version: FeedVersion, source: LutrisSource, *, server: str) -> str:
    """Return an installer script (https://github.com/lutris/lutris/blob/master/docs/installers.rst)."""
    is_wine = version.platform is Platform.WINDOWS
    program, arguments = (
        (version.setup, version.setup_args) if version.only_setup else (version.launch, version.launch_args)
    )
    start = {"exe": f"$GAMEDIR/{program}", "args": arguments, "working_dir": "$GAMEDIR"}
    prefix = {"prefix": "$GAMEDIR/prefix", "arch": "win64"} if is_wine else {}
    script: dict[str, Any] = {"game": {name: text for name, text in {**start, **prefix}.items() if text}}
    steps: list[dict[str, Any]] = []
    if source is LutrisSource.CLIENT:
        words = ["playdock-client", "install", game.id, "--server", server, "--version", version.id, "--to"]
        script["require-binaries"] = "playdock-client"
        steps.append({"execute": {"command": f'{shlex.join(words)} "$GAMEDIR"', "disable_runtime": True}})
    else:
        question = f"N/A:Select the ZIP archive of {game.name} {version.name}. Download it at {game.page_url}"
        script["files"] = [{"archive": question}]
        steps.append({"extract": {"file": "archive", "dst": "$GAMEDIR", "format": "zip"}})
    if is_wine:
        steps.append({"task": {"name": "create_prefix", **prefix}})
    if version.setup:
        steps.append(_setup(version, prefix))
    if not is_wine:
        steps.append({"chmodx": start["exe"]})
    script["installer"] = steps
    slug = _slug(game.name) or game.id
    head = {
        "name": game.name,
        "game_slug": slug,
        "slug": f"{slug}-playdock",
        "version": f"Playdock {version.name}",
        "runner": _RUNNERS[version.platform],
        "script": script,
    }
    return "\n".join(_yaml(head, "")) + "\n"


def _slug(name: str) -> str:
    """Return the letters and digits of a name in ASCII, without accents, and hyphens between its words."""
    plain = normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _setup(version: FeedVersion, prefix: Mapping[str, str]) -> dict[str, Any]:
    program = {"args": version.setup_args} if version.setup_args else {}
    if version.platform is Platform.WINDOWS:
        return {"task": {"name": "wineexec", "executable": f"$GAMEDIR/{version.setup}", **program, **prefix}}
    return {"execute": {"file": f"$GAMEDIR/{version.setup}", **program, "working_dir": "$GAMEDIR"}}


def _yaml(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Yield lines of YAML: mappings and lists as blocks, everything else as in JSON."""
    for name, each in value.items():
        if isinstance(each, Mapping):
            yield f"{indent}{name}:"
            yield from _yaml(each, f"{indent}  ")
        elif isinstance(each, list):
            yield f"{indent}{name}:"
            for item in each:
                first, *rest = _yaml(item, f"{indent}  ")
                yield f"{indent}- {first.strip()}"
                yield from rest
        else:
            yield f"{indent}{name}: {_scalar(each)}"


def _scalar(value: Any) -> str:
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", msgspec.json.encode(value).decode())


def playnite_game(game: FeedGame) -> PlayniteGame:
    """Return a game as Playnite's library plugins describe it."""
    newest = game.versions[-1]
    install = PlayniteAction(name="Install with Playdock", type="URL", path=game.install_url, is_play_action=False)
    return PlayniteGame(
        game_id=game.id,
        name=game.name,
        sorting_name=game.sort_name,
        source="Playdock",
        description=_paragraphs(game.description or game.short_description),
        release_date=_released(game),
        developers=game.developers,
        publishers=game.publishers,
        genres=game.genres,
        tags=game.tags,
        age_ratings=[f"{each.board} {each.value}" for each in game.age_ratings],
        platforms=sorted({_PLAYNITE_PLATFORMS[each.platform] for each in game.versions}),
        community_score=None if game.rating is None else round(game.rating * 100),
        install_size=newest.installed_size,
        is_installed=False,
        version=newest.name,
        cover_image=game.cover.url if game.cover else None,
        background_image=game.banner.url if game.banner else None,
        icon=game.icon.url if game.icon else None,
        links=[
            PlayniteLink(name="Playdock", url=game.page_url),
            *(PlayniteLink(name=each.kind, url=each.url) for each in game.websites),
        ],
        game_actions=[install],
    )


def _released(game: FeedGame) -> str | None:
    """Return a release date as Playnite serializes it: year, month and day, as far as they are known."""
    if game.released is None:
        return None
    day = game.released.date
    known = {Precision.DAY: 3, Precision.MONTH: 2}.get(game.released.precision, 1)
    return "-".join(map(str, (day.year, day.month, day.day)[:known]))


def _paragraphs(text: str) -> str:
    """Return text as HTML. Markdown stays as it is: it is readable as text."""
    paragraphs = (html.escape(each.strip()) for each in re.split(r"\n\s*\n", text) if each.strip())
    return "".join(f"<p>{each.replace(chr(10), '<br>')}</p>" for each in paragraphs)
