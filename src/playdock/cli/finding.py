"""The results of `doctor`'s checks, and how they are printed."""

from collections.abc import Iterable

from msgspec import Struct
from rich.console import Console
from rich.markup import escape


class DoctorFinding(Struct, frozen=True):
    """The result of a check: its subject, the problem (empty if there is none), and how to fix it.

    A hint says what could be better although nothing is wrong.
    """

    subject: str
    fault: str = ""
    fix: str = ""
    hint: str = ""


def report(findings: Iterable[DoctorFinding], console: Console) -> bool:
    """Print findings as they are produced, and return whether none has a problem."""
    healthy = True
    for finding in findings:
        mark = "[red]failed[/]" if finding.fault else "[green]ok[/]    "
        console.print(f"{mark} {escape(finding.subject)}", soft_wrap=True)
        if finding.fault:
            healthy = False
            console.print(f"       {escape(f'{finding.fault} {finding.fix}'.rstrip())}", soft_wrap=True)
        if finding.hint:
            console.print(f"       {escape(finding.hint)}", soft_wrap=True)
    return healthy
