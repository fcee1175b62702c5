"""Recognizes which version of a game a folder contains, by its files. Nothing in the folder is changed."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playdock_client.choosing import choose_version, with_commands
from playdock_client.connection import Server
from playdock_client.disk import Disk, is_caseless, scan
from playdock_client.errors import BadManifest, NotInstalled
from playdock_client.folder_scanner import FolderScanner
from playdock_client.installer import explained_disk_errors
from playdock_client.installing import read_installation
from playdock_client.manifest import File
from playdock_client.progress import Phase, Progress
from playdock_client.responses import VersionInfo

# The manifests of more versions would take long to fetch; the folder of a game that old is rare.
_MAX_VERSIONS = 50


@dataclass(frozen=True, slots=True)
class Recognition:
    """The version that a folder contains, and how many of the version's files are in the folder.

    If no file matches any version, it is the newest one. `newest` is the newest version for the same platform.
    """

    version: VersionInfo
    matching: int
    files: int
    newest: VersionInfo

    @property
    def has_update(self) -> bool:
        """Return whether there is a newer version."""
        return self.version.id != self.newest.id


@dataclass(frozen=True, slots=True)
class _Candidate:
    version: VersionInfo
    files: Sequence[File]
    matching: int = 0

    @property
    def score(self) -> int:
        """The files that match, less those that do not: neither missing nor unexplained files should win."""
        return self.matching - (len(self.files) - self.matching)


def recognize(
    server: Server, versions: Sequence[VersionInfo], folder: Path, *, platforms: Sequence[str], progress: Progress
) -> Recognition:
    """Return which of a game's versions for some platforms a folder contains; the preferred platform is the first.

    Files that are the same in all versions are compared by their size only. Raises NoMatch if there is no version.
    """
    newest = choose_version(versions, platforms=platforms)
    possible = [each for each in versions if each.platform in platforms][-_MAX_VERSIONS:]
    progress.begin(Phase.PREPARE, total=0)
    manifests = {each.id: _files_of(server, each) for each in possible}
    with explained_disk_errors(folder):
        with suppress(NotInstalled):
            # Complete an interrupted switch.
            read_installation(folder)
        disk = scan(folder, caseless=sys.platform in ("win32", "darwin") or is_caseless(folder))
        candidates = _compare(possible, manifests, disk, FolderScanner(folder, progress=progress))
    # The later of two versions that match equally is the newer one.
    best = max(enumerate(candidates), key=lambda each: (each[1].score, _preference(each[1], platforms), each[0]))[1]
    if not best.matching:
        return Recognition(newest, 0, len(manifests.get(newest.id, ())), newest)
    return Recognition(
        with_commands(best.version, versions),
        best.matching,
        len(best.files),
        choose_version(versions, platforms=(best.version.platform,)),
    )


def _compare(
    versions: Sequence[VersionInfo], manifests: Mapping[str, Sequence[File]], disk: Disk, scanner: FolderScanner
) -> Sequence[_Candidate]:
    """Return how many files of each version are in the folder."""
    owners: dict[tuple[str, str], int] = {}
    for files in manifests.values():
        for file in files:
            owners[file.path, file.hash] = owners.get((file.path, file.hash), 0) + 1
    candidates = []
    for version in versions:
        files = manifests[version.id]
        common = [file for file in files if owners[file.path, file.hash] == len(manifests)]
        matching = sum(disk.file(file.path, size=file.size) is not None for file in common)
        matching += len(scanner.matching([f for f in files if owners[f.path, f.hash] < len(manifests)], disk))
        candidates.append(_Candidate(version, files, matching))
    return candidates


def _files_of(server: Server, version: VersionInfo) -> Sequence[File]:
    manifest = server.manifest(version.id)
    if manifest.version != version.id:
        raise BadManifest("The server sent the manifest of another version. Nothing was changed.")
    return manifest.files


def _preference(candidate: _Candidate, platforms: Sequence[str]) -> int:
    return -platforms.index(candidate.version.platform)
