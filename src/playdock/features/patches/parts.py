"""Making the frames of a set of patches, and storing them, so that an interrupted task does not make them again."""

import time
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from msgspec import Struct, json

from playdock.content.bodies import Span
from playdock.content.differences import MEMORY_FOR_EACH_BYTE
from playdock.content.patches import Effort, Segment, compress, is_worthwhile
from playdock.content.programs import HEAD_SIZE, is_machine_code
from playdock.features.patches.service import Patches, part_key
from playdock.kit.machine import available_memory, is_idle
from playdock.kit.messages import Message
from playdock.sending.files import Opener, read
from playdock.storage.blobs import NoSuchBlob
from playdock.storage.differences import make_difference
from playdock.tasks.context import TaskContext

# On a machine that is always busy, a set of 1 GiB is improved within two hours.
_MAX_WAIT_SECONDS = 60
_WAIT_SECONDS = 0.5


class PatchPart(Struct, frozen=True):
    """A stored frame of a segment, and its length in bytes: none if the segment is omitted."""

    segment: Segment
    key: str
    length: int


class PartMaker(Struct):
    """Makes the frames of a task; ``with_differences`` is whether programs get differences."""

    patches: Patches
    context: TaskContext
    effort: Effort
    with_differences: bool
    old: Opener
    new: Opener
    is_memory_logged: bool = False

    def parts(self, segments: Sequence[Segment], *, most: int) -> Iterator[PatchPart]:
        """Yield the parts of all segments; those that do not fit into ``most`` bytes are omitted."""
        total = sum(segment.plain for segment in segments)
        size = done = 0
        for segment in segments:
            self.context.advance(done, total)
            done += segment.plain
            if size < most:
                part = self._part(segment)
                if size + part.length <= most:
                    size += part.length
                    yield part

    def _part(self, segment: Segment) -> PatchPart:
        """Return the stored part, or make it: as a difference if that is smaller."""
        known = (segment.as_difference(), segment) if self.with_differences else (segment,)
        for each in known:
            if (length := self._stored_length(self._key(each))) is not None:
                return PatchPart(each, self._key(each), length)
        if self.effort is Effort.HIGH:
            _wait_for_idle(self.context)
        made, frame = self._smallest(segment)
        worthwhile = is_worthwhile(len(frame), made.plain)
        length = self.patches.blobs.put(self._key(made), [frame] if worthwhile else [])
        with self.context.checkpoint():
            pass
        return PatchPart(made, self._key(made), length)

    def _smallest(self, segment: Segment) -> tuple[Segment, bytes]:
        """Return the segment or its difference, whichever has the smaller frame, and the frame."""
        plain = _joined(segment.new, self.new)
        frame = compress(plain, _joined(segment.old, self.old), self.effort)
        if not self.with_differences or not self.is_program(segment):
            return segment, frame
        difference = segment.as_difference()
        if not self._has_memory(difference):
            return segment, frame
        other = make_difference(plain, _joined(difference.old, self.old), self.effort, check=self.context.check)
        return (segment, frame) if other is None or len(frame) <= len(other) else (difference, other)

    def is_program(self, segment: Segment) -> bool:
        """Return whether a segment is one of a program, and there is an older one."""
        if not segment.old:
            return False
        largest = max(segment.new, key=lambda span: span.length)
        head = read(largest._replace(offset=0, length=min(HEAD_SIZE, largest.file.size)), self.new)
        return is_machine_code(head)

    def _has_memory(self, difference: Segment) -> bool:
        """Return whether there is memory for a difference; the first time there is not, log it."""
        needed = 2 * MEMORY_FOR_EACH_BYTE * sum(span.length for span in difference.old)
        available = available_memory()
        if available >= needed:
            return True
        if not self.is_memory_logged:
            self.is_memory_logged = True
            self.context.log(Message("patches-memory", needed=needed, available=available))
        return False

    def _key(self, segment: Segment) -> str:
        return part_key(self.context.task.id, _digest(segment))

    def _stored_length(self, key: str) -> int | None:
        try:
            return sum(map(len, self.patches.blobs.open(key)))
        except NoSuchBlob:
            return None


def _digest(segment: Segment) -> str:
    """Return what identifies a segment: its kind, and the content of its spans."""
    spans = [[(span.file.hash, span.offset, span.length) for span in side] for side in (segment.old, segment.new)]
    return blake2b(json.encode([segment.is_difference, spans]), digest_size=16).hexdigest()


def _wait_for_idle(context: TaskContext) -> None:
    """Wait until the machine is idle, but not without limit, so that a busy machine gets smaller patches too."""
    deadline = time.monotonic() + _MAX_WAIT_SECONDS
    while not is_idle() and time.monotonic() < deadline:
        context.check()
        context.stopping.wait(_WAIT_SECONDS)


def _joined(spans: Sequence[Span], opener: Opener) -> bytes:
    return b"".join(read(span, opener) for span in spans)
