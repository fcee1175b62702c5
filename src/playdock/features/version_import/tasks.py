"""The task that makes a version of a folder or archive."""

import os
from dataclasses import dataclass

from sqlalchemy.orm import Session

from playdock.content.errors import UnreadableRecord, UnusableVersion, VersionChanged
from playdock.content.layers import Installation
from playdock.content.records import Checkpoint, Found, Layer, decode_checkpoint, encode_checkpoint, gather
from playdock.features.games import queries as game_queries
from playdock.features.installations.service import Installations, Stack, chain_of
from playdock.features.libraries.service import backend_of
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
    """Reads a version, keeps its layer and manifest, and adds the version."""

    installations: Installations
    group: str = GROUP

    def run(self, work: Work) -> None:
        try:
            self._import(work)
        except UnusableVersion as reason:
            raise TaskFailed("Version unusable", str(reason)) from None
        except VersionChanged as reason:
            raise PassingFault("Version changed", str(reason)) from None
        except PlaceUnusable as reason:
            raise PassingFault("Library unreadable", f"The library cannot be read. {reason}") from None
        except (NotListed, FileNotFoundError, NotADirectoryError):
            detail = "The version's folder or archive is not there any more. Put it back, or check that it is mounted."
            raise PassingFault("Version gone", detail) from None

    def _import(self, work: Work) -> None:
        game, library = self._find(work)
        name, version_id = work.arguments["name"], work.arguments["version"]
        tree = backend_of(library).open(game.path, name)
        layer = self._read(work, tree)
        work.log(f"Read {len(layer.files):,} files, {layer.size:,} bytes.")
        with work.db.read() as session:
            chain = chain_of(session, _base(session, work))
        stack = self.installations.stack(chain).with_top(version_id, layer)
        installation = stack.merge()
        self._refuse_absent_commands(work, installation)
        self._keep(work, stack, installation)

    def _find(self, work: Work) -> tuple[Game, Library]:
        with work.db.read() as session:
            found = game_queries.find_library_of(session, work.arguments["game"])
        if found is None:
            raise _game_gone()
        return found

    def _read(self, work: Work, tree: Tree) -> Layer:
        found = _learned(work)
        if found.files or found.partials:
            work.log(f"Going on: {_amount(found)} were read before.")

        def keep(checkpoint: Checkpoint) -> None:
            work.advance(_HASHED_SHARE * checkpoint.done, 100.0 * checkpoint.total)
            if checkpoint.files or checkpoint.partials:
                with work.checkpoint() as session:
                    _keep_checkpoint(session, work, checkpoint)

        return ingest(tree, known=found.files, partial=found.partials, workers=os.cpu_count() or 1, checkpoint=keep)

    def _refuse_absent_commands(self, work: Work, installation: Installation) -> None:
        named = {field: work.arguments[field] for field in ("launch", "setup") if work.arguments[field]}
        if absent := rules.absent_commands(named, rules.paths_of(installation)):
            raise TaskFailed("Command missing", " ".join(fault.detail for fault in absent))

    def _keep(self, work: Work, stack: Stack, installation: Installation) -> None:
        game_id, name = work.arguments["game"], work.arguments["name"]
        self.installations.keep_layer(stack.versions[-1], stack.layers[-1])
        etag = self.installations.keep_manifest(stack, installation, game_id=game_id)
        with work.complete() as session:
            if not game_queries.hold_game(session, game_id):
                raise _game_gone()
            if game_queries.version_of_name(session, game_id, name):
                raise TaskFailed("Already imported", "This version has been imported already.")
            version = _version(work, size=stack.layers[-1].size, installed=installation.size, etag=etag)
            version.position = game_queries.next_position(session, game_id)
            game_queries.add_version(session, version)
            game_queries.touch(session, game_id, at=version.created)
            queries.forget_checkpoints(session, game_id, name)


def _game_gone() -> TaskFailed:
    return TaskFailed("Game gone", "The game was deleted before its version was imported.")


def _base(session: Session, work: Work) -> Version | None:
    """Find what a delta is layered over: what was the newest version for its platform when it was asked for."""
    if work.arguments["base"] is None:
        return None
    base = game_queries.find_version(session, work.arguments["base"])
    if base is None:
        raise TaskFailed("Base gone", "The version that this delta goes over is not there any more.")
    return base


def _learned(work: Work) -> Found:
    """Give what earlier runs have learned; what cannot be read any more is simply learned again."""
    with work.db.read() as session:
        kept = queries.checkpoints(session, work.arguments["game"], work.arguments["name"])
    try:
        return gather(decode_checkpoint(records) for records in kept)
    except UnreadableRecord:
        return Found()


def _amount(found: Found) -> str:
    size = sum(file.size for file in found.files) + sum(partial.offset for partial in found.partials)
    return f"{len(found.files):,} files and {len(found.partials):,} beginnings of files, {size:,} bytes,"


def _keep_checkpoint(session: Session, work: Work, checkpoint: Checkpoint) -> None:
    game_id, name = work.arguments["game"], work.arguments["name"]
    if not game_queries.hold_game(session, game_id):
        raise _game_gone()
    queries.add_checkpoint(session, game_id, name, at=work.clock(), records=encode_checkpoint(checkpoint))


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
