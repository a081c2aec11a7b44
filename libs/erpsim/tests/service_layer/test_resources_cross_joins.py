"""The query service and cross-joins over real sockets."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import quote

import aiohttp
import attrs
import pytest

from erpsim.company.switches import Switches
from erpsim.simulator import run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]

PATH = "$crossjoin(Orders,Orders/DocumentLines)"
OPTION = (
    "$expand=Orders($select=DocEntry),Orders/DocumentLines($select=LineNum)"
    "&$filter=Orders/DocEntry eq Orders/DocumentLines/DocEntry and Orders/Comments ne 'Uno & dos'"
)


async def post(
    client: aiohttp.ClientSession, body: dict[str, Any], **headers: str
) -> tuple[aiohttp.ClientResponse, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await client.post("QueryService_PostQuery", json=body, headers=named)
    return answer, json.loads(await answer.text())


@pytest.mark.parametrize(
    ("root", "context", "link"),
    [
        ("v1", "odata.metadata", "odata.nextLink"),
        ("v2", "@odata.context", "@odata.nextLink"),
    ],
)
async def test_the_query_service_answers_a_text_with_rows_by_path(
    sign_in: SignIn, root: str, context: str, link: str
) -> None:
    async with run_sim() as sim, sign_in(sim, root=root) as client:
        answer, page = await post(client, {"QueryPath": PATH, "QueryOption": OPTION}, B1S_PageSize="3")
        assert (answer.status, answer.content_type) == (200, "text/plain")
        assert page[context].endswith("$metadata#Collection(Edm.ComplexType)")
        assert len(page["value"]) == 3
        assert set(page["value"][0]) == {"Orders", "Orders/DocumentLines"}
        assert page[link].endswith("&$skip=3")
        assert "$crossjoin(" in page[link]


async def test_a_get_answers_the_same_rows(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        _, posted = await post(client, {"QueryPath": PATH, "QueryOption": OPTION})
        plain = OPTION.replace(" and Orders/Comments ne 'Uno & dos'", "")
        answer = await client.get(f"{PATH}?{quote(plain, safe='$=&(),/')}")
        page = json.loads(await answer.text())
        assert answer.status == 200, page
        assert answer.content_type == "application/json"
        assert set(page["value"][0]) == set(posted["value"][0])


@pytest.mark.parametrize(
    "body",
    [
        {"QueryPath": PATH},
        {"QueryOption": OPTION},
        {"QueryPath": 1, "QueryOption": OPTION},
        {"QueryPath": PATH, "QueryOption": OPTION, "More": 1},
    ],
)
async def test_another_body_is_bad_post_content(sign_in: SignIn, body: dict[str, Any]) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer, refusal = await post(client, body)
        assert (answer.status, refusal["error"]["message"]["value"]) == (400, "Bad post content")


async def test_switches_take_the_service_or_a_set_away(sign_in: SignIn) -> None:
    body = {"QueryPath": PATH, "QueryOption": OPTION}
    async with run_sim(switches=Switches(query_service=False)) as sim, sign_in(sim) as client:
        answer, refusal = await post(client, body)
        assert (answer.status, refusal["error"]["code"]) == (400, -1002)
        sim.world.switches = attrs.evolve(
            sim.world.switches, query_service=True, forbidden_sets=frozenset({"Orders"})
        )
        answer, refusal = await post(client, body)
        assert (answer.status, refusal["error"]["code"]) == (403, -6006)


async def test_invoices_show_what_is_paid_unless_the_build_is_old(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        closed = "$filter=DocumentStatus eq 'bost_Close' and Cancelled eq 'tNO'"
        address = f"Invoices?$select=DocEntry,DocTotal,PaidToDate&{closed}&$top=1"
        page = json.loads(await (await client.get(address)).text())
        assert page["value"][0]["PaidToDate"] == page["value"][0]["DocTotal"] > 0
        sim.world.switches = Switches(paid_amounts=False)
        answer = await client.get(address)
        refusal = json.loads(await answer.text())
        assert (answer.status, refusal["error"]["code"]) == (400, -1000)
