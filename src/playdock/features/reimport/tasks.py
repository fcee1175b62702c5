"""The task that imports a version again."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playdock.content.records import FileRecord, Layer
from playdock.features.damage import queries as damage_queries
from playdock.features.games import queries as game_queries
from playdock.features.installations.errors import LayerLost
from playdock.features.installations.service import Installations, Revision, Stack
from playdock.features.libraries.service import backend_of
from playdock.features.patches.service import Patches
from playdock.features.reimport import queries
from playdock.features.reimport.queries import Renewal, Standing
from playdock.features.reimport.service import GROUP
from playdock.features.version_import import queries as import_queries
from playdock.features.version_import.tasks import failures_explained, read_layer, refuse_absent_commands
from playdock.jobs.errors import PassingFault, TaskFailed
from playdock.jobs.work import Work
from playdock.models import Version

_MOST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ReimportVersion:
    """Reads a version again, keeps new revisions of it and of the deltas over it, and makes them the present ones."""

    installations: Installations
    patches: Patches
    group: str = GROUP

    def run(self, work: Work) -> None:
        with failures_explained():
            self._reimport(work)

    def _reimport(self, work: Work) -> None:
        with work.db.read() as session:
            standing = _found(queries.find_standing(session, work.arguments["version"]))
            damaged = damage_queries.paths_of(session, standing.version.id)
        game, version = standing.game, standing.version
        known = [file for file in self._files_before(version) if file.path not in damaged]
        tree = backend_of(standing.library).open(game.path, version.name)
        layer = read_layer(work, tree, game_id=game.id, version=version.name, known=known)
        self._finish(work, standing, list(self._renewals(standing, layer)))

    def _files_before(self, version: Version) -> Sequence[FileRecord]:
        """Give what is known of the version; where that was lost, all of it is read."""
        try:
            return self.installations.layer(Revision.of(version)).files
        except LayerLost:
            return ()

    def _renewals(self, standing: Standing, layer: Layer) -> Iterator[Renewal]:
        """Keep the next revisions, of the version and then of each delta after its base."""
        below = {standing.version.base_id: self.installations.stack(standing.below)}
        for version in (standing.version, *standing.above):
            own = layer if version is standing.version else self.installations.layer(Revision.of(version))
            number = _drawn()
            stack = below[version.base_id].with_top(Revision.numbered(version.id, number), own)
            below[version.id] = stack
            yield self._keep(version, number, stack)

    def _keep(self, version: Version, number: int, stack: Stack) -> Renewal:
        installation = stack.merge()
        refuse_absent_commands((version.launch, version.setup), installation)
        self.installations.keep_layer(stack.revisions[-1], stack.layers[-1])
        etag = self.installations.keep_manifest(stack, installation, game_id=version.game_id)
        return Renewal(version, number, stack.layers[-1].size, installation.size, etag)

    def _finish(self, work: Work, standing: Standing, renewals: Sequence[Renewal]) -> None:
        changed = [renewal.version for renewal in renewals if renewal.changes]
        names = ", ".join(version.name for version in changed)
        work.log(f"Players get other files of {names}." if changed else "Players get the same as before.")
        version, game_id = standing.version, standing.game.id
        with work.complete() as session:
            game_queries.hold_game(session, game_id)
            if _found(queries.find_standing(session, version.id)).ground != standing.ground:
                raise PassingFault("Changed meanwhile", "The game was moved or imported again while this was done.")
            for renewal in renewals:
                queries.renew(session, renewal)
            damage_queries.forget(session, version.id)
            import_queries.forget_checkpoints(session, game_id, version.name)
            for other in changed:
                self.patches.follow(session, other)
            if changed:
                game_queries.touch(session, game_id, at=work.clock())


def _found(standing: Standing | None) -> Standing:
    if standing is None:
        raise TaskFailed("Version gone", "The version was deleted before it was imported again.")
    return standing


def _drawn() -> int:
    """Draw the number of a revision.

    It is no count, so that nobody ever writes blobs of the same name as somebody else: not a delta that is imported
    again together with its base, nor a runner that lost its lease and has not noticed yet.
    """
    return secrets.randbelow(_MOST_NUMBER) + 1
