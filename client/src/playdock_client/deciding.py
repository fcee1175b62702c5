"""What becomes of each path when one version takes the place of another. Pure: the disk was looked at before.

The player's bytes are never destroyed. A file that the client wrote and nobody changed may be replaced or removed;
whatever else is in the way of the new version is put aside.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import count

from playdock_client.disk import Disk, Entry, Kind
from playdock_client.manifest import File, Link, Manifest
from playdock_client.names import folders_of

_EXECUTABLE = 0o100


@dataclass(frozen=True, slots=True)
class Situation:
    """What is there: the disk, and by their paths the files that have the old or the new version's bytes.

    With `restore`, files that the player changed are brought back although the new version has not changed them.
    """

    new: Manifest
    old: Manifest | None
    disk: Disk
    as_old: AbstractSet[str] = frozenset()
    as_new: AbstractSet[str] = frozenset()
    restore: bool = False


@dataclass(slots=True)
class Decision:
    """What to do.

    `stay` are files with the new version's bytes, `kept` files that the player changed and that stay, `aside` is
    (path, new path), and `execute` are files that lack the right to be executed.
    """

    make: list[File] = field(default_factory=list)
    stay: list[File] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    aside: list[tuple[str, str]] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    execute: list[str] = field(default_factory=list)


def decide(situation: Situation) -> Decision:
    """Decide for every path of the old and the new version."""
    return _Decider(situation).decide()


class _Decider:
    def __init__(self, situation: Situation) -> None:
        self._new, self._old, self._disk = situation.new, situation.old, situation.disk
        self._situation = situation
        key = self._disk.key
        self._old_files = {key(file.path): file for file in self._old.files} if self._old else {}
        self._old_links = {key(link.path): link for link in self._old.links} if self._old else {}
        self._new_keys = {key(path) for path in _paths(self._new)}
        self._decision = Decision()
        self._moved: set[str] = set()

    def decide(self) -> Decision:
        for file in self._new.files:
            self._decide_file(file)
        for link in self._new.links:
            self._decide_link(link)
        self._decide_old()
        self._clear_folders()
        return self._decision

    def _decide_file(self, file: File) -> None:
        entry = self._disk.find(file.path)
        if entry is None:
            self._decision.make.append(file)
        elif entry.kind is Kind.FILE and self._stays(file):
            self._decision.stay.append(file)
            if file.mode & _EXECUTABLE and not entry.mode & _EXECUTABLE:
                self._decision.execute.append(entry.path)
        elif entry.kind is Kind.FILE and self._is_kept(file):
            self._decision.kept.append(entry.path)
        else:
            self._decision.make.append(file)
            if entry.kind is not Kind.FILE or not self._is_of_old(entry, key=self._disk.key(entry.path)):
                self._clear(entry)

    def _stays(self, file: File) -> bool:
        if file.path in self._situation.as_new:
            return True
        old = self._old_files.get(self._disk.key(file.path))
        return old is not None and old.hash == file.hash and old.path in self._situation.as_old

    def _is_kept(self, file: File) -> bool:
        """What the player changed stays if the new version has nothing new to say about it."""
        old = self._old_files.get(self._disk.key(file.path))
        return old is not None and old.hash == file.hash and not self._situation.restore

    def _decide_link(self, link: Link) -> None:
        entry = self._disk.find(link.path)
        if entry is not None and entry.kind is Kind.LINK and entry.target == link.target:
            return
        self._decision.links.append(link)
        if entry is not None:
            self._clear(entry)

    def _decide_old(self) -> None:
        """Remove what the new version no longer has, and put aside what the player changed of it."""
        for key, file in self._old_files.items():
            if key not in self._new_keys and (entry := self._disk.file(file.path)):
                self._clear(entry)
        for key, link in self._old_links.items():
            entry = self._disk.find(link.path)
            if key not in self._new_keys and entry and entry.kind is Kind.LINK and entry.target == link.target:
                self._clear(entry)

    def _clear_folders(self) -> None:
        """Nothing is written through a link, and no file can be a folder: what stands for a folder must go."""
        seen: set[str] = set()
        for path in (*(file.path for file in self._decision.make), *(link.path for link in self._decision.links)):
            for folder in reversed(folders_of(path)):
                if folder in seen:
                    break
                seen.add(folder)
                entry = self._disk.find(folder)
                if entry is not None and entry.kind is not Kind.FOLDER:
                    self._clear(entry)

    def _clear(self, entry: Entry) -> None:
        """Have a path cleared for the new version: removed if it is the old version's, else put aside."""
        key = self._disk.key(entry.path)
        if key in self._moved:
            return
        self._moved.add(key)
        if entry.kind is Kind.FOLDER:
            if not self._is_ours(key):
                self._decision.aside.append((entry.path, self._free_name(entry.path)))
        elif self._is_of_old(entry, key=key):
            self._decision.remove.append(entry.path)
        else:
            self._decision.aside.append((entry.path, self._free_name(entry.path)))

    def _is_of_old(self, entry: Entry, *, key: str) -> bool:
        if entry.kind is Kind.LINK:
            link = self._old_links.get(key)
            return link is not None and link.target == entry.target
        file = self._old_files.get(key)
        return file is not None and file.path in self._situation.as_old

    def _is_ours(self, key: str) -> bool:
        """Tell whether a folder will be gone when the old version's unchanged files are."""
        inside = [each for each in self._disk if self._disk.key(each.path).startswith(key + "/")]
        return bool(inside) and all(
            each.kind is Kind.FOLDER or self._is_of_old(each, key=self._disk.key(each.path)) for each in inside
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
