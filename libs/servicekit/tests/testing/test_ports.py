"""Ports that are given to processes before they start."""

import socket
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

from servicekit.testing.ports import free_port

ASKED = 400


def test_each_port_is_given_once_across_processes_and_is_free() -> None:
    asking = f"for _ in range({ASKED}): print(free_port())"
    command = [sys.executable, "-c", f"from servicekit.testing.ports import free_port\n{asking}\ninput()"]
    others = [subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) for _ in range(2)]
    given = [free_port() for _ in range(ASKED)]
    for other in others:
        assert other.stdout is not None
        given += [int(other.stdout.readline()) for _ in range(ASKED)]
    for other in others:
        other.communicate("\n", timeout=60)
        assert other.returncode == 0
    assert len(set(given)) == 3 * ASKED
    with socket.create_server(("127.0.0.1", given[0])):
        pass


def test_given_ports_are_outside_the_ephemeral_range() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split())
    assert not first <= free_port() <= last


def test_a_process_that_used_ports_ends_silently() -> None:
    asking = "from servicekit.testing.ports import free_port\nfor _ in range(20): free_port()"
    ended = subprocess.run([sys.executable, "-X", "dev", "-c", asking], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr.decode()) == (0, "")
