"""Checks of both doctors: each is described, has its page, and its codes mean one thing."""

import re
from collections.abc import Callable, Sequence

import pytest
from tools.docs.doctor import UndescribedError, gateway_checks, gateway_group, returns_checks, rows
from tools.packages import ROOT

from erpdoctor.checks import EVERYWHERE, Cause, Check, Finding, Group, ok, warn


def every_check_of_the_gateway() -> Sequence[Check]:
    return (*gateway_checks(), *gateway_group("store-on-postgresql"))


both = pytest.mark.parametrize("every_check", [every_check_of_the_gateway, returns_checks])


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@both
def test_every_page_referenced_by_a_check_exists_with_its_heading(
    every_check: Callable[[], Sequence[Check]],
) -> None:
    named = {check.page for check in every_check()}
    named |= {cause.page for check in every_check() for cause in check.causes if cause.page}
    missing = []
    for each in sorted(named):
        page, _, anchor = each.partition("#")
        if not (ROOT / page).is_file() or (anchor and anchor not in anchors(page)):
            missing.append(each)
    assert missing == []


@both
def test_each_code_has_one_meaning_and_every_failure_a_remedy(
    every_check: Callable[[], Sequence[Check]],
) -> None:
    causes: dict[str, set[Cause]] = {}
    for check in every_check():
        for cause in (*check.causes, *EVERYWHERE):
            causes.setdefault(cause.code, set()).add(cause)
    shared = {code for code, found in causes.items() if len(found) > 1}
    assert shared <= {"not_configured"}
    assert [
        code
        for code, found in causes.items()
        for cause in found
        if cause.outcome.value in ("fail", "warn") and not cause.remedy.endswith(".")
    ] == []


@both
def test_every_group_has_a_table_on_a_page(every_check: Callable[[], Sequence[Check]]) -> None:
    pages = {check.page.partition("#")[0] for check in every_check()}
    text = "\n".join((ROOT / page).read_text("utf-8") for page in pages)
    missing = {check.name for check in every_check() if f"| `{check.name}` |" not in text}
    assert missing == set()


async def run() -> Finding:
    return ok()


SLOW = warn(
    "slow", "Es lento.", remedy="Espere.", english="It is slow. See [Sizing](docs/operate.md#sizing)."
)
GROUP = Group("made", "docs/doctor.md")


def test_a_cause_shared_by_two_checks_has_one_row() -> None:
    checks = [GROUP.check(name, "Prueba", run, SLOW, english=f"{name} is fast.") for name in ("one", "two")]
    assert list(rows(checks)) == [
        ("`made.one`", "one is fast."),
        ("`slow`", "It is slow. See [Sizing](operate.md#sizing)."),
        ("`made.two`", "two is fast."),
    ]


def test_an_undescribed_check_or_cause_is_named() -> None:
    with pytest.raises(UndescribedError, match=r"made\.mute needs"):
        list(rows([GROUP.check("mute", "Prueba", run)]))
    mute = warn("mute_cause", "No habla.", remedy="Espere.")
    with pytest.raises(UndescribedError, match="mute_cause needs"):
        list(rows([GROUP.check("one", "Prueba", run, mute, english="It speaks.")]))
