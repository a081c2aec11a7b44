"""docs/doctor.md tells every group and every cause, and every page that is named exists."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import evolve

from erp_gateway.commands import doctor
from erp_gateway.doctor.opening import DoctorOptions, open_doctor
from erp_gateway.extensions import load_extensions
from erp_gateway.settings.root import load_settings
from erpdoctor.checks import EVERYWHERE, Cause, Check
from erpdoctor.origin import Origin
from servicekit.clock import SystemClock

pytestmark = pytest.mark.asyncio

ROOT = Path(__file__).parents[4]
DOCTOR = "docs/doctor.md"


async def every_check(folder: Path) -> tuple[Check, ...]:
    """Return all checks there are, those of both engines of the store."""
    found: dict[str, Check] = {}
    causes: dict[str, tuple[Cause, ...]] = {}
    for url in ({}, {"STORE_URL": "postgresql://gateway@127.0.0.1:1/store"}):
        for check in await checks_of(folder, url):
            causes[check.name] = (*causes.get(check.name, ()), *check.causes)
            found[check.name] = evolve(check, causes=causes[check.name], needs=())
    return tuple(found.values())


async def checks_of(folder: Path, environ: Mapping[str, str]) -> tuple[Check, ...]:
    settings = load_settings(
        {
            **environ,
            "CONFIG_FILE": os.devnull,
            "ENVIRONMENT": "test",
            "ERP_SL_URL": "http://127.0.0.1:1/b1s/v1",
            "ERP_SL_COMPANY_DB": "x",
            "ERP_SL_USER": "x",
            "ERP_SL_PASSWORD": "x",
            "SQLITE_PATH": str(folder / "app.sqlite"),
        }
    )
    options = DoctorOptions(origin=Origin.of("https://erp.example.com", None))
    async with open_doctor(
        settings, load_extensions((), engine=None), options, clock=SystemClock()
    ) as checks:
        return (*doctor.declared(), *checks)


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def sections(page: str) -> dict[str, str]:
    """Return the text below each heading of the second level."""
    parts = re.split(r"^## (.+)$", (ROOT / page).read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


async def test_every_page_that_a_check_names_exists_with_its_heading(tmp_path: Path) -> None:
    pages = set()
    for check in await every_check(tmp_path):
        pages |= {check.page, *(cause.page for cause in check.causes if cause.page)}
    missing = []
    for named in sorted(pages):
        page, _, anchor = named.partition("#")
        if not (ROOT / page).is_file() or (anchor and anchor not in anchors(page)):
            missing.append(named)
    assert missing == []


async def test_each_group_has_its_section_with_its_checks_and_causes_and_no_others(
    tmp_path: Path,
) -> None:
    told = sections(DOCTOR)
    wrong = []
    for group in dict.fromkeys(check.group for check in await every_check(tmp_path)):
        names: set[str] = set()
        for check in await every_check(tmp_path):
            if check.group == group:
                names |= {check.name, *(cause.code for cause in check.causes)}
        documented = set(re.findall(r"^\| `([a-z0-9_.-]+)` \|", told.get(group, ""), re.MULTILINE))
        wrong += [f"{group}: {name} is not told" for name in sorted(names - documented)]
        wrong += [f"{group}: {name} is told and is none" for name in sorted(documented - names)]
    assert wrong == []


async def test_one_code_means_one_thing_and_every_failure_has_its_mend(tmp_path: Path) -> None:
    causes: dict[str, set[Cause]] = {}
    for check in await every_check(tmp_path):
        for cause in (*check.causes, *EVERYWHERE):
            causes.setdefault(cause.code, set()).add(cause)
    shared = {code for code, found in causes.items() if len(found) > 1 and code != "not_configured"}
    assert shared == set()
    assert [
        code
        for code, found in causes.items()
        for cause in found
        if cause.outcome.value in ("fail", "warn") and not cause.remedy.endswith(".")
    ] == []
