"""A piece of work on a connection's own thread."""

import sqlite3
import threading
from pathlib import Path

import pytest

from erp_gateway.store.sqlite.connection import open_connection, prepare_file

pytestmark = pytest.mark.asyncio


async def test_a_piece_of_work_runs_on_the_one_thread_of_the_connection(tmp_path: Path) -> None:
    path = tmp_path / "app.sqlite"
    prepare_file(path)

    def work(connection: sqlite3.Connection) -> tuple[str, int]:
        connection.execute("CREATE TABLE IF NOT EXISTS t (n)")
        connection.execute("INSERT INTO t VALUES (1)")
        return threading.current_thread().name, connection.execute("SELECT count(*) FROM t").fetchone()[0]

    async with open_connection(path, read_only=False) as connection:
        (first, one), (second, two) = await connection.run(work), await connection.run(work)
        assert (one, two) == (1, 2)
        assert first == second != threading.current_thread().name
        with pytest.raises(sqlite3.OperationalError):
            await connection.run(lambda store: store.execute("SELECT * FROM nothing"))
        assert (await connection.rows("SELECT n FROM t LIMIT ?", (1,)))[0]["n"] == 1


async def test_a_reading_connection_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "app.sqlite"
    prepare_file(path)
    async with open_connection(path, read_only=True) as connection:
        with pytest.raises(sqlite3.OperationalError):
            await connection.rows("CREATE TABLE t (n)")
