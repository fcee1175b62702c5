"""Short fault-injection runs."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from postgresql import find_programs
from torture.acknowledged import Invited
from torture.runner import Limits, Run, Violated

SEED = "a short run"


@pytest.mark.heavy
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_nothing_is_lost_and_a_run_is_resumed(tmp_path: Path, database: str) -> None:
    if database == "postgresql" and find_programs() is None:
        pytest.skip("PostgreSQL's programs are missing: install Debian's postgresql.")
    for _ in range(2):
        with Run(tmp_path, seed=SEED, database=database) as run:
            before = run.progress.cycles
            run.resume(Limits(faults=run.progress.faults + 2))
            assert run.progress.cycles > before
    if database == "postgresql":
        shutil.rmtree((tmp_path / "postgresql").resolve())

    assert (run.progress.starts, run.progress.seed) == (2, SEED)
    assert run.journal.state.accounts


@pytest.mark.heavy
def test_nothing_is_lost_by_a_cluster(tmp_path: Path) -> None:
    if find_programs() is None or os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("A cluster needs PostgreSQL, iproute2, and root for network namespaces.")
    with Run(tmp_path, seed=SEED, database="postgresql", nodes=2) as run:
        run.resume(Limits(faults=3))
    shutil.rmtree((tmp_path / "postgresql").resolve())

    assert run.journal.state.accounts


@pytest.mark.heavy
def test_a_service_that_ends_by_itself_and_a_loss_are_reported(tmp_path: Path) -> None:
    with Run(tmp_path, seed=SEED, database="sqlite") as run:
        run.target.nodes[0].stop(signal.SIGABRT)
        ended = list(run.revive(run.target.nodes))
        run.journal.write(Invited("lost"))
        with pytest.raises(Violated, match="The invitation lost is gone"):
            run.resume(Limits(faults=1))

    assert ended == ["The service ended by itself with status -6."]
    assert "VIOLATED: The invitation lost" in (tmp_path / "faults.log").read_text()
