"""The task that makes a version of a folder or archive, and what it has in common with importing one again."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy.orm import Session

from playdock.content.errors import UnreadableRecord, UnusableVersion, VersionChanged
from playdock.content.layers import Installation
from playdock.content.records import (
    Checkpoint,
    FileRecord,
    Found,
    Layer,
    decode_checkpoint,
    encode_checkpoint,
    gather,
)
from playdock.features.games import queries as game_queries
from playdock.features.installations.service import Installations, Revision, Stack, chain_of
from playdock.features.libraries.service import backend_of
from playdock.features.patches.service import Patches
from playdock.features.version_import import queries, rules
from playdock.features.version_import.service import GROUP
from playdock.jobs.errors import PassingFault, TaskFailed
from playdock.jobs.work import Work
from playdock.models import Game, Library, Version
from playdock.storage.backends import NotListed, PlaceUnusable
from playdock.storage.entries import Tree
from playdock.storage.ingest import ingest

_HASHED_SHARE = 99.0


@dataclass(frozen=True, slots=True)
class ImportVersion:
    """Reads a version, keeps its layer and manifest, adds the version, and has patches to it made."""

    installations: Installations
    patches: Patches
    group: str = GROUP

    def run(self, work: Work) -> None:
        with failures_explained():
            self._import(work)

    def _import(self, work: Work) -> None:
        game, library = self._find(work)
        name, version_id = work.arguments["name"], work.arguments["version"]
        layer = read_layer(work, backend_of(library).open(game.path, name), game_id=game.id, version=name)
        with work.db.read() as session:
            chain = chain_of(session, _base(session, work))
        stack = self.installations.stack(chain).with_top(Revision.numbered(version_id), layer)
        installation = stack.merge()
        refuse_absent_commands((work.arguments["launch"], work.arguments["setup"]), installation)
        self._keep(work, stack, installation)

    def _find(self, work: Work) -> tuple[Game, Library]:
        with work.db.read() as session:
            found = game_queries.find_library_of(session, work.arguments["game"])
        if found is None:
            raise game_gone()
        return found

    def _keep(self, work: Work, stack: Stack, installation: Installation) -> None:
        game_id, name = work.arguments["game"], work.arguments["name"]
        self.installations.keep_layer(stack.revisions[-1], stack.layers[-1])
        etag = self.installations.keep_manifest(stack, installation, game_id=game_id)
        with work.complete() as session:
            if not game_queries.hold_game(session, game_id):
                raise game_gone()
            if game_queries.version_of_name(session, game_id, name):
                raise TaskFailed("Already imported", "This version has been imported already.")
            if chain_of(session, _base(session, work)) != stack.revisions[:-1]:
                raise PassingFault(
                    "Base changed", "The version that this delta goes over was imported again meanwhile."
                )
            version = _version(work, size=stack.layers[-1].size, installed=installation.size, etag=etag)
            version.position = game_queries.next_position(session, game_id)
            game_queries.add_version(session, version)
            self.patches.follow(session, version)
            game_queries.touch(session, game_id, at=version.created)
            queries.forget_checkpoints(session, game_id, name)


@contextmanager
def failures_explained() -> Iterator[None]:
    """Say what keeps a version from being read, and whether that may pass."""
    try:
        yield
    except UnusableVersion as reason:
        raise TaskFailed("Version unusable", str(reason)) from None
    except VersionChanged as reason:
        raise PassingFault("Version changed", str(reason)) from None
    except PlaceUnusable as reason:
        raise PassingFault("Library unreadable", f"The library cannot be read. {reason}") from None
    except (NotListed, FileNotFoundError, NotADirectoryError):
        detail = "The version's folder or archive is not there any more. Put it back, or check that it is mounted."
        raise PassingFault("Version gone", detail) from None


def read_layer(work: Work, tree: Tree, *, game_id: str, version: str, known: Collection[FileRecord] = ()) -> Layer:
    """Read a version, but for what is `known` of its files and what earlier runs of the task have learned."""
    found = _learned(work, game_id, version)
    if found.files or found.partials:
        work.log(f"Going on: {_amount(found)} were read before.")

    def keep(checkpoint: Checkpoint) -> None:
        work.advance(_HASHED_SHARE * checkpoint.done, 100.0 * checkpoint.total)
        if checkpoint.files or checkpoint.partials:
            with work.checkpoint() as session:
                if not game_queries.hold_game(session, game_id):
                    raise game_gone()
                records = encode_checkpoint(checkpoint)
                queries.add_checkpoint(session, game_id, version, at=work.clock(), records=records)

    layer = ingest(
        tree, known=(*known, *found.files), partial=found.partials, workers=os.cpu_count() or 1, checkpoint=keep
    )
    work.log(f"Read {len(layer.files):,} files, {layer.size:,} bytes.")
    return layer


def refuse_absent_commands(commands: Collection[str], installation: Installation) -> None:
    """Raise TaskFailed if one of the commands that are not empty is no file of an installation."""
    if absent := rules.absent_commands(commands, rules.paths_of(installation)):
        raise TaskFailed("Command missing", " ".join(absent))


def game_gone() -> TaskFailed:
    return TaskFailed("Game gone", "The game was deleted before its version was imported.")


def _base(session: Session, work: Work) -> Version | None:
    """Find what a delta is layered over: what was the newest version for its platform when it was asked for."""
    if work.arguments["base"] is None:
        return None
    base = game_queries.find_version(session, work.arguments["base"])
    if base is None:
        raise TaskFailed("Base gone", "The version that this delta goes over is not there any more.")
    return base


def _learned(work: Work, game_id: str, version: str) -> Found:
    """Give what earlier runs have learned; what cannot be read any more is simply learned again."""
    with work.db.read() as session:
        kept = queries.checkpoints(session, game_id, version)
    try:
        return gather(decode_checkpoint(records) for records in kept)
    except UnreadableRecord:
        return Found()


def _amount(found: Found) -> str:
    size = sum(file.size for file in found.files) + sum(partial.offset for partial in found.partials)
    return f"{len(found.files):,} files and {len(found.partials):,} beginnings of files, {size:,} bytes,"


def _version(work: Work, *, size: int, installed: int, etag: str) -> Version:
    asked = work.arguments
    return Version(
        id=asked["version"],
        game_id=asked["game"],
        name=asked["name"],
        platform=asked["platform"],
        delta=asked["base"] is not None,
        base_id=asked["base"],
        only_setup=asked["onlySetup"],
        launch=asked["launch"],
        launch_args=asked["launchArgs"],
        setup=asked["setup"],
        setup_args=asked["setupArgs"],
        compat_id=asked["compatId"],
        size=size,
        installed_size=installed,
        manifest_etag=etag,
        created=work.clock(),
    )
