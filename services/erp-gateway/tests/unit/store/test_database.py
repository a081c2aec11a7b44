"""The store's promises: what is answered is kept, what fails leaves nothing, nobody is held up for long."""

import asyncio
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from store_beside import beside
from store_insides import SQLITE_ONLY, sqlite_writer

from erp_gateway.store.database import Database, open_database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.places import StorePlace
from erp_gateway.store.statements import Statements

Work = Callable[[Statements], None]

PATIENCE_S = 30.0


def adding(user: str) -> Work:
    def work(connection: Statements) -> None:
        connection.execute(
            "INSERT INTO menu_permission (web_user, paths, updated_at, updated_by) VALUES (?, '[]', '', '')",
            (user,),
        )

    return work


async def users(database: Database) -> list[str]:
    rows = await database.read("SELECT web_user FROM menu_permission ORDER BY web_user")
    return [row["web_user"] for row in rows]


async def traced(database: Database) -> list[str]:
    """Return a list that fills with the statements of the writing connection."""
    statements: list[str] = []
    await sqlite_writer(database).run(lambda connection: connection.set_trace_callback(statements.append))
    return statements


@pytest.mark.asyncio
async def test_a_write_is_committed_when_it_returns(database: Database, store_place: StorePlace) -> None:
    await database.write(adding("ana"))

    assert beside(store_place).ask("SELECT web_user FROM menu_permission") == [("ana",)]


@pytest.mark.asyncio
async def test_a_write_returns_the_result_of_its_work(database: Database) -> None:
    def work(connection: Statements) -> int:
        return 7

    assert await database.write(work) == 7


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_writes_at_the_same_moment_share_a_commit(database: Database) -> None:
    statements = await traced(database)

    await asyncio.gather(*(database.write(adding(f"user{number:02}")) for number in range(40)))

    commits = statements.count("COMMIT")
    assert commits <= 40 // 2
    assert len(statements) <= 40 + 2 * commits  # beside each one's own: a beginning and a commit
    assert len(await users(database)) == 40


@pytest.mark.asyncio
async def test_a_failing_write_rolls_back_only_its_own_work(database: Database) -> None:
    def failing(connection: Statements) -> None:
        adding("half")(connection)
        raise LookupError("not today")

    results = await asyncio.gather(
        database.write(adding("ana")),
        database.write(failing),
        database.write(adding("bea")),
        return_exceptions=True,
    )

    assert [type(result) for result in results] == [type(None), LookupError, type(None)]
    assert await users(database) == ["ana", "bea"]


@pytest.mark.asyncio
async def test_a_violated_constraint_fails_only_its_caller(database: Database) -> None:
    results = await asyncio.gather(
        database.write(adding("ana")), database.write(adding("ana")), return_exceptions=True
    )

    assert [type(result) for result in results] == [type(None), StoreUnavailable]
    assert isinstance(results[1], StoreUnavailable)
    assert "IntegrityError" in (base.__name__ for base in type(results[1].__cause__).mro())
    assert await users(database) == ["ana"]


@pytest.mark.asyncio
async def test_a_caller_cancelled_before_its_transaction_leaves_no_trace(database: Database) -> None:
    started, release = threading.Event(), threading.Event()

    def slow(connection: Statements) -> None:
        started.set()
        release.wait(PATIENCE_S)

    first = asyncio.create_task(database.write(slow))
    assert await asyncio.to_thread(started.wait, PATIENCE_S)
    second = asyncio.create_task(database.write(adding("gone")))
    await asyncio.sleep(0)
    second.cancel()
    release.set()
    await first

    with pytest.raises(asyncio.CancelledError):
        await second
    await database.write(adding("ana"))
    assert await users(database) == ["ana"]


