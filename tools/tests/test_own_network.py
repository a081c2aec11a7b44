"""A network of its own for the browser's tests, where the system lets us make one."""

import json
import os
import subprocess
import sys

import pytest
from tools.browser.own_network import way_in
from tools.packages import ROOT

LISTENS = """
import json, socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
print(json.dumps([name for _, name in socket.if_nameindex()]))
"""


def interfaces_inside(environ: dict[str, str]) -> list[str]:
    """Return the interfaces that a command sees there, once it has reached itself by loopback."""
    command = [sys.executable, "-m", "tools.browser.own_network", sys.executable, "-c", LISTENS]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    names: list[str] = json.loads(done.stdout)
    return names


@pytest.mark.skipif(way_in({}) is None, reason="the system makes no network for us")
def test_a_command_in_its_own_network_has_only_loopback() -> None:
    assert interfaces_inside({**os.environ}) == ["lo"]


def test_a_command_for_a_running_stack_stays_in_its_network() -> None:
    ports = {"E2E_ORIGIN_PORT": "8000", "E2E_ERPSIM_PORT": "8001", "E2E_CONTROL_PORT": "8002"}
    assert way_in(ports) is None
