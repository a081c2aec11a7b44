"""Which reports there are, and how `LoadCR` describes their parameters."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import pytest

from erpsim.business.layout_catalogue import LAYOUTS
from erpsim.business.layouts import Category
from erpsim.report_gateway import run_report_gateway

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
KEYS = {
    "parameterType", "values", "defaultValuesDescription", "length", "isOptionalPrompt", "description",
    "allowNullValue", "isShownOnPanel", "type", "editMask", "minimumValue", "initialValues",
    "isEditableOnPanel", "valueRangeKind", "allowMultiValue", "name", "defaultValues", "currentvalues",
    "maximumValue", "allowCustomCurrentValues",
}  # fmt: skip


@pytest.fixture
def load(sign_in: SignIn) -> Callable[..., Any]:
    """Return what asks for a layout's parameters: status and answer."""

    async def load(query: str) -> tuple[int, Any]:
        async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client:
            answer = await client.get(f"rs/v1/LoadCR{query}")
            return answer.status, await answer.json()

    return load


async def test_the_catalogue_contains_only_general_reports(sign_in: SignIn) -> None:
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client:
        value = await (await client.get("rs/v1/LoadAuthorizedCRList")).json()
    assert value["result"] == "Success"
    assert {row["code"] for row in value["resultSet"]} == {"RCRI0001", "RCRI0002", "RCRI0003"}
    assert value["resultSet"][0] == {
        "code": "RCRI0001",
        "root_name": "#1000004#8",
        "name": "Lista de artículos",
        "root_guid": "63",
    }


async def test_every_boolean_and_length_of_a_parameter_is_a_text(load: Callable[..., Any]) -> None:
    for layout in LAYOUTS:
        if layout.category is Category.CRYSTAL:
            _, value = await load(f"?DocCode={layout.code}")
            assert value["error"] is False
            assert [row["name"] for row in value["resultSet"]] == [each.name for each in layout.parameters]
            for row in value["resultSet"]:
                assert row.keys() == KEYS
                assert not [name for name, item in row.items() if isinstance(item, bool | int)]


async def test_parameter_names_contain_lookups_headings_and_separators(load: Callable[..., Any]) -> None:
    _, value = await load("?DocCode=RCRI0001")
    title, item, group, separator = value["resultSet"]
    assert title["name"] == "Title_Items@Title"
    assert (title["isOptionalPrompt"], title["allowNullValue"]) == ("false", "false")
    assert (item["name"], item["valueRangeKind"]) == ("Item@Select * from OITM", "Range")
    assert group["name"] == 'Item Group@select "ItmsGrpCod","ItmsGrpNam" from OITB'
    assert group["allowMultiValue"] == "true"
    assert separator["name"] == "Sep_item@separator"


@pytest.mark.parametrize(
    ("code", "key", "object_name"),
    [
        ("RDR20001", "DocKey@", "ObjectId@"),
        ("RDR20002", "Dockey@", "ObjectID@"),
        ("DLN20001", "dockey@", "ObjectId@"),
        ("INV20001", "DocKey@", "ObjectID@"),
        ("QUT20001", "DocKey@", None),
    ],
)
async def test_documents_spell_their_key_differently_and_store_a_wrong_one(
    code: str, key: str, object_name: str | None, load: Callable[..., Any]
) -> None:
    _, value = await load(f"?DocCode={code}")
    rows = {row["name"]: row for row in value["resultSet"]}
    assert rows[key]["currentvalues"] == ["2"]
    assert rows[key]["parameterType"] == "StoredProcedureParameter"
    assert (rows[key]["type"], rows[key]["allowNullValue"]) == ("xsd:decimal", "true")
    assert [name for name in rows if name.lower() == "objectid@"] == ([object_name] if object_name else [])


async def test_few_layouts_store_their_object_type(load: Callable[..., Any]) -> None:
    _, first = await load("?DocCode=RDR20001")
    _, second = await load("?DocCode=RDR20002")
    stored = {row["name"]: row["currentvalues"] for row in first["resultSet"] + second["resultSet"]}
    assert (stored["ObjectId@"], stored["ObjectID@"]) == (["17"], [])


async def test_dates_are_echoed_in_a_form_that_requests_may_not_use(load: Callable[..., Any]) -> None:
    _, single = await load("?DocCode=RCRI0002")
    _, ranged = await load("?DocCode=RCRI0003")
    assert single["resultSet"][2]["currentvalues"] == ["Date(2026, 6, 7)"]
    assert ranged["resultSet"][0]["currentvalues"] == ["Date(2026, 6, 7) to Date(2026, 6, 13)"]


@pytest.mark.parametrize("query", ["?DocCode=NONE0001", "?DocCode=", "?DocCode=INV20002"])
async def test_an_unloadable_layout_is_an_empty_object(query: str, load: Callable[..., Any]) -> None:
    assert await load(query) == (200, {})


async def test_without_a_code_the_catalogue_answers_400(load: Callable[..., Any]) -> None:
    assert await load("") == (400, {"code": 400, "message": "400 BAD_REQUEST"})


async def test_each_type_has_at_most_one_default_and_prefixes_its_codes() -> None:
    for layout in LAYOUTS:
        assert layout.code.startswith(layout.type_code)
        same = [each for each in LAYOUTS if each.type_code == layout.type_code]
        assert sum(each.default for each in same) == (0 if layout.type_code == "RCRI" else 1)
