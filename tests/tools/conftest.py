"""The tools are programs beside each other, no package: their folder is where their tests import them from."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tools"))
