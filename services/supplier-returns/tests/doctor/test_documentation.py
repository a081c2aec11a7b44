"""docs/doctor-returns.md tells every check and every cause, and every page that is named exists."""

import os
import re
from pathlib import Path

import pytest

from erpdoctor.checks import EVERYWHERE, Cause, Check
from erpdoctor.origin import Origin
from servicekit.clock import SystemClock
from supplier_returns.doctor.command import declared, open_doctor
from supplier_returns.settings.root import load_settings

pytestmark = pytest.mark.asyncio

ROOT = Path(__file__).parents[4]
OWN_GROUPS = ("settings", "service-layer", "returns")


async def every_check() -> tuple[Check, ...]:
    settings = load_settings(
        {
            "CONFIG_FILE": os.devnull,
            "ENVIRONMENT": "test",
            "SL_URL": "http://127.0.0.1:1/b1s/v1",
            "SL_COMPANY_DB": "x",
            "DB_TYPE": "HANA",
        }
    )
    origin = Origin.of("https://erp.example.com/devoluciones", None)
    async with open_doctor(settings, None, clock=SystemClock(), origin=origin) as checks:
        return (*declared(), *checks)


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


async def test_every_page_that_a_check_names_exists_with_its_heading() -> None:
    named = {check.page for check in await every_check()}
    named |= {cause.page for check in await every_check() for cause in check.causes if cause.page}
    missing = []
    for each in sorted(named):
        page, _, anchor = each.partition("#")
        if not (ROOT / page).is_file() or (anchor and anchor not in anchors(page)):
            missing.append(each)
    assert missing == []


@pytest.mark.parametrize("group", OWN_GROUPS)
async def test_each_group_has_its_section_with_its_checks_and_causes_and_no_others(group: str) -> None:
    parts = re.split(r"^## (.+)$", (ROOT / "docs/doctor-returns.md").read_text("utf-8"), flags=re.MULTILINE)
    told = dict(zip(parts[1::2], parts[2::2], strict=True))[group]
    names: set[str] = set()
    for check in await every_check():
        if check.group == group:
            names |= {check.name, *(cause.code for cause in check.causes)}
    assert set(re.findall(r"^\| `([a-z0-9_.-]+)` \|", told, re.MULTILINE)) == names


async def test_one_code_means_one_thing_and_every_failure_has_its_mend() -> None:
    causes: dict[str, set[Cause]] = {}
    for check in await every_check():
        for cause in (*check.causes, *EVERYWHERE):
            causes.setdefault(cause.code, set()).add(cause)
    assert {code for code, found in causes.items() if len(found) > 1} == set()
    assert [
        code
        for code, found in causes.items()
        for cause in found
        if cause.outcome.value in ("fail", "warn") and not cause.remedy.endswith(".")
    ] == []
