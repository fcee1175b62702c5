"""A worker for `test_returning_worker.py`, run as a process: its one task waits for a file before it writes."""

import sys
import threading
import time
from pathlib import Path

from playdock.db.database import Database
from playdock.kit.clock import utc_now
from playdock.kit.messages import Message
from playdock.tasks import queries
from playdock.tasks.context import TaskContext
from playdock.tasks.errors import LeaseLost
from playdock.tasks.registry import TaskRegistry
from playdock.tasks.runner import Runner
from playdock.tasks.task_signal import TaskSignal


class Writing:
    """Writes a line, waits without looking whether it still has the task, and writes another one."""

    task_type = "test"

    def __init__(self, name: str, folder: Path, *, in_transaction: bool) -> None:
        self.name = name
        self.folder = folder
        self.in_transaction = in_transaction

    def run(self, context: TaskContext) -> None:
        self.write(context, "begins")
        if not self.in_transaction:
            self.wait()
        context.progress = 99.0 if self.name == "first" else 50.0
        try:
            self.write(context, "ends", wait=self.in_transaction)
        except Exception as error:
            (self.folder / f"{self.name}.failed").write_text(type(error).__name__)
            raise LeaseLost from error

    def write(self, context: TaskContext, word: str, *, wait: bool = False) -> None:
        with context.checkpoint() as session:
            line = f"{self.name} {word}"
            queries.add_line(session, context.task.id, at=utc_now(), level="info", message=Message.worded("line", line))
            if wait:
                self.wait()

    def wait(self) -> None:
        (self.folder / f"{self.name}.waits").touch()
        while not (self.folder / f"{self.name}.goes").exists():
            time.sleep(0.01)


def main(url: str, name: str, folder: str, where: str) -> None:
    writing = Writing(name, Path(folder), in_transaction=where == "in a transaction")
    runner = Runner(Database(url), utc_now, TaskRegistry([writing]), signal=TaskSignal(), on_tick=lambda: None)
    runner.start()
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
