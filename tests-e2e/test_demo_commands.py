"""The commands that the demo prints work in a shell."""

import json
import shutil
import subprocess
from collections.abc import Callable

import pytest
from demo.__main__ import example
from stack.addresses import Addresses
from stack.exchange import Answer
from stack.processes import LOOPBACK

Ask = Callable[..., Answer]


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
def test_the_pasted_commands_log_in_and_read_with_the_token(
    addresses: Addresses, ask: Ask, administrator: str
) -> None:
    # somebody whose token no other test holds: a login ends the one before
    granted = ask("PUT", "/api/permissions/carmen", {"paths": ["/ventas/pedidos"]}, token=administrator)
    assert granted.status == 200, granted.content
    commands = example(f"http://{LOOPBACK}:{addresses.origin}", "carmen", "carmen-demo")
    done = subprocess.run(["/bin/sh", "-c", commands], check=True, capture_output=True, text=True, timeout=60)
    rows = json.loads(done.stdout)["value"]
    assert [set(row) >= {"DocNum", "CardName", "DocTotal"} for row in rows] == [True, True]
