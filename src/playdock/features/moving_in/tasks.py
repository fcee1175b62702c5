"""The task that imports the versions of a game that had to wait for others."""

from datetime import timedelta

from msgspec import Struct

from playdock.features.moving_in import queries
from playdock.features.moving_in.rules import MovedKind
from playdock.features.moving_in.versions import (
    TASK_TYPE,
    MovedVersions,
    VersionState,
    key_of,
    source_versions,
    states_of,
)
from playdock.features.version_import.service import VersionImports
from playdock.kit.messages import Message
from playdock.metadata.game_metadata import GameMetadata
from playdock.metadata.providers import MANUAL
from playdock.other_servers.model import SourceGame
from playdock.stored_moves import MoveVersionsArguments
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import Postponed

# An import takes seconds to hours; looking whether it has ended takes a few queries.
_LOOK_SECONDS = 5


class ContinueVersions(Struct, frozen=True):
    """Starts the imports of versions when those before them have ended, until none waits."""

    imports: VersionImports
    task_type: str = TASK_TYPE

    def run(self, context: TaskContext) -> None:
        arguments = context.arguments(MoveVersionsArguments)
        versions = source_versions(arguments.versions)
        game = SourceGame(arguments.key, "", "", GameMetadata(""), MANUAL, "", versions=versions)
        with context.db.read() as session:
            keys = [key_of(game, each) for each in versions]
            started = queries.recorded(session, arguments.server, MovedKind.VERSION, keys)
            states = states_of(session, game, arguments.game, started)
        for each in versions:
            # Otherwise an import that fails, or cannot be started, would be started again and again.
            is_to_start = each.name in arguments.waiting and key_of(game, each) not in started
            if states[each.name] is VersionState.ABSENT and not is_to_start:
                states[each.name] = VersionState.FAILED
        moved = MovedVersions(arguments.server, context.clock, self.imports)
        left_out = []
        for version in moved.start(game, arguments.game, states):
            if version.is_started and version.remark:
                context.log(Message("moved-version-other-commands", version=version.name), level="warn")
            if not version.is_started and version.name in arguments.waiting:
                left_out.append(version.name)
        if VersionState.WAITING in states.values():
            raise Postponed(context.clock() + timedelta(seconds=_LOOK_SECONDS))
        for name in left_out:
            context.log(Message("moved-version-left-out", version=name), level="warn")
