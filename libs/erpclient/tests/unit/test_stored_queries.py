"""Stored queries: how they are asked, what of their answer is believed."""

import asyncio
import json
from decimal import Decimal

import pytest
from clients import ANA, make_client
from scripted_erp import Answer, Call, ScriptedErp, error_v1, json_answer

from erpclient import ErpRefused, ErpReplyUnreadable, ErpRows, InvalidQueryValue
from erpclient.stored_queries import QueryValue, query_parameters

PAGE = {"odata.metadata": "x", "SqlText": "select …", "value": [{"Qty": 1.50}]}


@pytest.mark.asyncio
async def test_a_stored_query_is_a_post_with_parameters_and_page_size(erp: ScriptedErp) -> None:
    erp.script(Answer(200, b'{"value":[{"Qty":1.50}],"odata.nextLink":"SQLQueries?$skip=20"}'))
    async with make_client(erp) as client:
        page = await client.run_query("it's 1", {"whsCode": "01", "desde": -3}, caller=ANA, page_size=5000)
    assert page == ErpRows(b'[{"Qty":1.50}]', more=True)
    (call,) = erp.work
    assert (call.method, call.target) == ("POST", "/b1s/v1/SQLQueries('it''s%201')/List")
    assert json.loads(call.body) == {"ParamList": "whsCode='01'&desde=-3"}
    assert call.headers["prefer"] == "odata.maxpagesize=5000"


@pytest.mark.asyncio
@pytest.mark.parametrize("link", ["odata.nextLink", "@odata.nextLink"])
async def test_both_dialects_report_more_rows(erp: ScriptedErp, link: str) -> None:
    erp.script(json_answer({**PAGE, link: "List?$skip=20"}), json_answer(PAGE))
    async with make_client(erp) as client:
        assert (await client.run_query("Q", {}, caller=ANA, page_size=20)).more
        assert not (await client.run_query("Q", {}, caller=ANA, page_size=20)).more
    assert [json.loads(call.body) for call in erp.work] == [{}, {}]


@pytest.mark.asyncio
async def test_a_refused_query_keeps_the_analyser_message(erp: ScriptedErp) -> None:
    erp.script(error_v1(400, 704, "Parameter error."))
    async with make_client(erp) as client:
        with pytest.raises(ErpRefused, match=r"Parameter error\."):
            await client.run_query("Q", {}, caller=ANA, page_size=20)


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [b"{", b"{}", b'{"value":{}}', b'{"value":null}', b'[{"value":[]}]'])
async def test_an_answer_without_rows_is_unreadable(erp: ScriptedErp, body: bytes) -> None:
    erp.script(Answer(200, body))
    async with make_client(erp) as client:
        with pytest.raises(ErpReplyUnreadable):
            await client.run_query("Q", {}, caller=ANA, page_size=20)


@pytest.mark.parametrize(
    ("value", "written"),
    [("20240131", "n='20240131'"), (-5, "n=-5"), (Decimal("10.10"), "n=10.10"), (Decimal("1E+3"), "n=1000")],
)
def test_texts_are_quoted_and_numbers_are_plain(value: QueryValue, written: str) -> None:
    assert query_parameters({"n": value}) == written


@pytest.mark.parametrize("text", ["a'b", "a&b", "a\nb", "\x00", "\x7f"])
def test_an_ambiguous_parameter_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidQueryValue):
        query_parameters({"whsCode": text})


@pytest.mark.parametrize("name", ["", "1a", "a b", "a=", "ñ"])
def test_an_invalid_parameter_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        query_parameters({name: 1})


@pytest.mark.asyncio
async def test_a_call_may_have_a_longer_time_than_usual(erp: ScriptedErp) -> None:
    async def late(call: Call) -> Answer:
        await asyncio.sleep(0.4)
        return Answer(201, b'{"Name":"X"}') if call.method == "POST" else Answer(204)

    erp.handler = late
    async with make_client(erp, timeout_s=0.2) as client:
        made = await client.create("UserFieldsMD", b"{}", caller=ANA, timeout_s=60.0)
        await client.modify("UserFieldsMD", "(1)", b"{}", caller=ANA, timeout_s=60.0)
    assert json.loads(made.body) == {"Name": "X"}
