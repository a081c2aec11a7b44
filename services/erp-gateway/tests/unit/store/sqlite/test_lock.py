"""One process serves a store; another one is told who."""

import fcntl
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from erp_gateway.store.errors import StoreInUse, StoreNotUsable
from erp_gateway.store.sqlite.lock import find_holder, hold_lock_file

HOLD = """
import sys, time
from pathlib import Path
from erp_gateway.store.sqlite.lock import hold_lock_file
with hold_lock_file(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_rejected_with_the_holders_name_until_a_kill(store_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, store_path], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline().strip() == "held"
        with pytest.raises(StoreInUse) as caught, hold_lock_file(store_path):
            pass
        assert f"process {holder.pid} on {socket.gethostname()}" in str(caught.value)
        assert str(store_path) in str(caught.value)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    with hold_lock_file(store_path):
        pass


def test_the_lock_is_free_again_after_leaving(store_path: Path) -> None:
    with hold_lock_file(store_path):
        pass
    with hold_lock_file(store_path):
        content = store_path.with_name("app.sqlite.lock").read_text()
        assert content.startswith(f"process {os.getpid()} ")


def test_a_holder_without_a_written_name_is_unnamed(store_path: Path) -> None:
    with hold_lock_file(store_path):
        os.truncate(store_path.with_name("app.sqlite.lock"), 0)
        with pytest.raises(StoreInUse, match="an unnamed process"), hold_lock_file(store_path):
            pass


def test_a_place_that_cannot_hold_a_lock_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a_file").touch()
    with pytest.raises(StoreNotUsable, match="SQLITE_PATH"), hold_lock_file(tmp_path / "a_file" / "x"):
        pass


def test_the_holder_is_found_without_read_access_to_the_lock_file(tmp_path: Path) -> None:
    store = tmp_path / "app.sqlite"
    unreadable = tmp_path / "app.sqlite.lock"
    unreadable.mkdir()  # what nobody can read as a file, root neither
    assert find_holder(store) is None
    descriptor = os.open(unreadable, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        assert find_holder(store) == "a process of another user"
    finally:
        os.close(descriptor)
    assert find_holder(store) is None
