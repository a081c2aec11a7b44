"""One process serves a database; another one is told who."""

import os
import socket
import subprocess
import sys
import time

import pytest
from postgresql_server import PostgresServer

from erp_gateway.storage.database import hold_process_lock
from erp_gateway.storage.errors import StoreInUse, StoreNotUsable
from erp_gateway.storage.places import PostgresPlace
from servicekit.config import Secret

HOLD = """
import os, time
from erp_gateway.storage.database import hold_process_lock
from erp_gateway.storage.places import PostgresPlace
from servicekit.config import Secret
with hold_process_lock(PostgresPlace(Secret(os.environ["HELD"]))):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_refused_by_name_and_let_in_after_a_kill(empty_database: PostgresPlace) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env={**os.environ, "HELD": empty_database.url.reveal()},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline().strip() == "held"
        with pytest.raises(StoreInUse) as caught, hold_process_lock(empty_database):
            pass
        assert f"process {holder.pid} on {socket.gethostname()}"[:20] in str(caught.value)
        assert "from 127.0.0.1" in str(caught.value)
        assert str(empty_database) in str(caught.value)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    for _ in range(100):  # the server finds out at once, but not in no time
        try:
            with hold_process_lock(empty_database):
                return
        except StoreInUse:
            pass
    pytest.fail("the lock of a killed process stayed")


def test_the_lock_is_free_again_after_leaving(empty_database: PostgresPlace) -> None:
    with hold_process_lock(empty_database):
        pass
    deadline = time.monotonic() + 30  # the server frees it when it has seen the connection end
    while True:
        try:
            with hold_process_lock(empty_database):
                return
        except StoreInUse:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_another_database_of_the_server_has_a_lock_of_its_own(
    postgresql: PostgresServer, empty_database: PostgresPlace
) -> None:
    with hold_process_lock(empty_database), hold_process_lock(postgresql.place("postgres")):
        pass


def test_a_server_that_is_not_there_is_told(postgresql: PostgresServer) -> None:
    nowhere = PostgresPlace(Secret("postgresql://app:secret@127.0.0.1:1/store"))
    with pytest.raises(StoreNotUsable, match="STORE_URL"), hold_process_lock(nowhere):
        pass
