"""Images that are small files and take much memory when they are decoded."""

import io
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from PIL import Image

pytestmark = pytest.mark.heavy

# The largest image has 160 MB and is copied twice, into another mode and for scaling.
MAX_BYTES = 600_000_000
# Reads an image, and prints the largest amount of memory that the process has used.
PROCESS = """
import resource, sys, threading
from pathlib import Path
from playdock.pictures import operations
from playdock.pictures.images import UnusablePicture

data = Path(sys.argv[1]).read_bytes()

def process():
    try:
        operations.profile_picture(data)
    except UnusablePicture:
        pass

threads = [threading.Thread(target=process) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def png(mode: str, width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new(mode, (width, height)).save(out, "PNG", compress_type=zlib.Z_DEFAULT_STRATEGY)
    return out.getvalue()


@pytest.mark.parametrize(
    ("mode", "size"),
    [("1", (1, 39_999_999)), ("1", (39_999_999, 1)), ("RGBA", (16_384, 2_441)), ("LA", (6_324, 6_324))],
)
def test_three_images_at_once_take_a_bounded_amount_of_memory(mode: str, size: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    path.write_bytes(png(mode, *size))
    used = subprocess.run([sys.executable, "-c", PROCESS, path], capture_output=True, check=True, text=True)
    assert int(used.stdout) < MAX_BYTES
