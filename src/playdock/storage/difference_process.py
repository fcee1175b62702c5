"""Making the difference of a segment, in a process of its own.

For most programs that takes seconds. But where old bytes repeat themselves, bsdiff compares them again and again, for
hours, and cannot be interrupted. This process has a limited processor time and memory, and can be killed.

    python -m playdock.storage.difference_process

The new and the old bytes and the effort are read from standard input, as an array of MessagePack. The frame is written
to standard output.
"""

import os
import resource
import sys

from msgspec import msgpack

from playdock.content.patches import Effort, compress_difference
from playdock.kit.process_limits import restrict

# Sorting 32 MiB takes 512 MiB; then come the compressor, the bytes themselves, and libraries.
_MAX_MEMORY_BYTES = 1536 * 1024**2
# Some 20 times what a program takes on a fast machine.
_PROCESSOR_SECONDS = 900
_NICENESS = 10


def main() -> None:
    """Make the difference."""
    restrict({resource.RLIMIT_AS: _MAX_MEMORY_BYTES, resource.RLIMIT_CPU: _PROCESSOR_SECONDS})
    # Everything else that the machine does is more urgent.
    os.nice(_NICENESS)
    plain, old, effort = msgpack.decode(sys.stdin.buffer.read(), type=tuple[bytes, bytes, Effort])
    sys.stdout.buffer.write(compress_difference(plain, old, effort))


if __name__ == "__main__":
    main()