@pytest.mark.asyncio
async def test_a_caller_cancelled_during_its_transaction_affects_no_other(database: Database) -> None:
    started, release = threading.Event(), threading.Event()

    def slow(connection: Statements) -> None:
        started.set()
        release.wait(PATIENCE_S)
        adding("late")(connection)

    first = asyncio.create_task(database.write(slow))
    assert await asyncio.to_thread(started.wait, PATIENCE_S)
    first.cancel()
    release.set()
    await asyncio.wait({first})
    await database.write(adding("ana"))

    assert first.cancelled()
    assert await users(database) == ["ana", "late"]


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_a_full_disk_fails_the_write_and_stores_none_of_it(database: Database) -> None:
    await database.write(adding("ana"))
    pages = (await database.read("PRAGMA page_count"))[0][0]
    await sqlite_writer(database).rows(f"PRAGMA max_page_count = {pages}")

    def large(connection: Statements) -> None:
        adding("half")(connection)
        connection.execute(
            "INSERT INTO audit_log (at, action, result, key) VALUES ('', 'login', 'ok', ?)", ("x" * 200_000,)
        )

    results = await asyncio.gather(
        database.write(large), database.write(adding("bea")), return_exceptions=True
    )

    assert isinstance(results[0], StoreUnavailable)
    await sqlite_writer(database).rows("PRAGMA max_page_count = 1000000")
    await database.write(adding("carla"))
    kept = await users(database)
    assert "half" not in kept
    assert ("bea" in kept) == (results[1] is None)
    assert {"ana", "carla"} <= set(kept)


@pytest.mark.asyncio
async def test_a_transaction_rolled_back_by_the_engine_fails_all_its_callers(
    database: Database,
) -> None:
    def undone(connection: Statements) -> None:
        connection.execute("ROLLBACK")  # what SQLite does by itself after some I/O errors
        raise database._engine.failure("disk I/O error")

    results = await asyncio.gather(
        database.write(adding("ana")),
        database.write(undone),
        return_exceptions=True,
    )

    assert [type(result) for result in results] == [StoreUnavailable] * 2
    await database.write(adding("carla"))
    assert await users(database) == ["carla"]


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_a_failed_commit_fails_all_its_callers_and_the_next_one_works(database: Database) -> None:
    def deferred_fault(connection: Statements) -> None:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute("CREATE TABLE child (id INTEGER, parent TEXT REFERENCES menu_permission)")
        connection.execute("INSERT INTO child VALUES (1, 'nobody')")

    await sqlite_writer(database).rows("PRAGMA foreign_keys = ON")
    results = await asyncio.gather(
        database.write(adding("ana")), database.write(deferred_fault), return_exceptions=True
    )

    assert [type(result) for result in results] == [StoreUnavailable] * 2
    await database.write(adding("bea"))
    assert await users(database) == ["bea"]


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_a_store_that_cannot_even_roll_back_refuses_until_it_can(database: Database) -> None:
    def deny_endings(action: int, operation: str | None, *_: object) -> int:
        denied = action == sqlite3.SQLITE_TRANSACTION and operation in ("COMMIT", "ROLLBACK")
        return sqlite3.SQLITE_DENY if denied else sqlite3.SQLITE_OK

    def allow_all(*_: object) -> int:
        return sqlite3.SQLITE_OK

    await sqlite_writer(database).run(lambda connection: connection.set_authorizer(deny_endings))
    with pytest.raises(StoreUnavailable):
        await database.write(adding("ana"))
    await sqlite_writer(database).run(lambda connection: connection.set_authorizer(allow_all))
    with pytest.raises(StoreUnavailable):
        await database.write(adding("bea"))  # finds the earlier transaction open, and ends it

    await database.write(adding("carla"))
    assert await users(database) == ["carla"]


@pytest.mark.asyncio
async def test_a_write_waits_for_another_process_that_holds_the_store(
    database: Database, store_place: StorePlace
) -> None:
    with beside(store_place).hold():
        write = asyncio.create_task(database.write(adding("ana")))
        await asyncio.sleep(0.05)
        assert not write.done()

    await write
    assert await users(database) == ["ana"]


@pytest.mark.asyncio
async def test_reads_during_a_write_do_not_see_a_part_of_it(database: Database) -> None:
    inserted, release = threading.Event(), threading.Event()

    def slow(connection: Statements) -> None:
        adding("ana")(connection)
        inserted.set()
        release.wait(PATIENCE_S)

    write = asyncio.create_task(database.write(slow))
    assert await asyncio.to_thread(inserted.wait, PATIENCE_S)
    assert await users(database) == []
    release.set()
    await write
    assert await users(database) == ["ana"]


@pytest.mark.asyncio
async def test_a_read_cannot_write(database: Database) -> None:
    with pytest.raises(StoreUnavailable):
        await database.read("DELETE FROM menu_permission RETURNING web_user")


