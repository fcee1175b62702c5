"""The client's Python API: find games on a server; install, update, verify, repair and launch them.

    from pathlib import Path

    from playdock_client import api

    folder = Path("games/Teeworlds")
    with api.Server("https://games.example.org", token="pdc_…") as server:
        game = server.game(server.search("teeworlds")[0].id)
        version = api.choose_version(game.versions, platforms=("Linux", "Windows"))
        options, progress = api.FetchOptions(limit_rate=2_000_000), api.NoProgress()
        outcome = api.install(server, game, version, folder, options=options, progress=progress)
        print(f"Downloaded {outcome.fetched} bytes")

    result = api.verify(folder, progress=progress)
    print("intact" if result.intact else f"damaged: {result.damaged}, missing: {result.missing}")

The token is a device token from `Server.begin_sign_in` and `Server.poll_token`, as used by `playdock-client login`, or
an API token with the permissions `user:store:read` and `user:content:read`. All expected failures raise a
`ClientError`, whose message can be shown to users. To show progress, pass your own `Progress`; its methods are called
from several threads. To resume an interrupted operation, call the same function again.
"""

from playdock_client.artwork import Artwork, ArtworkRole, fetch_artwork, stored_artwork
from playdock_client.choosing import NoMatch, choose_version, with_commands
from playdock_client.client_folders import ClientFolders
from playdock_client.connection import Server
from playdock_client.errors import (
    BadManifest,
    BadResponse,
    CannotLaunch,
    ClientError,
    DiskError,
    DiskFull,
    FolderBusy,
    FolderTaken,
    GameRunning,
    NotInstalled,
    NotRunning,
    NotSignedIn,
    RequestRefused,
    ServerUnavailable,
    SignInPending,
    SignInRefused,
    SlowDown,
    UnencryptedConnection,
    UnfinishedInstallation,
    VersionChanged,
    WrongBytes,
)
from playdock_client.installation import Installation
from playdock_client.installing import (
    CheckResult,
    FetchOptions,
    InstallOutcome,
    adopt,
    install,
    read_installation,
    repair,
    uninstall,
    update,
    verify,
)
from playdock_client.launch import Launcher, SetUpFailed
from playdock_client.launch_problems import LaunchProblem, LaunchProblemKind, launch_problems
from playdock_client.launch_properties import (
    InvalidProperties,
    LaunchProperties,
    check_properties,
    read_properties,
    write_properties,
)
from playdock_client.links import InstallLink, InvalidLink, parse_link
from playdock_client.machine import Machine
from playdock_client.playing.play import ended_early
from playdock_client.playing.running_games import (
    RunningGame,
    StopFailed,
    finished_sessions,
    play_times,
    running_game,
    running_games,
    stop_game,
)
from playdock_client.playing.sessions import GameKey, PlaySession, PlayTime
from playdock_client.progress import NoProgress, Notice, NoticeKind, Phase, Progress
from playdock_client.recognizing import Recognition, recognize
from playdock_client.responses import (
    DeviceInfo,
    FeedGame,
    FeedImage,
    GameInfo,
    GamePage,
    GameSummary,
    Limits,
    ServerLimits,
    SignIn,
    UserInfo,
    VersionInfo,
)
from playdock_client.shortcuts.client_program import client_program
from playdock_client.shortcuts.game_shortcuts import CannotMakeShortcut, GameShortcuts, ShortcutPlace, ShortcutTarget
from playdock_client.shortcuts.link_scheme import CannotRegister, register_scheme, unregister_scheme
from playdock_client.steam.steam_library import SteamLibrary, SteamNotFound, SteamRunning
from playdock_client.steam.vdf import UnknownFormat
from playdock_client.umu import CannotPrepare
from playdock_client.unlinking import remove_links_to

__all__ = [
    "Artwork",
    "ArtworkRole",
    "BadManifest",
    "BadResponse",
    "CannotLaunch",
    "CannotMakeShortcut",
    "CannotPrepare",
    "CannotRegister",
    "CheckResult",
    "ClientError",
    "ClientFolders",
    "DeviceInfo",
    "DiskError",
    "DiskFull",
    "FeedGame",
    "FeedImage",
    "FetchOptions",
    "FolderBusy",
    "FolderTaken",
    "GameInfo",
    "GameKey",
    "GamePage",
    "GameRunning",
    "GameShortcuts",
    "GameSummary",
    "InstallLink",
    "InstallOutcome",
    "Installation",
    "InvalidLink",
    "InvalidProperties",
    "LaunchProblem",
    "LaunchProblemKind",
    "LaunchProperties",
    "Launcher",
    "Limits",
    "Machine",
    "NoMatch",
    "NoProgress",
    "NotInstalled",
    "NotRunning",
    "NotSignedIn",
    "Notice",
    "NoticeKind",
    "Phase",
    "PlaySession",
    "PlayTime",
    "Progress",
    "Recognition",
    "RequestRefused",
    "RunningGame",
    "Server",
    "ServerLimits",
    "ServerUnavailable",
    "SetUpFailed",
    "ShortcutPlace",
    "ShortcutTarget",
    "SignIn",
    "SignInPending",
    "SignInRefused",
    "SlowDown",
    "SteamLibrary",
    "SteamNotFound",
    "SteamRunning",
    "StopFailed",
    "UnencryptedConnection",
    "UnfinishedInstallation",
    "UnknownFormat",
    "UserInfo",
    "VersionChanged",
    "VersionInfo",
    "WrongBytes",
    "adopt",
    "check_properties",
    "choose_version",
    "client_program",
    "ended_early",
    "fetch_artwork",
    "finished_sessions",
    "install",
    "launch_problems",
    "parse_link",
    "play_times",
    "read_installation",
    "read_properties",
    "recognize",
    "register_scheme",
    "remove_links_to",
    "repair",
    "running_game",
    "running_games",
    "stop_game",
    "stored_artwork",
    "uninstall",
    "unregister_scheme",
    "update",
    "verify",
    "with_commands",
    "write_properties",
]
