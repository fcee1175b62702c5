"""Running another program with limits: it interprets bytes of strangers.

    python -m playdock.storage.limited_program PROCESSOR_SECONDS FILE_BYTES PROGRAM [ARGUMENT…]

The program has a limited memory and processor time, and can neither write larger files nor start other programs.
"""

import os
import resource
import sys

from playdock.kit.process_limits import restrict

# Enough for the largest dictionaries.
_MAX_MEMORY_BYTES = 2 * 1024**3


def main(processor_seconds: str, file_bytes: str, program: str, *arguments: str) -> None:
    """Replace this process with the program."""
    limits = {
        resource.RLIMIT_AS: _MAX_MEMORY_BYTES,
        resource.RLIMIT_CPU: int(processor_seconds),
        resource.RLIMIT_FSIZE: int(file_bytes),
        resource.RLIMIT_NPROC: 0,
    }
    restrict(limits)
    os.execv(program, [program, *arguments])  # noqa: S606 - no shell


if __name__ == "__main__":
    main(*sys.argv[1:])
