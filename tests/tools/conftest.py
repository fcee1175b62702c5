"""The tools are separate programs, not a package, so their folder is added to the import path."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tools"))
