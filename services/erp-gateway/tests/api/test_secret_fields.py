"""Fields that an extension keeps from everybody: beside the passwords, and not to be guessed either."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.api.conftest import Gateway


NAME = "customer_of_the_secret_fields"
MODULE = """
import attrs
from erp_gateway.extensions import *

PARTNERS, ORDERS = (
    next(each for each in SHIPPED.resources if each.name == name) for name in ("BusinessPartners", "Orders")
)
EXTENSION = Extension(
    resources=(
        Resource(
            name="HouseBankAccounts", key=IntKey("AbsoluteEntry"), read_menu=None, write_menu=None,
            secret_fields=frozenset(("AccNo",)),
        ),
    ),
    replaces=Declarations(
        resources=(
            attrs.evolve(
                PARTNERS,
                secret_fields=frozenset({"Phone1"}),
                columns=tuple(column for column in PARTNERS.columns if column.name != "Phone1"),
            ),
            attrs.evolve(ORDERS, expand=ORDERS.expand | {"BusinessPartner"}),
        )
    ),
)
"""

CLAUSES = (
    "$filter=startswith({},'0001')",
    "$filter={} eq '00012345678'",
    "$filter=AbsoluteEntry ge 1 and not (contains({},'1'))",
    "$orderby={} desc",
    "$select={}",
    "$select=AbsoluteEntry,{}",
)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    (tmp_path / f"{NAME}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"EXTENSIONS": NAME}
    sys.modules.pop(NAME, None)


@pytest.mark.asyncio
async def test_passwords_stay_hidden_if_an_extension_hides_other_fields(extended: "Gateway") -> None:
    ana = await extended.signed_in()
    listed = await extended.http.get("/api/sl/BusinessPartners?$top=1", headers=ana)
    (partner,) = listed.json()["value"]
    contacts = partner["ContactEmployees"]
    assert contacts
    names = {name for record in (partner, *contacts) for name in record}
    assert "Password" not in names
    assert "Phone1" not in names
    assert {"CardCode", "E_Mail"} <= names


@pytest.mark.asyncio
async def test_passwords_stay_hidden_in_records_an_extension_expands(extended: "Gateway") -> None:
    ana = await extended.signed_in()
    listed = await extended.http.get("/api/sl/Orders?$top=1&$expand=BusinessPartner", headers=ana)
    assert listed.status_code == 200, listed.text
    (order,) = listed.json()["value"]
    assert order["BusinessPartner"]["CardCode"] == order["CardCode"]
    assert '"Password"' not in listed.text


@pytest.mark.asyncio
@pytest.mark.parametrize("accept", ["application/json", "text/csv"])
async def test_a_hidden_field_is_refused_in_every_clause(extended: "Gateway", accept: str) -> None:
    headers = {**await extended.signed_in(), "Accept": accept}
    for name in ("Password", "AccNo", "accno", "ACCNO"):
        for query in CLAUSES:
            path = f"/api/sl/HouseBankAccounts?{query.format(name)}"
            answer = await extended.http.get(path, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (400, "odata_forbidden_name"), path


@pytest.mark.asyncio
async def test_an_aggregate_query_is_refused(extended: "Gateway") -> None:
    ana = await extended.signed_in()
    answer = await extended.http.get(
        "/api/sl/HouseBankAccounts?$apply=aggregate(AccNo with max as most)", headers=ana
    )
    assert answer.status_code == 400


@pytest.mark.asyncio
async def test_a_record_with_a_hidden_field_keeps_its_other_fields(extended: "Gateway") -> None:
    ana = await extended.signed_in()
    listed = await extended.http.get("/api/sl/HouseBankAccounts", headers=ana)
    assert listed.json()["value"]
    for row in listed.json()["value"]:
        assert "AccNo" not in row
        assert row["BankCode"]
