"""The games that the stand-ins know: well-known names with real data where it matters.

Ids that are not those of a provider are invented and above `INVENTED`, as are games that do not exist.
"""

from dataclasses import dataclass, field
from datetime import date
from enum import Enum

INVENTED = 9_000_000


class Kind(Enum):
    """The kinds of products."""

    GAME = "game"
    DEMO = "demo"
    SOUNDTRACK = "soundtrack"
    DLC = "dlc"


class Machine(Enum):
    """The platforms of games."""

    WINDOWS = "Windows"
    MAC = "macOS"
    LINUX = "Linux"
    SWITCH = "Nintendo Switch"
    PLAYSTATION = "PlayStation 4"


W, M, L = Machine.WINDOWS, Machine.MAC, Machine.LINUX


@dataclass(frozen=True, slots=True)
class Score:
    """A score from 0 to 100 and its number of votes."""

    value: int
    count: int


@dataclass(frozen=True, slots=True)
class Game:
    """A game; ids that are given as 0 are invented below. Only IGDB has console games.

    ``released`` is a date, or a year alone for what is not out yet.
    """

    name: str
    released: date | int
    developers: tuple[str, ...]
    genres: tuple[str, ...]
    summary: str
    publishers: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    modes: tuple[str, ...] = ("Single player",)
    perspective: str = ""
    features: tuple[str, ...] = ()
    machines: frozenset[Machine] = frozenset((W,))
    kind: Kind = Kind.GAME
    users: Score | None = None
    critics: Score | None = None
    pegi: int | None = None
    esrb: str = ""
    website: str = ""
    steam: int = 0
    igdb: int = 0
    gog: str = ""
    number: int = field(default=0)

    @property
    def on_pc(self) -> bool:
        return bool(self.machines & {W, M, L})

    @property
    def steam_id(self) -> int:
        return self.steam or self._invented_id

    @property
    def igdb_id(self) -> int:
        return self.igdb or self._invented_id

    @property
    def pcgamingwiki_id(self) -> int:
        """The page id in the wiki, which is invented."""
        return self._invented_id

    @property
    def giantbomb_id(self) -> int:
        """The number after ``3030-``, which is invented."""
        return self._invented_id

    @property
    def steamgriddb_id(self) -> int:
        """The id at SteamGridDB, which is invented."""
        return self._invented_id

    @property
    def day(self) -> date | None:
        return self.released if isinstance(self.released, date) else None

    @property
    def year(self) -> int:
        return self.released.year if isinstance(self.released, date) else self.released

    @property
    def slug(self) -> str:
        return "-".join("".join(c if c.isalnum() else " " for c in self.name.lower().replace("'", "")).split())

    @property
    def _invented_id(self) -> int:
        return INVENTED + self.number


_ALL_PC = frozenset((W, M, L))

