"""`list`, `search` and `info`."""

from games import Release, add_game
from playdock.metadata.game_metadata import GameMetadata

from .conftest import Player, ServerWithGames


def test_the_list_is_empty_if_nothing_is_installed(player: Player) -> None:
    assert player.run("list").err == "No games are installed.\n"
    assert player.run("list", "--json").document == {"installations": []}


def test_the_store_is_searched(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", {"doom": b"x"})

    found = member.run("search", "doo", "--json").document["games"]
    shown = member.run("search", "doom").out

    assert [(each["name"], each["platforms"]) for each in found] == [("Doom", ["Linux"])]
    assert "Doom" in shown
    assert shop.game in shown


def test_an_empty_search_result_is_reported(member: Player) -> None:
    assert member.run("search", "zzzzzz").err == "No games found.\n"


def test_info_shows_the_versions_and_their_sizes(member: Player, shop: ServerWithGames) -> None:
    shop.release("1.0", {"doom": b"x" * 2000})

    told = member.run("info", "doom")
    document = member.run("info", shop.game, "--json").document

    assert "  1.0 (Linux, 2.0 kB)\n" in told.out
    assert [each["name"] for each in document["versions"]] == ["1.0"]
    assert document["platforms"] == ["Linux"]


def test_an_ambiguous_name_lists_the_matching_games(member: Player, shop: ServerWithGames) -> None:
    ids = [add_game(shop.world, GameMetadata(name="Quake"), path=f"Quake {number}") for number in range(2)]

    asked = member.run("info", "quake")

    assert asked.status == 1
    assert all(f"Quake ({each})" in asked.err for each in ids)


def test_terminal_control_sequences_in_names_are_not_printed(member: Player, shop: ServerWithGames) -> None:
    add_game(shop.world, GameMetadata(name="[red]Evil\x1b[2J\u202e"), path="Evil", versions=[Release()])
    found = member.run("search", "evil", "--json").document["games"][0]

    shown = member.run("search", "evil").out + member.run("info", found["id"]).out

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("[red]Evil�[2J�") == 2


def test_json_output_contains_unchanged_names_in_ascii(member: Player, shop: ServerWithGames) -> None:
    add_game(shop.world, GameMetadata(name="Evil\x9b2J"), path="Evil")

    answer = member.run("search", "evil", "--json")

    assert answer.out.isascii()
    assert answer.document["games"][0]["name"] == "Evil\x9b2J"
