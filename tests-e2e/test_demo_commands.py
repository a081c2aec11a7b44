"""What the demo tells a person to paste into a shell works there."""

import json
import shutil
import subprocess

import pytest
from demo.__main__ import example
from demo.tour import ADMINISTRATOR
from tools.stack.addresses import Addresses
from tools.stack.processes import LOOPBACK


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
def test_the_pasted_commands_log_in_and_read_with_the_token(addresses: Addresses) -> None:
    commands = example(f"http://{LOOPBACK}:{addresses.origin}", ADMINISTRATOR)
    done = subprocess.run(["/bin/sh", "-c", commands], check=True, capture_output=True, text=True, timeout=60)
    rows = json.loads(done.stdout)["value"]
    assert [set(row) >= {"DocNum", "CardName", "DocTotal"} for row in rows] == [True, True]
