"""Making the difference of a segment, in a process of its own.

For most programs that takes seconds. But where old bytes repeat themselves, bsdiff compares them again and again, for
hours, and cannot be interrupted. This process has a limited processor time and memory, and can be killed.

    python -m playdock.storage.difference_process

The new and the old bytes are read from standard input, as an array of MessagePack. The frame is written to standard
output.
"""

import resource
import sys

from msgspec import msgpack

from playdock.content.patches import compress_difference
from playdock.kit.process_limits import restrict

# Sorting 32 MiB takes 512 MiB; then come the compressor, the bytes themselves, and libraries.
_MAX_MEMORY_BYTES = 1536 * 1024**2
# Some 20 times what a program takes on a fast machine.
_PROCESSOR_SECONDS = 900


def main() -> None:
    """Make the difference."""
    restrict({resource.RLIMIT_AS: _MAX_MEMORY_BYTES, resource.RLIMIT_CPU: _PROCESSOR_SECONDS})
    plain, old = msgpack.decode(sys.stdin.buffer.read(), type=tuple[bytes, bytes])
    sys.stdout.buffer.write(compress_difference(plain, old))


if __name__ == "__main__":
    main()
