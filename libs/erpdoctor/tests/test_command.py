"""A run from the command line's arguments to what is printed."""

import argparse
import io
import json
from collections.abc import Callable

import pytest
from typing_extensions import override

from erpdoctor.checks import Check, fail, ok
from erpdoctor.command import ProgressLine, add_run_arguments, examine, print_report
from erpdoctor.running import chosen
from servicekit.clock import ManualClock

BROKEN = fail("broken", "Está roto.", remedy="Arréglelo.")
MakeCheck = Callable[..., Check]

pytestmark = pytest.mark.asyncio


class Terminal(io.StringIO):
    @override
    def isatty(self) -> bool:
        return True


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_run_arguments(parser)
    return parser.parse_args(arguments)


async def test_each_check_is_shown_when_it_starts(make_check: MakeCheck, clock: ManualClock) -> None:
    checks = [make_check("a.one"), make_check("a.two")]
    plain, terminal = io.StringIO(), Terminal()
    for progress in (plain, terminal):
        line = ProgressLine(progress, len(checks))
        await examine(checks, service="erp-gateway", version="0.0.1", clock=clock, progress=line)
    assert plain.getvalue() == "[1/2] a.one · Una cosa\n[2/2] a.two · Una cosa\n"
    assert terminal.getvalue() == ("\r\x1b[K[1/2] a.one · Una cosa\r\x1b[K[2/2] a.two · Una cosa\r\x1b[K")


async def test_the_arguments_choose_groups_and_form(make_check: MakeCheck, clock: ManualClock) -> None:
    checks = [make_check("a.one", ok("seen")), make_check("b.two", BROKEN.found())]
    arguments = parsed("--json", "--only", "b")
    report = await examine(
        chosen(checks, only=arguments.only),
        service="erp-gateway",
        version="0.0.1",
        clock=clock,
        progress=ProgressLine(io.StringIO(), 1),
    )
    out = io.StringIO()
    print_report(report, as_json=arguments.json, out=out)
    assert [check["name"] for check in json.loads(out.getvalue())["checks"]] == ["b.two"]
    assert report.exit_code == 2
    out = io.StringIO()
    print_report(report, as_json=parsed().json, out=out)
    assert out.getvalue().splitlines()[1] == "B"