@pytest.mark.asyncio
async def test_the_data_version_changes_only_with_commits_of_other_processes(
    database: Database, store_place: StorePlace
) -> None:
    before = await database.data_version()
    await database.write(adding("ana"))
    assert await database.data_version() == before

    async with open_database(store_place) as other:
        await other.write(adding("bea"))
    assert await database.data_version() != before


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_the_data_version_fails_when_the_store_cannot_be_read(database: Database) -> None:
    def deny_pragmas(action: int, *_: object) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_PRAGMA else sqlite3.SQLITE_OK

    await sqlite_writer(database).run(lambda connection: connection.set_authorizer(deny_pragmas))
    with pytest.raises(StoreUnavailable):
        await database.data_version()


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_only_their_owner_can_read_the_files(database: Database, store_path: Path) -> None:
    await database.write(adding("ana"))

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in store_path.parent.iterdir()}
    assert modes == {"app.sqlite": 0o600, "app.sqlite-wal": 0o600, "app.sqlite-shm": 0o600}


def test_a_file_that_others_could_read_is_closed_to_them(store_path: Path) -> None:
    async def open_and_close() -> None:
        async with open_database(store_path):
            pass

    store_path.parent.mkdir()
    store_path.touch(0o644)
    asyncio.run(open_and_close())
    assert stat.S_IMODE(store_path.stat().st_mode) == 0o600


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_the_store_works_as_promised_about_durability(database: Database) -> None:
    pragmas = {}
    for name in ("journal_mode", "synchronous"):
        (row,) = await sqlite_writer(database).rows(f"PRAGMA {name}")
        pragmas[name] = row[0]
    assert pragmas == {"journal_mode": "wal", "synchronous": 1}  # 1 is NORMAL


@pytest.mark.asyncio
async def test_closing_finishes_queued_writes_and_ends_the_threads(store_path: Path) -> None:
    before = set(threading.enumerate())
    async with open_database(store_path) as database:
        opened = set(threading.enumerate()) - before
        waiting = [asyncio.create_task(database.write(adding(f"user{number}"))) for number in range(5)]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)

    assert len(opened) == 2
    for thread in opened:
        thread.join(10)
        assert not thread.is_alive()
    with sqlite3.connect(store_path) as other:
        assert other.execute("SELECT COUNT(*) FROM menu_permission").fetchone() == (5,)
    other.close()


@pytest.mark.asyncio
async def test_a_closed_store_refuses_everything(store_place: StorePlace) -> None:
    async with open_database(store_place) as database:
        pass
    for call in (database.write(adding("ana")), database.read("SELECT 1"), database.data_version()):
        with pytest.raises(StoreUnavailable):
            await call


def run_script(script: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )


CANCEL_WHENEVER = """
import asyncio, sys
from pathlib import Path
from erp_gateway.store.database import open_database

async def work(path):
    async with open_database(path) as database:
        await database.read("SELECT 1")

async def main(path):
    for steps in range(0, 60, 2):
        task = asyncio.create_task(work(path))
        for _ in range(steps):
            await asyncio.sleep(0.0003)
        task.cancel()
        await asyncio.wait({task})
    print("done")

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_process_cancelled_while_opening_or_closing_still_exits(store_path: Path) -> None:
    process = run_script(CANCEL_WHENEVER, store_path)
    output, _ = process.communicate(timeout=50)
    assert (process.returncode, output.splitlines()[-1]) == (0, "done")


WRITE_UNTIL_KILLED = """
import asyncio, itertools, sys
from pathlib import Path
from erp_gateway.store.database import open_database

async def main(path):
    async with open_database(path) as database:
        async def one(number):
            def work(connection):
                connection.execute(
                    "INSERT INTO menu_permission VALUES (?, '[]', '', '')", (str(number),))
            await database.write(work)
            print(number, flush=True)
        for start in itertools.count(0, 10):
            await asyncio.gather(*(one(start + offset) for offset in range(10)))

asyncio.run(main(Path(sys.argv[1])))
"""


def test_every_acknowledged_write_survives_a_kill(store_path: Path) -> None:
    process = run_script(WRITE_UNTIL_KILLED, store_path)
    assert process.stdout is not None
    answered = [process.stdout.readline().strip() for _ in range(200)]
    process.kill()
    answered += [line.strip() for line in process.stdout if line.endswith("\n")]
    answered = [line for line in answered if line.isdigit()]
    process.stdout.close()
    process.wait()

    async def stored() -> set[str]:
        async with open_database(store_path) as database:
            return set(await users(database))

    assert set(answered) <= asyncio.run(stored())
