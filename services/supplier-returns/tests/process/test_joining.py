"""Cost of joining PDF files, measured in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import joining_sixty
import pytest

MAX_CPU_S = 1
MAX_TIMES_THE_OUTPUT = 4


@pytest.fixture
def guides(tmp_path: Path) -> Path:
    """A folder of sixty two-page PDF files."""
    for number in range(joining_sixty.GUIDES):
        (tmp_path / str(number)).write_bytes(joining_sixty.guide(number))
    return tmp_path


def test_sixty_documents_of_two_pages_cost_little_memory_and_cpu(guides: Path) -> None:
    command = [sys.executable, joining_sixty.__file__, str(guides)]
    cost = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert cost["bytes"] > joining_sixty.GUIDES * joining_sixty.PAGES * joining_sixty.SCAN_BYTES
    assert cost["memory"] < MAX_TIMES_THE_OUTPUT * cost["bytes"]
    assert cost["cpu_s"] < 10 * MAX_CPU_S