# fmt: off
_WRITTEN = (
    # Those of the demo library
    Game("SuperTuxKart", date(2017, 4, 20), ("SuperTuxKart Team",), ("Racing",),
         "A kart racer with Tux and his friends.", publishers=("SuperTuxKart Team",), themes=("Fantasy",),
         modes=("Single player", "Multiplayer"), perspective="Third person", machines=_ALL_PC,
         features=("Twenty-one tracks", "Races over the network"), website="https://supertuxkart.example"),
    Game("OpenTTD", date(2021, 4, 1), ("OpenTTD",), ("Simulation", "Strategy"),
         "An open source simulator of transport, after Transport Tycoon Deluxe.", publishers=("OpenTTD",),
         modes=("Single player", "Multiplayer"), machines=_ALL_PC, users=Score(95, 8200), steam=1536610,
         website="https://openttd.example", perspective="Isometric", themes=("Business",)),
    Game("The Battle for Wesnoth", date(2018, 5, 2), ("Wesnoth Inc.",), ("Strategy", "Role-playing"),
         "Turn-based tactics in a world of fantasy.", publishers=("Wesnoth Inc.",), themes=("Fantasy",),
         modes=("Single player", "Multiplayer"), machines=_ALL_PC, users=Score(88, 1400), steam=599390,
         features=("Seventeen campaigns", "[Not a link](https://wesnoth.example)"), perspective="Bird's eye view"),
    Game("Hedgewars", date(2006, 11, 22), ("Hedgewars Project",), ("Strategy",), "Hedgehogs at war, turn by turn.",
         modes=("Single player", "Multiplayer"), machines=_ALL_PC, themes=("Comedy",), perspective="Side view"),
    Game("Freedoom", date(2003, 4, 14), ("Freedoom Project",), ("Shooter",), "Free content for the engine of Doom.",
         machines=_ALL_PC, themes=("Horror", "Science fiction"), perspective="First-person"),
    Game("Teeworlds", date(2015, 7, 24), ("Magnus Auvinen",), ("Shooter", "Platform"),
         "A retro shooter for many players.", publishers=("Teeworlds",), modes=("Multiplayer",), machines=_ALL_PC,
         users=Score(84, 2100), steam=380840, perspective="Side view"),
    Game("Frozen Bubble", date(2002, 2, 1), ("Guillaume Cottenceau",), ("Puzzle",), "Penguins shoot frozen bubbles.",
         modes=("Single player", "Multiplayer"), machines=_ALL_PC, perspective="Side view"),
    Game("Neverball", date(2003, 8, 15), ("Robert Kooima",), ("Puzzle",), "Tilt the floor and roll the ball.",
         machines=_ALL_PC, perspective="Third person"),
    # Well known
    Game("Half-Life", date(1998, 11, 8), ("Valve",), ("Shooter",), "Gordon Freeman's first day at Black Mesa.",
         publishers=("Valve",), themes=("Science fiction",), users=Score(96, 98000), critics=Score(96, 24),
         esrb="M", pegi=16, steam=70, igdb=231, perspective="First-person", machines=_ALL_PC),
    Game("Half-Life 2", date(2004, 11, 16), ("Valve",), ("Shooter",), "1998. HALF-LIFE sends a shock wave.",
         publishers=("Valve",), themes=("Science fiction",), users=Score(97, 160000), critics=Score(96, 81),
         esrb="M", pegi=16, steam=220, igdb=233, perspective="First-person", machines=_ALL_PC),
    Game("Portal", date(2007, 10, 10), ("Valve",), ("Puzzle", "Shooter"), "Thinking with portals.",
         publishers=("Valve",), themes=("Science fiction", "Comedy"), users=Score(98, 132000), critics=Score(90, 28),
         esrb="T", pegi=12, steam=400, igdb=71, perspective="First-person", machines=_ALL_PC),
    Game("Portal 2", date(2011, 4, 18), ("Valve",), ("Puzzle", "Shooter"),
         "The “Perpetual Testing Initiative” has been expanded: design puzzles for you & your friends.",
         publishers=("Valve",), themes=("Science fiction", "Comedy"), users=Score(98, 390000), critics=Score(95, 52),
         modes=("Single player", "Multiplayer", "Co-operative"), esrb="E10", pegi=12, steam=620, igdb=72,
         features=("A campaign for two", "GLaDOS & Wheatley"), website="https://www.portal2.example", machines=_ALL_PC,
         perspective="First-person"),
    Game("Dota 2", date(2013, 7, 9), ("Valve",), ("Strategy",), "Every day, millions of players enter battle.",
         publishers=("Valve",), modes=("Multiplayer",), users=Score(81, 2500000), critics=Score(90, 33), steam=570,
         igdb=2963, machines=_ALL_PC, perspective="Bird's eye view", themes=("Fantasy",)),
    Game("The Witcher 3: Wild Hunt", date(2015, 5, 18), ("CD PROJEKT RED",), ("Role-playing",),
         "You are Geralt of Rivia, mercenary monster slayer.", publishers=("CD PROJEKT RED",), themes=("Fantasy",),
         users=Score(96, 720000), critics=Score(93, 32), esrb="M", pegi=18, steam=292030, igdb=1942, gog="1207664643",
         perspective="Third person"),
    Game("Stardew Valley", date(2016, 2, 26), ("ConcernedApe",), ("Simulation", "Role-playing"),
         "You've inherited your grandfather's old farm plot.", publishers=("ConcernedApe",), machines=_ALL_PC,
         modes=("Single player", "Co-operative"), users=Score(98, 700000), critics=Score(89, 34), esrb="E10", pegi=7,
         steam=413150, igdb=17000, gog="1453375253", perspective="Bird's eye view"),
    Game("Stardew Valley Soundtrack", date(2016, 2, 26), ("ConcernedApe",), (), "The music of Stardew Valley.",
         publishers=("ConcernedApe",), kind=Kind.SOUNDTRACK, machines=_ALL_PC),
    Game("Stardew Valley Demo", date(2016, 1, 15), ("ConcernedApe",), ("Simulation",), "The first days on the farm.",
         publishers=("ConcernedApe",), kind=Kind.DEMO),
    Game("Hollow Knight", date(2017, 2, 24), ("Team Cherry",), ("Platform", "Adventure"),
         "Forge your own path in a ruined kingdom of insects.", publishers=("Team Cherry",), machines=_ALL_PC,
         users=Score(97, 330000), critics=Score(87, 22), esrb="E10", pegi=7, steam=367520, igdb=14593,
         gog="1308320804", perspective="Side view", themes=("Fantasy",)),
    Game("Celeste", date(2018, 1, 25), ("Maddy Makes Games Inc.",), ("Platform",), "Help Madeline survive her demons.",
         publishers=("Maddy Makes Games Inc.",), machines=_ALL_PC, users=Score(97, 80000), critics=Score(88, 14),
         steam=504230, igdb=26226, perspective="Side view", esrb="E10", pegi=7),
    Game("Hades", date(2020, 9, 17), ("Supergiant Games",), ("Role-playing", "Action"), "Defy the god of the dead.",
         publishers=("Supergiant Games",), users=Score(98, 250000), critics=Score(93, 47), steam=1145360, igdb=113112,
         esrb="T", pegi=12, perspective="Isometric", themes=("Fantasy",), machines=frozenset((W, M))),
    Game("Baldur's Gate 3", date(2023, 8, 3), ("Larian Studios",), ("Role-playing",), "Gather your party.",
         publishers=("Larian Studios",), modes=("Single player", "Co-operative"), users=Score(96, 650000),
         critics=Score(96, 100), steam=1086940, igdb=119171, gog="1456460669", machines=frozenset((W, M)),
         esrb="M", pegi=18, themes=("Fantasy",), perspective="Third person"),
    Game("Doom II", date(1994, 10, 10), ("id Software",), ("Shooter",), "Hell has reached the Earth.",
         publishers=("id Software",), themes=("Horror",), users=Score(95, 9000), critics=Score(83, 5), esrb="M",
         steam=2300, perspective="First-person"),
    Game("DOOM", date(2016, 5, 12), ("id Software",), ("Shooter",), "Now includes all three premium packs.",
         publishers=("Bethesda Softworks",), themes=("Horror",), users=Score(95, 140000), critics=Score(85, 43),
         esrb="M", pegi=18, steam=379720, perspective="First-person"),
    Game("Quake", date(1996, 6, 22), ("id Software",), ("Shooter",), "Rage through 32 single player levels.",
         publishers=("id Software",), themes=("Horror",), users=Score(95, 15000), critics=Score(94, 9), steam=2310,
         perspective="First-person", esrb="M"),
    Game("Prey", date(2006, 7, 11), ("Human Head Studios",), ("Shooter",), "Abducted by a living ship.",
         publishers=("2K",), themes=("Science fiction",), critics=Score(83, 36), steam=3970,
         perspective="First-person"),
    Game("Prey", date(2017, 5, 4), ("Arkane Studios",), ("Shooter", "Adventure"), "You awaken aboard Talos I.",
         publishers=("Bethesda Softworks",), themes=("Science fiction",), users=Score(90, 40000),
         critics=Score(79, 23), steam=480490, perspective="First-person", esrb="M", pegi=18),
    Game("Factorio", date(2020, 8, 14), ("Wube Software LTD.",), ("Simulation", "Strategy"), "The factory must grow.",
         publishers=("Wube Software LTD.",), modes=("Single player", "Multiplayer"), users=Score(97, 170000),
         critics=Score(90, 6), steam=427520, machines=_ALL_PC, perspective="Bird's eye view"),
    Game("Terraria", date(2011, 5, 16), ("Re-Logic",), ("Action", "Adventure"), "Dig, fight, explore, build!",
         publishers=("Re-Logic",), modes=("Single player", "Multiplayer"), users=Score(97, 1200000),
         critics=Score(81, 29), steam=105600, machines=_ALL_PC, perspective="Side view"),
    Game("Don't Starve", date(2013, 4, 23), ("Klei Entertainment",), ("Adventure", "Simulation"),
         "An uncompromising wilderness survival game.", publishers=("Klei Entertainment",), users=Score(96, 90000),
         critics=Score(79, 42), steam=219740, machines=_ALL_PC, perspective="Bird's eye view"),
    Game("Papers, Please", date(2013, 8, 8), ("3909",), ("Puzzle", "Simulation"), "Glory to Arstotzka.",
         publishers=("3909",), users=Score(97, 60000), critics=Score(85, 40), steam=239030, machines=_ALL_PC),
    Game("Brütal Legend", date(2013, 2, 26), ("Double Fine Productions",), ("Action", "Strategy"),
         "A roadie in a land of heavy metal.", publishers=("Double Fine Productions",), users=Score(91, 5000),
         critics=Score(80, 10), steam=225260, machines=_ALL_PC, perspective="Third person", esrb="M", pegi=18),
    Game("100% Orange Juice", date(2013, 9, 10), ("Orange_Juice",), ("Strategy",), "A digital board game.",
         publishers=("Fruitbat Factory",), modes=("Single player", "Multiplayer"), users=Score(93, 20000),
         steam=282800),
    Game("Command & Conquer™ Remastered Collection", date(2020, 6, 5), ("Petroglyph",), ("Strategy",),
         "Two games that shaped their kind: Command & Conquer and Red Alert.", publishers=("Electronic Arts",),
         users=Score(92, 18000), critics=Score(82, 55), steam=1213210, esrb="T", pegi=16),
    Game("Sid Meier\N{RIGHT SINGLE QUOTATION MARK}s Civilization® VI", date(2016, 10, 20),
         ("Firaxis Games", "Aspyr"), ("Strategy",),
         "Expand your empire and advance your culture.", publishers=("2K", "Aspyr"), users=Score(86, 250000),
         critics=Score(88, 84), steam=289070, machines=_ALL_PC, modes=("Single player", "Multiplayer")),
    Game("Grand Theft Auto V", date(2015, 4, 13), ("Rockstar North",), ("Action",), "Three criminals in Los Santos.",
         publishers=("Rockstar Games",), users=Score(87, 1700000), critics=Score(96, 57), esrb="M", pegi=18,
         steam=271590, igdb=1020, modes=("Single player", "Multiplayer"), perspective="Third person"),
    Game("FINAL FANTASY VII", date(2013, 7, 4), ("Square Enix",), ("Role-playing",), "Mako is the planet's life.",
         publishers=("Square Enix",), users=Score(92, 15000), steam=39140, esrb="T", pegi=12),
    Game("FTL: Faster Than Light", date(2012, 9, 14), ("Subset Games",), ("Strategy",), "A spaceship, and you.",
         publishers=("Subset Games",), users=Score(95, 60000), critics=Score(84, 34), steam=212680,
         machines=_ALL_PC, themes=("Science fiction",)),
    Game("Outer Wilds", date(2020, 6, 18), ("Mobius Digital",), ("Adventure",),
         "A solar system in a time loop.\n\nExplore it.", publishers=("Annapurna Interactive",),
         users=Score(95, 90000), critics=Score(85, 36), steam=753640, themes=("Science fiction",),
         perspective="First-person"),
    Game("The Outer Worlds", date(2020, 10, 23), ("Obsidian Entertainment",), ("Role-playing",), "Lost in transit.",
         publishers=("Private Division",), users=Score(83, 17000), critics=Score(82, 68), steam=578650,
         themes=("Science fiction",), perspective="First-person"),
    Game("Undertale", date(2015, 9, 15), ("tobyfox",), ("Role-playing",), "Where you don't have to destroy anyone.",
         publishers=("tobyfox",), users=Score(96, 200000), critics=Score(92, 43), steam=391540, machines=_ALL_PC),
    # Not on a PC
    Game("The Legend of Zelda: Breath of the Wild", date(2017, 3, 3), ("Nintendo EPD",), ("Adventure",),
         "Link awakens after a hundred years.", publishers=("Nintendo",), igdb=7346,
         machines=frozenset((Machine.SWITCH,)), critics=Score(97, 109), esrb="E10", pegi=12),
    Game("Portal: Breath of the Console", date(2019, 9, 9), ("Nobody",), ("Puzzle",), "Invented, and not on a PC.",
         machines=frozenset((Machine.SWITCH, Machine.PLAYSTATION))),
    # Invented
    Game('The "Quoted" Quest; Part 1\\2', date(2022, 2, 22), ('Anna "Ann" O\'Neill, Söhne & Co.',), ("Adventure",),
         'She said: "Don\'t!" <script>alert(1)</script> & left.', publishers=("Zitat GmbH",)),
    Game("Lanternlight", 2031, ("Nobody",), ("Adventure",), "Not out yet: only the year is known."),
)
# fmt: on


def _numbered() -> tuple[Game, ...]:
    names = Game.__dataclass_fields__
    return tuple(
        Game(**{name: getattr(game, name) for name in names} | {"number": number})
        for number, game in enumerate(_WRITTEN, start=1)
    )


GAMES = _numbered()
PC_GAMES = tuple(game for game in GAMES if game.on_pc)


def game(name: str) -> Game:
    """Return the first game of that name."""
    return next(game for game in GAMES if game.name == name)


def called(text: str) -> list[Game]:
    """Return the games whose names contain all words of a text, ignoring case; the last word may be a prefix."""
    return [game for game in GAMES if _is_called(game.name, _words(text))]


def _is_called(name: str, requested: list[str]) -> bool:
    words = _words(name)
    return (
        bool(requested) and set(requested[:-1]) <= set(words) and any(each.startswith(requested[-1]) for each in words)
    )


def _words(text: str) -> list[str]:
    plain = text.casefold().replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "")
    return "".join(letter if letter.isalnum() else " " for letter in plain).split()
