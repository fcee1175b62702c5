"""Start or resume a run: ``python -m torture``."""

import argparse
import secrets
import signal
import sys
from pathlib import Path

from torture.runner import Limits, Run, Violated


def main() -> int:
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    parser.add_argument("--state", type=Path, required=True, help="folder of the run; an existing run is resumed")
    parser.add_argument("--minutes", type=float, default=60.0, help="duration, counted from the first start")
    parser.add_argument("--faults", type=int, default=0, help="end after so many faults")
    parser.add_argument("--seed", default="", help="seed of a new run; random if not given")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite", help="of a new run")
    parser.add_argument("--nodes", type=int, default=0, help="of a new run: a cluster on PostgreSQL; needs root")
    options = parser.parse_args()
    # Both end the service and the database server too. A shell lets programs in the background ignore SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    seed = options.seed or secrets.token_hex(4)
    database = "postgresql" if options.nodes else options.database
    with Run(options.state, seed=seed, database=database, nodes=options.nodes) as run:
        try:
            run.resume(Limits(seconds=60 * options.minutes, faults=options.faults))
        except Violated as violated:
            print(f"FAILED in cycle {run.progress.cycles} with seed {run.progress.seed}: {violated}")
            print(f"The state is in {run.folder}: faults.log, complained (the service's log), journal.jsonl, data.")
            return 1
        except KeyboardInterrupt:
            print("Interrupted. The same command resumes the run.")
            return 130
        print(run.result())
    return 0


if __name__ == "__main__":
    sys.exit(main())
