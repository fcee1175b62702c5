"""Plans what an update does with each path. Pure: works on a scan of the folder.

The player's data is never deleted. Unchanged files that the client wrote can be replaced or removed; anything else that
is in the way of the new version is set aside.
"""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import count

from playdock_client.disk import Disk, Entry, EntryKind
from playdock_client.manifest import File, Link, Manifest
from playdock_client.names import folders_of

EXECUTABLE = 0o100
_NAME_FOR_ASIDE = re.compile(r".*\.yours(-[0-9]+)?", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FolderState:
    """The content of the folder, and the paths of files with the content of the old or the new version.

    With `restore`, files that the player changed are replaced even if they are the same in both versions.

    `unaffected` are files of the new version that are in the folder as they should be. The other fields lack them.
    """

    new: Manifest
    old: Manifest | None
    disk: Disk
    matches_old: AbstractSet[str] = frozenset()
    matches_new: AbstractSet[str] = frozenset()
    restore: bool = False
    unaffected: Iterable[File] = ()


@dataclass(slots=True)
class UpdatePlan:
    """The changes to make.

    `keep` are files that have the new content already, `kept` files that the player changed and that are not replaced,
    `aside` are (path, new path), and `execute` are files that lack the permission to be executed.
    """

    build: list[File] = field(default_factory=list)
    keep: list[File] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    aside: list[tuple[str, str]] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    execute: list[str] = field(default_factory=list)


def is_name_for_aside(path: str) -> bool:
    """Return whether a file that is set aside could get this name."""
    return _NAME_FOR_ASIDE.fullmatch(path) is not None


def plan_update(state: FolderState) -> UpdatePlan:
    """Return what to do with every path of the old and the new version."""
    return _UpdatePlanner(state).plan_update()


class _UpdatePlanner:
    def __init__(self, state: FolderState) -> None:
        self._new, self._old, self._disk = state.new, state.old, state.disk
        self._state = state
        key = self._disk.key
        self._old_files = {key(file.path): file for file in self._old.files} if self._old else {}
        self._old_links = {key(link.path): link for link in self._old.links} if self._old else {}
        self._new_keys = {key(path) for path in _paths(self._new)}
        self._plan = UpdatePlan()
        self._moved: set[str] = set()

    def plan_update(self) -> UpdatePlan:
        for file in self._new.files:
            self._decide_file(file)
        for link in self._new.links:
            self._decide_link(link)
        self._decide_old()
        self._clear_folders()
        return self._plan

    def _decide_file(self, file: File) -> None:
        entry = self._disk.find(file.path)
        if entry is None:
            self._plan.build.append(file)
        elif entry.kind is EntryKind.FILE and self._is_current(file):
            self._plan.keep.append(file)
            if file.mode & EXECUTABLE and not entry.mode & EXECUTABLE:
                self._plan.execute.append(entry.path)
        elif entry.kind is EntryKind.FILE and self._is_kept(file):
            self._plan.kept.append(entry.path)
        else:
            self._plan.build.append(file)
            if entry.kind is not EntryKind.FILE or not self._is_of_old(entry, key=self._disk.key(entry.path)):
                self._clear(entry)

    def _is_current(self, file: File) -> bool:
        if file.path in self._state.matches_new:
            return True
        old = self._old_files.get(self._disk.key(file.path))
        return old is not None and old.hash == file.hash and old.path in self._state.matches_old

    def _is_kept(self, file: File) -> bool:
        """Return whether a file that the player changed is kept, because it is the same in both versions."""
        old = self._old_files.get(self._disk.key(file.path))
        return old is not None and old.hash == file.hash and not self._state.restore

    def _decide_link(self, link: Link) -> None:
        entry = self._disk.find(link.path)
        if entry is not None and entry.kind is EntryKind.LINK and entry.target == link.target:
            return
        self._plan.links.append(link)
        if entry is not None:
            self._clear(entry)

    def _decide_old(self) -> None:
        """Remove files that the new version no longer has; set aside those that the player changed."""
        for key, file in self._old_files.items():
            if key not in self._new_keys and (entry := self._disk.file(file.path)):
                self._clear(entry)
        for key, link in self._old_links.items():
            entry = self._disk.find(link.path)
            if key not in self._new_keys and entry and entry.kind is EntryKind.LINK and entry.target == link.target:
                self._clear(entry)

    def _clear_folders(self) -> None:
        """Clear links and files at the paths of folders, since nothing is written through a link."""
        seen: set[str] = set()
        for path in (*(file.path for file in self._plan.build), *(link.path for link in self._plan.links)):
            for folder in reversed(folders_of(path)):
                if folder in seen:
                    break
                seen.add(folder)
                entry = self._disk.find(folder)
                if entry is not None and entry.kind is not EntryKind.FOLDER:
                    self._clear(entry)

    def _clear(self, entry: Entry) -> None:
        """Clear a path for the new version: remove an unchanged file of the old version, set aside anything else."""
        key = self._disk.key(entry.path)
        if key in self._moved:
            return
        self._moved.add(key)
        if entry.kind is EntryKind.FOLDER:
            if not self._will_be_empty(key):
                self._plan.aside.append((entry.path, self._free_name(entry.path)))
        elif self._is_of_old(entry, key=key):
            self._plan.remove.append(entry.path)
        else:
            self._plan.aside.append((entry.path, self._free_name(entry.path)))

    def _is_of_old(self, entry: Entry, *, key: str) -> bool:
        if entry.kind is EntryKind.LINK:
            link = self._old_links.get(key)
            return link is not None and link.target == entry.target
        file = self._old_files.get(key)
        return file is not None and file.path in self._state.matches_old

    def _will_be_empty(self, key: str) -> bool:
        """Return whether a folder will be empty once the old version's unchanged files are removed."""
        inside = [each for each in self._disk if self._disk.key(each.path).startswith(key + "/")]
        return bool(inside) and all(
            each.kind is EntryKind.FOLDER or self._is_of_old(each, key=self._disk.key(each.path)) for each in inside
        )

    def _free_name(self, path: str) -> str:
        for number in count(1):
            name = f"{path}.yours" if number == 1 else f"{path}.yours-{number}"
            key = self._disk.key(name)
            if key not in self._moved and key not in self._new_keys and self._disk.find(name) is None:
                self._moved.add(key)
                return name
        raise AssertionError


def _paths(manifest: Manifest) -> Iterable[str]:
    yield from (file.path for file in manifest.files)
    yield from (link.path for link in manifest.links)
