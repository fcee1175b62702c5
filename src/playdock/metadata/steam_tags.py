"""The kinds of Steam's tags. Players create the tags, and Steam does not assign kinds to them."""

from playdock.metadata.game_metadata import TagFact, TagKind

_TAGS_BY_KIND = {
    TagKind.GENRE: """
        4X|Action|Action Roguelike|Action RPG|Action-Adventure|Adventure|Arcade|Auto Battler|Base Building
        Battle Royale|Beat 'em up|Board Game|Bullet Hell|Card Battler|Card Game|Casual|City Builder|Clicker
        Colony Sim|CRPG|Deckbuilding|Driving|Dungeon Crawler|Farming Sim|Fighting|Flight|FPS|Grand Strategy
        Hack and Slash|Hidden Object|Idler|Immersive Sim|Indie|Interactive Fiction|JRPG|Life Sim|Management
        Metroidvania|MMORPG|MOBA|Open World Survival Craft|Party|Party-Based RPG|Pinball|Platformer|Point & Click
        Puzzle|Puzzle Platformer|Racing|Real Time Tactics|Rhythm|Roguelike|Roguelike Deckbuilder|Roguelite|RPG|RTS
        Sandbox|Shoot 'Em Up|Shooter|Simulation|Solitaire|Souls-like|Spectacle fighter|Sports|Stealth|Strategy
        Strategy RPG|Survival|Survival Horror|Tactical RPG|Third-Person Shooter|Tower Defense|Trivia
        Turn-Based Strategy|Turn-Based Tactics|Twin Stick Shooter|Visual Novel|Walking Simulator|Wargame|Word Game
    """,
    TagKind.THEME: """
        Agriculture|Aliens|Alternate History|America|Anime|Assassin|Automation|Baseball|Basketball|Cats|Cold War
        Comedy|Comic Book|Conspiracy|Crime|Cyberpunk|Dark Fantasy|Demons|Detective|Dinosaurs|Dogs|Dragons|Drama
        Dystopian|Economy|Fantasy|Fishing|Football (Soccer)|Futuristic|Gothic|Historical|Horror|LGBTQ+|Lovecraftian
        Magic|Mars|Martial Arts|Mechs|Medieval|Military|Modern|Music|Mystery|Mythology|Naval|Ninja|Noir|Pirates
        Political|Post-apocalyptic|Psychological Horror|Robots|Romance|Sci-fi|Space|Steampunk|Submarine|Superhero
        Supernatural|Swordplay|Tanks|Thriller|Time Travel|Trains|Transportation|Underwater|Vampire|Vikings|War
        Werewolves|Western|World War I|World War II|Zombies
    """,
    TagKind.MODE: """
        4 Player Local|Asynchronous Multiplayer|Co-op|Co-op Campaign|Local Co-Op|Local Multiplayer
        Massively Multiplayer|Multiplayer|Online Co-Op|PvE|PvP|Singleplayer|Split Screen|Team-Based
    """,
    TagKind.PERSPECTIVE: """
        2.5D|2D|3D|First-Person|Isometric|Side Scroller|Third Person|Top-Down|VR
    """,
}
_KINDS = {
    name.strip().casefold(): kind
    for kind, lines in _TAGS_BY_KIND.items()
    for name in lines.replace("\n", "|").split("|")
}


def tag_with_kind(name: str) -> TagFact:
    """Return a tag with its kind; a tag without a known kind is a keyword."""
    return TagFact(_KINDS.get(name.casefold(), TagKind.KEYWORD), name)
