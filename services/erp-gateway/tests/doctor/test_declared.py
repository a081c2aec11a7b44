"""Declarations that only the ERP can refute: the doctor names each, and what exists instead."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from installation import Installation

Install = Callable[..., AbstractAsyncContextManager[Installation]]
Declare = Callable[[str], dict[str, str]]

pytestmark = pytest.mark.asyncio

NAME = "customer_of_the_doctor"
ACCOUNTS = "Resource(name='HouseBankAccounts', key=IntKey('AbsoluteEntry'), read_menu=None, write_menu=None"


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Declare]:
    """Return what installs an extension with these resources, and gives the setting that names it."""

    def declaring(resources: str) -> dict[str, str]:
        tmp_path.joinpath(f"{NAME}.py").write_text(
            f"from erp_gateway.extensions import *\nEXTENSION = Extension(resources=({resources},))\n",
            encoding="utf-8",
        )
        monkeypatch.syspath_prepend(tmp_path)
        return {"EXTENSIONS": NAME}

    yield declaring
    sys.modules.pop(NAME, None)


async def looked_at(install: Install, environ: dict[str, str]) -> tuple[dict[str, dict[str, Any]], str]:
    """Return each check that failed, by name, and the table."""
    async with install() as installation:
        installation.environ |= environ
        examined = await installation.examine("--only", "service-layer")
        _, table, _ = await installation.run("--only", "service-layer")
    return {each["name"]: each for each in examined.report["checks"] if each["outcome"] == "fail"}, table


async def test_a_set_in_the_wrong_letter_case_is_named_with_the_right_one(
    install: Install, declare: Declare
) -> None:
    failed, table = await looked_at(install, declare(f"{ACCOUNTS.replace('House', 'house')})"))
    assert set(failed) == {"service-layer.sets"}
    assert failed["service-layer.sets"]["figures"] == {"missing": ["houseBankAccounts"]}
    assert "houseBankAccounts (¿HouseBankAccounts?)" in table


async def test_a_differing_key_is_reported_with_the_erps_key_and_no_later_check_fails(
    install: Install, declare: Declare
) -> None:
    failed, table = await looked_at(install, declare(f"{ACCOUNTS.replace('AbsoluteEntry', 'AbsEntry')})"))
    assert set(failed) == {"service-layer.keys"}
    assert failed["service-layer.keys"]["figures"] == {
        "resources": ["HouseBankAccounts"],
        "erp": ["HouseBankAccounts/AbsoluteEntry:Int32"],
    }
    assert "en el ERP HouseBankAccounts: AbsoluteEntry:Int32" in table
    assert "reinicie el Service Layer" not in table


@pytest.mark.parametrize(
    ("name", "told"),
    [("Nada", "HouseBankAccounts: Nada"), ("accno", "HouseBankAccounts: accno (¿AccNo?)")],
)
async def test_a_secret_field_that_the_erp_does_not_have_is_named(
    install: Install, declare: Declare, name: str, told: str
) -> None:
    failed, table = await looked_at(install, declare(f"{ACCOUNTS}, secret_fields=({name!r}, 'AccNo'))"))
    assert {each: failed[each]["cause"] for each in failed} == {
        "service-layer.secret-fields": "secret_fields_unknown"
    }
    assert failed["service-layer.secret-fields"]["figures"] == {"missing": [f"HouseBankAccounts/{name}"]}
    assert told in table


async def test_secret_fields_are_found_in_nested_and_expanded_types(
    install: Install, declare: Declare
) -> None:
    failed, _ = await looked_at(
        install,
        declare(
            "Resource(name='ServiceCalls', key=IntKey('ServiceCallID'), read_menu=None, write_menu=None,"
            " expand=('BusinessPartner',), secret_fields=('Phone1',)), Resource(name='ProductTrees',"
            " key=StrKey('TreeCode'), read_menu=None, write_menu=None, secret_fields=('ItemCode',))"
        ),
    )
    assert "service-layer.secret-fields" not in failed
