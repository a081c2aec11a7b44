"""Tables of both doctors: each check and its causes, by group."""

import asyncio
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path

from erp_gateway.commands import doctor as gateway
from erp_gateway.doctor.opening import DoctorOptions
from erp_gateway.doctor.opening import open_doctor as open_gateway_doctor
from erp_gateway.extensions import load_extensions
from erp_gateway.settings.root import load_settings as load_gateway_settings
from erpdoctor.checks import Cause, Check
from erpdoctor.origin import Origin
from servicekit.clock import SystemClock
from supplier_returns.doctor import command as returns
from supplier_returns.settings.root import load_settings as load_returns_settings
from tools.docs.part import Part, table

GATEWAY_PAGE, RETURNS_PAGE = "docs/doctor.md", "docs/doctor-returns.md"
GATEWAY_GROUPS = (
    "settings",
    "network",
    "service-layer",
    "attachments",
    "store",
    "store-on-postgresql",
    "people",
    "report-gateway",
    "database",
    "printing",
    "origin",
)
"""The groups of the gateway; those of the store on PostgreSQL have a table of their own."""
RETURNS_GROUPS = ("settings", "service-layer", "returns")
"""The groups of supplier-returns that are not the gateway's."""

_ON_POSTGRESQL = "store-on-postgresql"
_COMMON = {"CONFIG_FILE": os.devnull, "ENVIRONMENT": "test"}
_PAGE = re.compile(r"\(docs/([\w-]+\.md)")


class UndescribedError(ValueError):
    """A check or a cause has no English sentence. The text names it."""


@cache
def gateway_checks(store_url: str | None = None) -> tuple[Check, ...]:
    """Return every check of the gateway's doctor; `store_url` selects the checks of PostgreSQL."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_declared_by_gateway(Path(folder), {"STORE_URL": store_url} if store_url else {}))


async def _declared_by_gateway(folder: Path, environ: Mapping[str, str]) -> tuple[Check, ...]:
    settings = load_gateway_settings(
        {
            **_COMMON,
            **environ,
            "ERP_SL_URL": "http://127.0.0.1:1/b1s/v1",
            "ERP_SL_COMPANY_DB": "x",
            "ERP_SL_USER": "x",
            "ERP_SL_PASSWORD": "x",
            "SQLITE_PATH": str(folder / "app.sqlite"),
        }
    )
    options = DoctorOptions(origin=Origin.of("https://erp.example.com", None))
    registries = load_extensions((), engine=None)
    async with open_gateway_doctor(settings, registries, options, clock=SystemClock()) as checks:
        return (*gateway.declared(), *checks)


@cache
def returns_checks() -> tuple[Check, ...]:
    """Return every check of the doctor of supplier-returns."""
    return asyncio.run(_declared_by_returns())


async def _declared_by_returns() -> tuple[Check, ...]:
    settings = load_returns_settings(
        {**_COMMON, "SL_URL": "http://127.0.0.1:1/b1s/v1", "SL_COMPANY_DB": "x", "DB_TYPE": "HANA"}
    )
    origin = Origin.of("https://erp.example.com/devoluciones", None)
    async with returns.open_doctor(settings, None, clock=SystemClock(), origin=origin) as checks:
        return (*returns.declared(), *checks)


def gateway_group(name: str) -> tuple[Check, ...]:
    """Return the checks of a group of the gateway."""
    if name == _ON_POSTGRESQL:
        found = gateway_checks("postgresql://gateway@127.0.0.1:1/store")
        return tuple(check for check in found if check.group == "store")
    return tuple(check for check in gateway_checks() if check.group == name)


def returns_group(name: str) -> tuple[Check, ...]:
    """Return the checks of a group of supplier-returns."""
    return tuple(check for check in returns_checks() if check.group == name)


def rows(checks: Iterable[Check]) -> Iterator[tuple[str, str]]:
    """Yield a row for each check, and one for each of its causes that no check before it has.

    Raises:
        UndescribedError: a check or cause has no English sentence.
    """
    observed: set[Cause] = set()
    for check in checks:
        yield _row(check.name, check.english)
        for cause in check.causes:
            if cause not in observed:
                yield _row(cause.code, cause.english)
        observed.update(check.causes)


def _row(name: str, english: str) -> tuple[str, str]:
    if not english:
        raise UndescribedError(f"{name} needs an English sentence")
    return f"`{name}`", _PAGE.sub(r"(\1", english)


def gateway_table(name: str) -> str:
    """Return the table of a group of the gateway."""
    return table(("Check or cause", "Meaning"), rows(gateway_group(name)))


def returns_table(name: str) -> str:
    """Return the table of a group of supplier-returns."""
    return table(("Check or cause", "Meaning"), rows(returns_group(name)))


PARTS = (
    *(
        Part(GATEWAY_PAGE, partial(gateway_table, name), markers=f"gateway checks: {name}")
        for name in GATEWAY_GROUPS
    ),
    *(
        Part(RETURNS_PAGE, partial(returns_table, name), markers=f"returns checks: {name}")
        for name in RETURNS_GROUPS
    ),
)
