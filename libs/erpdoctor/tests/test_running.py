"""Checks run in their order, and one that fails takes along what needs it, and nothing else."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from structlog.typing import EventDict

from erpdoctor.checks import Check, Finding, fail, ok, skipped, warn
from erpdoctor.running import UnknownGroupError, chosen, run_checks
from servicekit.clock import ManualClock, SystemClock
from servicekit.last_run import Outcome

BROKEN = fail("broken", "Está roto.", remedy="Arréglelo.")
ODD = warn("odd", "Es raro.", remedy="Mírelo.", page="docs/operations.md#odd")
OFF = skipped("not_configured", "No está configurado.")
MakeCheck = Callable[..., Check]

pytestmark = pytest.mark.asyncio


async def test_dependents_of_a_failed_check_are_skipped_transitively(
    make_check: MakeCheck, clock: ManualClock
) -> None:
    looks: list[str] = []
    checks = [
        make_check("net.port", BROKEN.found(), looks=looks),
        make_check("erp.login", needs=("net.port",), looks=looks),
        make_check("people.users", needs=("erp.login",), looks=looks),
        make_check("store.file", looks=looks),
    ]
    results = await run_checks(checks, clock=clock)
    assert looks == ["net.port", "store.file"]
    assert [(result.check.name, result.outcome.value) for result in results] == [
        ("net.port", "fail"),
        ("erp.login", "skipped"),
        ("people.users", "skipped"),
        ("store.file", "ok"),
    ]
    assert results[2].finding.figures == {"on": ("erp.login",)}


async def test_dependents_of_a_warning_run_and_those_of_an_unconfigured_check_do_not(
    make_check: MakeCheck, clock: ManualClock
) -> None:
    looks: list[str] = []
    checks = [
        make_check("a.warned", ODD.found()),
        make_check("a.off", OFF.found()),
        make_check("b.one", needs=("a.warned",), looks=looks),
        make_check("b.two", needs=("a.warned", "a.off"), looks=looks),
    ]
    results = await run_checks(checks, clock=clock)
    assert looks == ["b.one"]
    assert results[3].finding.figures == {"on": ("a.off",)}


async def test_of_the_checks_that_a_finding_suspects_those_stay_that_failed(
    make_check: MakeCheck, clock: ManualClock
) -> None:
    checks = [
        make_check("a.failed", BROKEN.found()),
        make_check("a.warned", ODD.found()),
        make_check("b.one", BROKEN.found().suspecting("a.failed", "a.warned", "a.not_run")),
    ]
    results = await run_checks(checks, clock=clock)
    assert [result.finding.suspects for result in results] == [(), (), ("a.failed",)]


async def test_checks_run_one_after_another(make_check: MakeCheck, clock: ManualClock) -> None:
    at_work = 0
    most = 0

    async def look() -> Finding:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1
        return ok()

    await run_checks([make_check(f"a.n{number}", run=look) for number in range(3)], clock=clock)
    assert most == 1


async def test_a_check_that_gets_no_answer_fails_after_its_limit(make_check: MakeCheck) -> None:
    async def look() -> Finding:
        await asyncio.Event().wait()
        return ok()

    (result,) = await run_checks([make_check("a.one", run=look, limit_s=0.05)], clock=SystemClock())
    assert result.outcome is Outcome.FAIL
    assert result.finding.cause is not None
    assert result.finding.cause.code == "no_answer_in_time"
    assert 0.04 < result.duration_s < 30


async def test_a_crashed_check_reports_the_type_of_its_error_but_not_its_text(
    make_check: MakeCheck, clock: ManualClock, log_lines: list[EventDict]
) -> None:
    async def look() -> Finding:
        raise ValueError("canary-secret")

    looks: list[str] = []
    broken, after = await run_checks(
        [make_check("a.one", run=look), make_check("a.two", looks=looks)], clock=clock
    )
    assert broken.finding.cause is not None
    assert broken.finding.cause.code == "doctor_broke"
    assert broken.finding.figures == {"kind": "ValueError"}
    assert looks == ["a.two"]
    assert after.outcome is Outcome.OK
    assert [line["event"] for line in log_lines] == ["doctor_check_broke"]
    assert "canary" not in str(log_lines)


async def test_selecting_a_group_includes_its_prerequisites(make_check: MakeCheck) -> None:
    checks = [
        make_check("net.port"),
        make_check("net.clock"),
        make_check("erp.login", needs=("net.port",)),
        make_check("people.users", needs=("erp.login",)),
        make_check("store.file"),
    ]
    names = [check.name for check in chosen(checks, only=["people"])]
    assert names == ["net.port", "erp.login", "people.users"]
    assert chosen(checks, only=[]) == tuple(checks)
    with pytest.raises(UnknownGroupError, match=r"'erpp' is no group.*net, erp, people, store"):
        chosen(checks, only=["store", "erpp"])


@pytest.mark.parametrize("needs", [("a.two",), ("a.one",), ("b.none",)])
async def test_a_check_may_only_need_earlier_checks(make_check: MakeCheck, needs: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"a\.one"):
        chosen([make_check("a.one", needs=needs), make_check("a.two")], only=[])
    with pytest.raises(ValueError, match=r"a\.one"):
        chosen([make_check("a.one"), make_check("a.one")], only=[])


@pytest.mark.parametrize("name", ["login", "Erp.login", "erp.", "erp.lo gin"])
async def test_a_check_has_a_group_and_a_name(make_check: MakeCheck, name: str) -> None:
    with pytest.raises(ValueError, match=r"allowed: group\.name"):
        make_check(name)


@pytest.mark.parametrize("figure", ["Ana Pérez", ("fine", "host with blanks"), "x" * 81])
async def test_a_figure_is_a_number_or_a_word(figure: Any) -> None:
    with pytest.raises(ValueError, match="the figure what is no word"):
        ok(what=figure)
    with pytest.raises(ValueError, match="no code of a cause"):
        type(BROKEN)("Not a code", Outcome.FAIL, "text")
