"""Archives of which the plan or the import finds out that they cannot be read."""

import zipfile
from pathlib import Path

import pytest

from plans import PROGRAM, RUN, apply, computed, row_of
from world import World


def zipped(world: World, path: str) -> Path:
    """An archive with a program and another file, stored as they are."""
    archive = world.put(path, b"")
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("quake.x86_64", PROGRAM)
        packed.writestr("data.bin", b"rest of it" * 100)
    return archive


@pytest.mark.both_databases
def test_a_version_that_turns_out_to_be_damaged_is_reported_by_the_run(planning: World) -> None:
    archive = zipped(planning, "Quake/1.0.zip")
    content = archive.read_bytes()
    archive.write_bytes(content.replace(b"rest of it", b"rest of IT"))
    planning.put("Hades/1.0/hades", PROGRAM, mode=0o755)
    admin = planning.admin()
    planning.library(admin)
    plan = computed(planning, admin)
    run = apply(planning, admin, rows=[{"id": row["id"]} for row in plan["rows"]])

    run = admin.get(f"{RUN}/{run['id']}").json()
    faults = {row["game"]: row["fault"] for row in run["rows"]}
    assert (run["imported"], run["failed"]) == (2, 1)
    assert faults["Hades"] is None
    assert "“data.bin” is damaged in the archive" in str(faults["Quake"])
    assert next(row["faultCode"] for row in run["rows"] if row["game"] == "Quake") == "version-fault"
    [listed] = admin.get(RUN).json()
    assert (listed["failed"], sorted(listed["folders"])) == (1, ["Hades", "Quake"])


def test_an_encrypted_archive_says_so_in_the_plan(planning: World) -> None:
    archive = zipped(planning, "Quake/1.0.zip")
    content = archive.read_bytes()
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(signature)
        while at >= 0:
            content = content[: at + flags] + b"\x01" + content[at + flags + 1 :]
            at = content.find(signature, at + 1)
    archive.write_bytes(content)
    admin = planning.admin()
    planning.library(admin)
    [version] = row_of(computed(planning, admin), "Quake")["versions"]
    assert (version["remarkCode"], version["launch"]) == ("member-encrypted", "")
