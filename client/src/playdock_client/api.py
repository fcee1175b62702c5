"""Playdock for programs: find games on a server; install, update, verify and repair them; launch what is installed.

    from pathlib import Path

    from playdock_client import api

    folder = Path("games/Teeworlds")
    with api.Server("https://games.example.org", token="pdc_…") as server:
        game = server.game(server.search("teeworlds")[0].id)
        version = api.choose_version(game.versions, platforms=("Linux", "Windows"))
        options, progress = api.Options(limit_rate=2_000_000), api.Silent()
        outcome = api.install(server, game, version, folder, options=options, progress=progress)
        print(f"{outcome.fetched} bytes were fetched")

    findings = api.verify(folder, progress=progress)
    print("sound" if findings.sound else f"damaged: {findings.damaged}, missing: {findings.missing}")

A token is what `playdock-client login` gets by `Server.begin_sign_in` and `Server.ask_for_token`, or an API token with
the rights `user:store:read` and `user:content:read`. Everything that goes wrong on purpose is a `ClientError`, whose
message is a sentence for a person. To show how far something is, give a `Progress` of your own: it is called from
several threads. A story that is interrupted, however, is taken up by calling it again.
"""

from playdock_client.answers import (
    DeviceInfo,
    FoundGame,
    GameInfo,
    GamePage,
    Limits,
    ServerLimits,
    SignIn,
    UserInfo,
    VersionInfo,
)
from playdock_client.choosing import NothingMatches, choose_version, with_commands
from playdock_client.connection import Server
from playdock_client.errors import (
    BadAnswer,
    BadManifest,
    ClientError,
    DiskFull,
    DiskTrouble,
    FolderBusy,
    FolderTaken,
    NotInstalled,
    NotSignedIn,
    Refused,
    ServerAway,
    SignInPending,
    SignInRefused,
    SlowDown,
    Unfinished,
    VersionChanged,
    WrongBytes,
)
from playdock_client.installation import Installation
from playdock_client.installing import (
    Findings,
    Options,
    Outcome,
    adopt,
    install,
    read_installation,
    repair,
    uninstall,
    update,
    verify,
)
from playdock_client.launch import CannotLaunch, Launcher, SetUpFailed
from playdock_client.machine import Machine
from playdock_client.places import Places
from playdock_client.progress import Notice, NoticeKind, Phase, Progress, Silent

__all__ = [
    "BadAnswer",
    "BadManifest",
    "CannotLaunch",
    "ClientError",
    "DeviceInfo",
    "DiskFull",
    "DiskTrouble",
    "Findings",
    "FolderBusy",
    "FolderTaken",
    "FoundGame",
    "GameInfo",
    "GamePage",
    "Installation",
    "Launcher",
    "Limits",
    "Machine",
    "NotInstalled",
    "NotSignedIn",
    "NothingMatches",
    "Notice",
    "NoticeKind",
    "Options",
    "Outcome",
    "Phase",
    "Places",
    "Progress",
    "Refused",
    "Server",
    "ServerAway",
    "ServerLimits",
    "SetUpFailed",
    "SignIn",
    "SignInPending",
    "SignInRefused",
    "Silent",
    "SlowDown",
    "Unfinished",
    "UserInfo",
    "VersionChanged",
    "VersionInfo",
    "WrongBytes",
    "adopt",
    "choose_version",
    "install",
    "read_installation",
    "repair",
    "uninstall",
    "update",
    "verify",
    "with_commands",
]
