"""The task that computes the checksums that Drop's clients need."""

from msgspec import Struct

from playdock.content.names import printable
from playdock.domain.games.errors import VersionUnknown
from playdock.features.downloads.service import ContentResolver
from playdock.features.drop_bridge.bundles import Bundles
from playdock.features.drop_bridge.checksums import ChunkChecksums
from playdock.features.drop_bridge.service import TASK_TYPE
from playdock.kit.messages import Message
from playdock.sending.files import ContentMismatch, LocationUnavailable
from playdock.stored import DropVersionArguments
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import RetryableFailure, TaskFailed


class ReadForDrop(Struct, frozen=True):
    """Computes the checksums of a version's layers for Drop 0.3, or of its chunks for Drop 0.4."""

    resolver: ContentResolver
    checksums: ChunkChecksums
    bundles: Bundles
    task_type: str = TASK_TYPE

    def run(self, context: TaskContext) -> None:
        arguments = context.arguments(DropVersionArguments)
        try:
            version = self.resolver.resolve(arguments.version)
            previous = self.resolver.resolve(arguments.previous) if arguments.previous else None
        except VersionUnknown:
            return
        try:
            if arguments.packed:
                self.bundles.digests(version, previous, context.advance)
                return
            for image in range(len(version.chain)):
                self.checksums.of_layer(version, image, context.advance)
        except ContentMismatch as mismatch:
            file = f"“{printable(mismatch.file.path)}”"
            raise TaskFailed("Version changed", Message("file-changed", file=file)) from None
        except LocationUnavailable:
            raise RetryableFailure("Library unavailable", Message("library-away")) from None
