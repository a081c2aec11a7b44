"""The profile counts what our functions call, in the request's own tasks."""

import asyncio
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tools.flow import Flow
from tools.packages import ROOT

OUTER = """
import asyncio

def outer(first, second):
    first()
    return [second(), second()]

async def waits(first):
    await asyncio.sleep(0)
    first()
    await asyncio.sleep(0)
"""
INNER = """
def inner():
    return deeper()

def deeper():
    return None
"""


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Return a function that writes a module into one of our packages and runs it."""

    def write_and_run(name: str, source: str) -> dict[str, Any]:
        path = tmp_path / "src/erpclient" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        return runpy.run_path(str(path))

    return write_and_run


def test_calls_and_changes_between_files_are_counted(make: Callable[..., dict[str, Any]]) -> None:
    outer, inner = make("outer.py", OUTER)["outer"], make("inner.py", INNER)
    flow = Flow()
    with flow.recording():
        outer(inner["inner"], inner["deeper"])
    found = flow.figures
    assert (found.modules, found.functions, found.depth) == (2, 3, 3)
    assert found.calls == 3  # outer calls inner once and deeper twice
    assert found.changes == 1  # after outer, all that starts lies in inner.py
    assert [line.partition(":")[2] for line in flow.lines] == ["outer", "inner", "deeper", "deeper", "deeper"]
    assert [len(line) - len(line.lstrip()) for line in flow.lines] == [0, 2, 4, 2, 2]


def test_a_resumed_coroutine_is_a_change_of_file_but_no_call(make: Callable[..., dict[str, Any]]) -> None:
    waits, inner = make("outer.py", OUTER)["waits"], make("inner.py", INNER)["inner"]
    flow = Flow()

    async def work() -> None:
        with flow.recording():
            await waits(inner)

    asyncio.run(work())
    assert flow.figures.functions == len(flow.entered) == 3
    assert (flow.figures.calls, flow.figures.changes) == (1, 2)


def test_tasks_started_before_the_request_are_not_recorded(make: Callable[..., dict[str, Any]]) -> None:
    waits, inner = make("outer.py", OUTER)["waits"], make("inner.py", INNER)["inner"]
    flow = Flow()

    async def work() -> None:
        before = asyncio.create_task(waits(inner))
        with flow.recording():
            await asyncio.create_task(asyncio.sleep(0))
            await before
        assert flow.entered == []
        with flow.recording():
            await asyncio.create_task(waits(inner))

    asyncio.run(work())
    assert len(flow.entered) == 3


@pytest.mark.check
def test_every_request_can_be_profiled() -> None:
    done = subprocess.run(
        [sys.executable, "tools/flow.py"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["modules", "functions", "calls", "changes", "depth"]
    assert len(rows) == 7
    for row in rows:
        assert all(int(figure) > 5 for figure in re.findall(r" (\d+)", row)[-5:]), row
