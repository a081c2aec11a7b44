"""Under load: a process frozen for a minute, a database that restarts, is cut off, has no room left."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from postgresql_server import NOBODY, PostgresServer, find_binaries
from standby_pair import TAKEOVER_S
from standby_scene import Scene, assert_nothing_lost_and_nothing_twice, scene

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

pytestmark = [pytest.mark.proof, pytest.mark.timeout(900)]

FROZEN_S = 60.0
DISK = "192m"
BALLAST_PIECE = 64 * 1024
CUTS = 10
OTHERS = "datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture
def database(postgresql: PostgresServer) -> Iterator[str]:
    name = postgresql.new_database()
    yield name
    postgresql.drop_database(name)


@contextmanager
def small_disk() -> Iterator[Path]:
    """Mount a small file system, where that is allowed."""
    folder = Path(tempfile.mkdtemp(prefix="small-disk-"))
    mounting: list[str | Path] = [
        "mount",
        "-t",
        "tmpfs",
        "-o",
        f"size={DISK},mode=755,uid={NOBODY},gid={NOBODY}",
        "tmpfs",
        folder,
    ]
    try:
        if os.getuid() != 0 or subprocess.run(mounting, check=False, capture_output=True).returncode:
            pytest.skip("a small file system can't be mounted here")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fill(disk: Path) -> Path:
    """Leave no room."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (BALLAST_PIECE, 4096):
            try:
                while file.write(b"\0" * size) == size:
                    pass
            except OSError:
                continue
    return ballast


async def told(seen: Scene, since: float, what: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Say what people were answered since a moment."""
    requested = [one for one in seen.crowd.asked if one.ended >= since]
    line = f"\n{what}: {seen.crowd.fates(requested)}"
    with capsys.disabled():
        sys.stdout.write(line)
    return line


async def work_goes_on(seen: Scene) -> None:
    """Wait until further writes are done."""
    before = len(seen.crowd.made)
    async with asyncio.timeout(3 * TAKEOVER_S):
        while len(seen.crowd.made) < before + 10:  # noqa: ASYNC110 - the list signals nothing
            await asyncio.sleep(0.02)


@pytest.mark.asyncio
async def test_a_process_frozen_for_a_minute_sends_no_call_afterwards(
    start_server: "StartServer", postgresql: PostgresServer, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with scene(start_server, postgresql, 3, database) as pair:
        await pair.settle_in()
        frozen, began = pair.serving, time.monotonic()
        pair.crowd.ports.reverse()  # a frozen one takes connections and answers nothing
        frozen.server.process.send_signal(signal.SIGSTOP)
        try:
            took_s = await pair.serves(pair.waiting, since=began)
            await pair.move_on()
            await asyncio.sleep(max(0.0, began + FROZEN_S - time.monotonic()))
        finally:
            frozen.server.process.send_signal(signal.SIGCONT)
        assert await frozen.server.ended() == 1
        assert frozen.server.events("lock_lost")
        await work_goes_on(pair)
        counts = await assert_nothing_lost_and_nothing_twice(pair)
        await told(pair, began, f"frozen for {FROZEN_S:.0f} s, served after {took_s:.2f} s; {counts}", capsys)
    assert pair.book.never_two() == 2


@pytest.mark.asyncio
async def test_repeatedly_cut_connections_lose_no_work(
    start_server: "StartServer", postgresql: PostgresServer, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with scene(start_server, postgresql, 3, database) as pair:
        await pair.settle_in()
        began = time.monotonic()
        for _ in range(CUTS):
            pair.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {OTHERS}")
            await asyncio.sleep(1.5)
        await work_goes_on(pair)
        await told(pair, began, f"all connections cut {CUTS} times", capsys)
        await pair.crowd.stop()
        await pair.book.close()
        ended = [member.server.process.returncode for member in pair.pair.started]
    turns = pair.book.never_two()
    with capsys.disabled():
        sys.stdout.write(f"; processes that called the ERP: {turns}, ended: {ended}\n")


@pytest.mark.asyncio
async def test_a_restart_of_the_database_costs_rows_at_most(
    start_server: "StartServer", postgresql: PostgresServer, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with scene(start_server, postgresql, 3, database) as pair:
        await pair.settle_in()
        began = time.monotonic()
        postgresql.stop()
        await asyncio.sleep(3)
        postgresql.start()  # not on a thread: it would end with that
        await work_goes_on(pair)
        await told(pair, began, "the database stopped for 3 s", capsys)
        await pair.crowd.stop()
        await pair.book.close()
        ended = [member.server.process.returncode for member in pair.pair.started]
    turns = pair.book.never_two()
    with capsys.disabled():
        sys.stdout.write(f"; processes that called the ERP: {turns}, ended: {ended}\n")


@pytest.mark.asyncio
async def test_a_full_or_failed_database_never_lets_two_processes_send(
    start_server: "StartServer", postgresql: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    binaries = find_binaries()
    assert binaries is not None
    with small_disk() as disk:
        server = PostgresServer(binaries, disk)
        try:
            server.create()
            server.start()
            async with scene(start_server, server, 3, server.new_database()) as pair:
                await pair.settle_in()
                ballast, began = fill(disk), time.monotonic()
                await asyncio.sleep(8)
                await told(pair, began, "no room on the disk", capsys)
                broke = time.monotonic()
                try:
                    await asyncio.to_thread(
                        server.ask, "SELECT pg_switch_wal() FROM pg_create_restore_point('x')"
                    )
                    await asyncio.to_thread(
                        server.ask, "CREATE TABLE more AS SELECT generate_series(1, 1000000)"
                    )
                    outcome = "went on"
                except psycopg.Error as error:
                    outcome = " ".join(str(error).split())[:100]
                await asyncio.sleep(4)
                await told(pair, broke, f"no room for its log ({outcome})", capsys)
                ballast.unlink()
                back = time.monotonic()
                server.stop()
                server.start()
                await work_goes_on(pair)
                await told(pair, back, "room again, the database restarted", capsys)
                await pair.crowd.stop()
                await pair.book.close()
                ended = [member.server.process.returncode for member in pair.pair.started]
            turns = pair.book.never_two()
            with capsys.disabled():
                sys.stdout.write(f"; processes that called the ERP: {turns}, ended: {ended}\n")
        finally:
            server.stop(signal.SIGQUIT)
