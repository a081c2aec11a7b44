"""A full disk: what has begun is written into the space kept back, and the next start says what to free."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from erp_gateway.store.database import open_database
from erp_gateway.store.sqlite.reserve import RESERVE_BYTES, DiskReserve, is_out_of_space

MIB = 1024 * 1024


@pytest.mark.asyncio
async def test_a_serving_process_reserves_space_and_releases_it_at_the_end(store_path: Path) -> None:
    reserve = store_path.with_name(f"{store_path.name}.reserve")
    async with open_database(store_path):
        assert not reserve.exists(), "a command keeps none"
    async with open_database(store_path, keeps_reserve=True):
        assert reserve.stat().st_blocks * 512 >= RESERVE_BYTES
    assert not reserve.exists()


def test_space_is_reserved_again_a_minute_after_it_was_freed(tmp_path: Path) -> None:
    now = [100.0]
    reserve = DiskReserve(tmp_path / "app.sqlite", monotonic=lambda: now[0])
    reserve.keep()
    kept = [reserve.is_reserved]
    assert reserve.free()
    assert not reserve.free()
    for seconds in (0, 60):
        now[0] += seconds
        reserve.keep()
        kept.append(reserve.is_reserved)
    assert kept == [True, False, True]


def test_other_errors_are_not_a_full_disk() -> None:
    assert not is_out_of_space(None)
    assert not is_out_of_space(OSError("no space left on device"))


SCENE = """
import asyncio, json, os, sys
from pathlib import Path
from erp_gateway.store.database import open_database
from erp_gateway.store.errors import StoreNotUsable, StoreUnavailable

store, filler = Path(sys.argv[1]) / "app.sqlite", Path(sys.argv[1]) / "filler"
row = "INSERT INTO menu_permission VALUES (?, '[]', ?, '')"
said = {}

def fill():
    with filler.open("ab", buffering=0) as file:
        for size in (1 << 20, 4096):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass

async def serve():
    async with open_database(store, keeps_reserve=True) as database:
        said["reserved"] = store.with_name("app.sqlite.reserve").exists()
        await database.write(lambda s: s.execute(row, ("first", "")))
        fill()
        kept = 0
        try:
            for number in range(200):
                await database.write(lambda s: s.execute(row, (f"user{number}", "x" * 400_000)))
                kept += 1
        except StoreUnavailable:
            pass
        said["kept"] = kept
        said["freed"] = not store.with_name("app.sqlite.reserve").exists()
        said["rows"] = (await database.read("SELECT COUNT(*) FROM menu_permission"))[0][0]
        fill()

async def start():
    try:
        async with open_database(store, keeps_reserve=True) as database:
            return "started"
    except StoreNotUsable as error:
        return str(error)

asyncio.run(serve())
fill()
said["full"] = asyncio.run(start())  # over the log of the one before, which had no room to tidy up
os.truncate(filler, 0)
said["freed_again"] = asyncio.run(start())
fill()
said["full_and_tidy"] = asyncio.run(start())
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run the scene on a small disk of its own, in namespaces that end with it."""
    folder = tmp_path_factory.mktemp("disk")
    script = folder / "scene.py"
    script.write_text(SCENE)
    disk = folder / "mounted"
    disk.mkdir()
    shell = f'mount -t tmpfs -o size=200m none "{disk}" && exec "{sys.executable}" "{script}" "{disk}"'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", shell]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if "Operation not permitted" in done.stderr or "permission denied" in done.stderr:
        pytest.skip("no user namespaces here")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**found, "log": done.stdout + done.stderr}


@pytest.mark.check
def test_writes_on_a_full_disk_use_the_reserve_and_are_stored(full_disk: dict[str, Any]) -> None:
    assert full_disk["reserved"]
    assert full_disk["freed"]
    assert full_disk["kept"] * 400_000 > RESERVE_BYTES / 2
    assert full_disk["rows"] == full_disk["kept"] + 1
    assert "disk_reserve_freed" in full_disk["log"]


@pytest.mark.check
def test_a_start_on_a_full_disk_names_the_path_and_what_to_free(full_disk: dict[str, Any]) -> None:
    assert full_disk["freed_again"] == "started"
    assert '"event": "disk_full"' in full_disk["log"] or "disk_full " in full_disk["log"]
    for result in (full_disk["full_and_tidy"], full_disk["log"]):
        assert "app.sqlite is full (0 KB free of 200 MB)" in result
        assert "free space there" in result
