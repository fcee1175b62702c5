"""The import of games: what is listed, what is refused and why, and what becomes of a folder."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import httpx2
import pytest
from msgspec.structs import replace

from games import Release, add_game
from playdock.auth.actor import Actor, Credential, CredentialKind, UserInfo
from playdock.auth.permissions import SYSTEM_PERMISSIONS
from playdock.content.naming import title
from playdock.features.game_import import service
from playdock.features.game_import.errors import ProvidersUnavailable
from playdock.features.game_import.routes import search_metadata
from playdock.features.game_import.schemas import SearchQuery
from playdock.metadata.game_metadata import GameMetadata, ReleaseDate, Role
from playdock.metadata.providers import Manual, Providers
from shops import FakeProvider
from world import Caller, World

GAMES = "/api/v1/admin/import/game"
SEARCH = f"{GAMES}/search"
OVERVIEW = "/api/v1/admin/library"
MANUAL = {"id": "42", "sourceId": "Manual", "name": "Doom"}

# Names that a pattern language, a quotation or a file system could take for something else.
STRANGE_NAMES = [
    "100% Orange_Juice",
    "100x OrangexJuice",
    'It\'s "quoted"',
    "Pok\u00e9mon",
    "Poke\u0301mon",
    "doom",
    "Doom",
    "back\\slash",
    "line\nbreak",
    "\u30c9\u30e9\u30b4\u30f3\u30af\u30a8\u30b9\u30c8",
    "a" * 255,
]
FORBIDDEN_NAMES = ["../../../etc", "/etc", "", ".", "..", "a/b", "Doom/1.0", "Doom/..", ".hidden", "DOOM", "missing"]


def start(caller: Caller, library: dict[str, Any], path: str, **wanted: Any) -> httpx2.Response:
    return caller.post(GAMES, {"library": library["id"], "path": path, **wanted})


def library_with(world: World, *names: str) -> tuple[Caller, dict[str, Any]]:
    """An admin and a library with games of these names."""
    for name in names:
        (world.games / name).mkdir(parents=True)
    admin = world.admin()
    return admin, world.library(admin)


def imported(admin: Caller) -> list[dict[str, Any]]:
    return [each["game"] for each in admin.get(OVERVIEW).json()["games"]]


def test_the_listing_pairs_each_game_with_its_library(world: World) -> None:
    admin, library = library_with(world, "Quake", "Doom")
    assert admin.get(GAMES).json() == {
        "unimportedGames": [{"game": "Doom", "library": library}, {"game": "Quake", "library": library}]
    }


def test_an_imported_game_moves_from_the_listing_to_the_overview(world: World) -> None:
    admin, library = library_with(world, "Doom", "Quake")

    game_id = world.import_game(admin, library, "Doom")

    overview = admin.get(OVERVIEW).json()
    assert world.unimported(admin) == ["Quake"]
    assert overview["unimportedGames"] == {library["id"]: ["Quake"]}
    assert [each["game"]["id"] for each in overview["games"]] == [game_id]
    assert overview["hasLibraries"] is True


def test_the_overview_has_all_games_however_they_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_BATCH_GAMES", 2)
    admin, library = library_with(world, "Doom")
    names = ["Anno 117", "anno 1602", "Doom", "Quake", "The Witcher"]
    for name in reversed(names):
        add_game(world, GameMetadata(name), library=library["id"], versions=[Release()], pictures=[Role.COVER])

    games = admin.get(OVERVIEW).json()["games"]

    assert [each["game"]["mName"] for each in games] == names
    assert all(each["game"]["mCoverObjectId"] for each in games)
    assert [each["status"] for each in games if each["status"] != "offline"] == [
        {"noVersions": False, "unimportedVersions": []}
    ]


def test_the_games_of_each_library_are_counted(world: World) -> None:
    admin, library = library_with(world, "Doom", "Quake", "Zelda")
    other = world.library(admin, world.folder / "other")
    world.import_game(admin, library, "Doom")
    (world.folder / "other").rmdir()

    counted = admin.get(f"{OVERVIEW}/counts").json()

    assert sorted(counted, key=lambda each: -each["games"]) == [
        {"library": library["id"], "games": 1, "unimported": 2},
        {"library": other["id"], "games": 0, "unimported": None},
    ]


def test_a_game_without_metadata_has_a_manual_source_and_its_own_id(world: World) -> None:
    admin, library = library_with(world, "Half-Life.2.v1.0.GOG")

    game_id = world.import_game(admin, library, "Half-Life.2.v1.0.GOG")

    game = imported(admin)[0]
    assert (game["metadataSource"], game["metadataId"]) == ("Manual", game_id)
    assert (game["mName"], game["libraryId"]) == (title("Half-Life.2.v1.0.GOG"), library["id"])


def test_the_name_in_the_metadata_takes_precedence(world: World) -> None:
    admin, library = library_with(world, "doom-shareware")

    task = world.finish(admin, start(admin, library, "doom-shareware", metadata=MANUAL).json()["taskId"])

    game = imported(admin)[0]
    assert task["success"]
    assert (game["mName"], game["metadataSource"], game["metadataId"]) == ("Doom", "Manual", "42")


def test_an_empty_service_has_no_libraries(world: World) -> None:
    assert world.admin().get(OVERVIEW).json() == {"unimportedGames": {}, "games": [], "hasLibraries": False}


def test_unusual_names_are_listed_and_imported_unchanged(world: World) -> None:
    admin, library = library_with(world, *STRANGE_NAMES)
    assert world.unimported(admin) == sorted(STRANGE_NAMES)

    for name in STRANGE_NAMES:
        world.import_game(admin, library, name)

    assert {game["libraryPath"] for game in imported(admin)} == set(STRANGE_NAMES)
    assert world.unimported(admin) == []


@pytest.mark.parametrize("path", FORBIDDEN_NAMES)
def test_a_folder_that_is_not_listed_cannot_be_imported(world: World, path: str) -> None:
    world.put("Doom/1.0/doom")
    world.put(".hidden/1.0/doom")
    admin, library = library_with(world, "a")

    refused = start(admin, library, path)

    assert (refused.status_code, refused.json()["type"]) == (404, "game-not-listed")
    assert imported(admin) == []


def test_a_path_with_a_null_character_is_rejected(world: World) -> None:
    admin, library = library_with(world, "Doom")
    assert start(admin, library, "Doom\0").status_code == 400


def test_a_symlink_out_of_the_library_cannot_be_imported(world: World) -> None:
    admin, library = library_with(world, "Doom")
    (world.games / "system").symlink_to("/etc")
    assert (world.unimported(admin), start(admin, library, "system").status_code) == (["Doom"], 404)


@pytest.mark.parametrize("library", ["nothing", "", "../..", "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_library_is_reported_immediately(world: World, library: str) -> None:
    refused = start(world.admin(), {"id": library}, "Doom")
    assert (refused.status_code, refused.json()["type"]) == (404, "library-unknown")


def test_a_folder_can_be_imported_only_once(world: World) -> None:
    admin, library = library_with(world, "Doom")
    world.import_game(admin, library, "Doom")

    again = start(admin, library, "Doom")

    assert (again.status_code, again.json()["type"]) == (409, "game-already-imported")
    assert len(imported(admin)) == 1


def test_the_same_name_in_another_library_is_another_game(world: World) -> None:
    admin, library = library_with(world, "Doom")
    (world.folder / "more/Doom").mkdir(parents=True)
    other = world.library(admin, world.folder / "more")

    world.import_game(admin, library, "Doom")

    assert start(admin, other, "Doom").status_code == 202


def test_the_same_metadata_can_be_used_only_once(world: World) -> None:
    admin, library = library_with(world, "Doom", "Quake")
    world.finish(admin, start(admin, library, "Doom", metadata=MANUAL).json()["taskId"])

    again = start(admin, library, "Quake", metadata={**MANUAL, "name": "Another"})

    assert (again.status_code, again.json()["type"]) == (409, "metadata-already-used")
    assert world.unimported(admin) == ["Quake"]


@pytest.mark.both_databases
def test_of_several_simultaneous_imports_with_the_same_metadata_one_succeeds(world: World) -> None:
    """Both are let in while neither is done; the second to end is told why it failed, and can be imported otherwise."""
    names = [f"Game {number}" for number in range(8)]
    admin, library = library_with(world, *names)
    callers = [world.with_token(admin.token) for _ in names]

    with ThreadPoolExecutor(len(names)) as pool:
        answers = list(pool.map(lambda who, name: start(who, library, name, metadata=MANUAL), callers, names))
    tasks = [world.finish(admin, answer.json()["taskId"]) for answer in answers if answer.status_code == 202]

    assert {answer.status_code for answer in answers} <= {202, 409}
    assert len(imported(admin)) == 1
    assert [task["error"] and task["error"]["title"] for task in tasks if not task["success"]] == (
        ["Metadata taken"] * (len(tasks) - 1)
    )
    assert start(admin, library, world.unimported(admin)[0]).status_code == 202


def test_the_error_for_an_unknown_provider_names_it(world: World) -> None:
    admin, library = library_with(world, "Doom")

    refused = start(admin, library, "Doom", metadata={**MANUAL, "sourceId": "Steam"})

    fault = refused.json()["errors"][0]
    assert (refused.status_code, fault["field"]) == (400, "metadata.sourceId")
    assert "Steam" in fault["detail"]
    assert "Manual" in fault["detail"]


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"metadata": {"sourceId": "Manual", "name": "Doom"}}, "metadata.id"),
        ({"metadata": {"id": "1", "name": "Doom"}}, "metadata.sourceId"),
        ({"metadata": {"id": "1", "sourceId": "Manual"}}, "metadata.name"),
        ({"metadata": {**MANUAL, "id": ""}}, "metadata.id"),
        ({"metadata": {**MANUAL, "name": ""}}, "metadata.name"),
        ({"metadata": {**MANUAL, "admin": True}}, "metadata.admin"),
        ({"metadata": "Doom"}, "metadata"),
        ({"path": 7}, "path"),
        ({"name": "Doom"}, "name"),
    ],
)
def test_an_invalid_body_is_a_field_error(world: World, wanted: dict[str, Any], field: str) -> None:
    admin, library = library_with(world, "Doom")

    refused = admin.post(GAMES, {"library": library["id"], "path": "Doom", **wanted})

    assert (refused.status_code, [fault["field"] for fault in refused.json()["errors"]]) == (400, [field])


def test_all_missing_fields_are_named_together(world: World) -> None:
    refused = world.admin().post(GAMES, {})
    assert {fault["field"] for fault in refused.json()["errors"]} == {"library", "path"}


@pytest.mark.both_databases
def test_of_several_simultaneous_imports_of_a_folder_only_one_starts(world: World) -> None:
    admin, library = library_with(world, "Doom")
    callers = [world.with_token(admin.token) for _ in range(8)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda caller: start(caller, library, "Doom"), callers))

    started = [answer.json()["taskId"] for answer in answers if answer.status_code == 202]
    running = [answer.json()["taskId"] for answer in answers if answer.json().get("type") == "task-already-running"]
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 7
    assert set(running) <= set(started)
    assert world.finish(admin, started[0])["success"]


def test_an_import_requires_exactly_its_permission(world: World) -> None:
    admin, library = library_with(world, "Doom")
    others = world.token_of(admin, "system:import:version:read", "system:library:read", "system:task:read")
    program = world.token_of(admin, "system:import:game:read")

    assert start(world.any_user(), library, "Doom").status_code == 401
    assert start(world.person("bob"), library, "Doom").status_code == 403
    assert start(others, library, "Doom").status_code == 403
    assert start(program, library, "Doom").status_code == 202


def test_the_permission_is_checked_before_the_body(world: World) -> None:
    assert world.person("bob").post(GAMES, {"nonsense": 1}).status_code == 403


def test_the_overview_shows_games_without_versions_and_unimported_versions(world: World) -> None:
    admin, library = library_with(world, "Empty")
    for version in ("1.10", "1.9", "1.0-beta"):
        world.put(f"Doom/{version}/doom")
    world.import_game(admin, library, "Empty")
    game = world.import_game(admin, library, "Doom")
    world.import_version(admin, game, "1.9", launch="doom")

    status = {each["game"]["libraryPath"]: each["status"] for each in admin.get(OVERVIEW).json()["games"]}

    assert status == {
        "Doom": {"noVersions": False, "unimportedVersions": ["1.0-beta", "1.10"]},
        "Empty": {"noVersions": True, "unimportedVersions": []},
    }


def test_a_game_whose_folder_is_missing_is_offline_and_kept(world: World) -> None:
    admin, library = library_with(world, "Doom", "Quake")
    world.import_game(admin, library, "Doom")
    (world.games / "Doom").rename(world.folder / "Doom")

    overview = admin.get(OVERVIEW).json()

    assert [each["status"] for each in overview["games"]] == ["offline"]
    assert overview["unimportedGames"] == {library["id"]: ["Quake"]}


def test_a_flat_library_imports_folders_and_archives(world: World) -> None:
    (world.games / "Doom").mkdir(parents=True)
    (world.games / "Quake.zip").touch()
    admin = world.admin()
    library = world.library(admin, backend="FlatFilesystem")

    for name in ("Doom", "Quake.zip"):
        world.import_game(admin, library, name)

    assert sorted(game["mName"] for game in imported(admin)) == ["Doom", "Quake"]


def test_an_imported_game_has_all_of_drops_fields(world: World) -> None:
    admin, library = library_with(world, "Doom")
    world.import_game(admin, library, "Doom")
    wanted = "id metadataSource metadataId created mName mShortDescription mDescription mReleased mIconObjectId"
    wanted += " mBannerObjectId mCoverObjectId mImageCarouselObjectIds mImageLibraryObjectIds featured libraryId"
    assert set(imported(admin)[0]) == {*wanted.split(), "libraryPath", "type"}


def test_responses_do_not_reveal_the_path_of_the_library(world: World) -> None:
    admin, library = library_with(world, "Doom")
    world.import_game(admin, library, "Doom")
    told = [start(admin, library, name).text for name in ("Doom", "../..", "missing")]
    told.append(admin.get(OVERVIEW).text)
    assert not [text for text in told if str(world.folder) in text]


# --- Looking for metadata ---


def a_user(*, acls: frozenset[Any] = SYSTEM_PERMISSIONS) -> Actor:
    person = UserInfo("1", "ada", "Ada", "ada@example.org", "2", admin=True, enabled=True)
    return Actor(person, acls, Credential(CredentialKind.SESSION, "3", None))


def test_a_search_finds_nothing_if_no_provider_can_search(world: World) -> None:
    found = world.admin().get(SEARCH, params={"q": "Doom"})
    assert (found.status_code, found.json()) == (200, [])


def test_a_search_queries_all_providers_and_sorts_by_similarity(world: World) -> None:
    near = FakeProvider(
        "Near", {"d2": GameMetadata("Doom II"), "d1": GameMetadata("Doom", released=ReleaseDate(date(1993, 12, 10)))}
    )
    far = FakeProvider("Far", {"d3": GameMetadata("Doom 3: Resurrection of Evil")})
    imports = replace(world.services.game_imports, providers=Providers([near, Manual(), far]))

    found = search_metadata.contract.call(SearchQuery(q="doom"), a_user(), imports)

    assert [(each.id, each.source_id) for each in found] == [("d1", "Near"), ("d2", "Near"), ("d3", "Far")]
    first = {"id": "d1", "icon": "", "description": "", "year": 1993, "source_name": "The Near", "fuzzy": 1.0}
    assert {name: getattr(found[0], name) for name in first} == first


def test_a_failing_provider_is_skipped(world: World) -> None:
    well, ill = FakeProvider("Well", {"d1": GameMetadata("Doom")}), FakeProvider("Ill", {}, fault="is closed")
    imports = replace(world.services.game_imports, providers=Providers([ill, well]))
    found = search_metadata.contract.call(SearchQuery(q="doom"), a_user(), imports)
    assert [each.source_id for each in found] == ["Well"]


def test_a_search_fails_if_all_providers_fail(world: World) -> None:
    shops = [FakeProvider("One", {}, fault="is closed"), FakeProvider("Other", {}, fault="is ill")]
    imports = replace(world.services.game_imports, providers=Providers(shops))
    with pytest.raises(ProvidersUnavailable, match=r"The One is closed\. The Other is ill\.") as refused:
        search_metadata.contract.call(SearchQuery(q="doom"), a_user(), imports)
    assert refused.value.status == 502


@pytest.mark.parametrize("wanted", [{}, {"q": ""}, {"q": " \t"}, {"q": "x" * 257}])
def test_an_empty_query_is_a_field_error(world: World, wanted: dict[str, str]) -> None:
    refused = world.admin().get(SEARCH, params=wanted)
    assert (refused.status_code, [fault["field"] for fault in refused.json()["errors"]]) == (400, ["q"])


def test_a_search_requires_the_permission_to_import_games(world: World) -> None:
    admin = world.admin()
    others = world.token_of(admin, "system:import:version:read", "system:library:read", "system:game:read")
    program = world.token_of(admin, "system:import:game:read")
    answers = [caller.get(SEARCH, params={"q": "Doom"}) for caller in (world.any_user(), others, program)]
    assert [answer.status_code for answer in answers] == [401, 403, 200]
