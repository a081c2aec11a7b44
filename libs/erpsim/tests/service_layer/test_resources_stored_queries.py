"""Stored queries over the wire: forms of addresses, bodies and next links."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from yarl import URL

from erpsim.simulator import Listening, Simulator, run_sim

TEXT = "select DocEntry, DocTotal, DocDate, comments from ordr where DocTotal > :docTotal"
BY_CODE = "select ItemCode from oitm where ItemCode = :code"


class Client:
    """A signed-in client; JSON keeps its decimals."""

    def __init__(self, sim: Simulator, http: aiohttp.ClientSession) -> None:
        self.sim = sim
        self.http = http
        self.cookie = ""

    async def login(self, user: str = "manager") -> Client:
        body = {"CompanyDB": "SBO_DEMO", "UserName": user, "Password": "erpsim"}
        async with self.http.post(f"{self.sim.url}/Login", json=body) as answer:
            session = (await answer.json(content_type=None))["SessionId"]
        self.cookie = f"B1SESSION={session}; ROUTEID=.node1"
        return self

    async def call(
        self, method: str, path: str, body: object = None, *, size: int | None = None, v2: bool = False
    ) -> tuple[int, Any, Any]:
        headers = {"Cookie": self.cookie}
        if size is not None:
            headers["Prefer"] = f"odata.maxpagesize={size}"
        url = URL(f"{self.sim.url_v2 if v2 else self.sim.url}/{path}", encoded=True)
        async with self.http.request(method, url, headers=headers, json=body) as answer:
            text = await answer.text()
            return answer.status, json.loads(text, parse_float=Decimal) if text else None, answer.headers


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    async with run_sim(listening=Listening(control_port=0)) as sim, aiohttp.ClientSession() as http:
        client = await Client(sim, http).login()
        for code, text in (("sql01", TEXT), ("by_code", BY_CODE), ("plain", "select ItemCode from oitm")):
            body = {"SqlCode": code, "SqlName": code, "SqlText": text}
            assert (await client.call("POST", "SQLQueries", body))[0] == 201
        yield client


@pytest.mark.asyncio
async def test_get_and_post_run_a_stored_query_identically(client: Client) -> None:
    by_get = await client.call("GET", "SQLQueries('sql01')/List?docTotal=10.1", size=5)
    by_post = await client.call("POST", "SQLQueries('sql01')/List", {"ParamList": "docTotal=10.1"}, size=5)
    assert (by_get[0], by_post[0]) == (200, 200)
    assert by_get[1] == by_post[1]
    answer = by_get[1]
    assert list(answer) == ["odata.metadata", "SqlText", "value", "odata.nextLink"]
    assert answer["odata.metadata"].endswith("/b1s/v1/$metadata#SAPB1.SQLQueryResult")
    assert list(answer["value"][0]) == ["Comments", "DocDate", "DocEntry", "DocTotal"]
    assert isinstance(answer["value"][0]["DocTotal"], Decimal)
    assert by_get[2]["Preference-Applied"] == "odata.maxpagesize=5"


@pytest.mark.asyncio
async def test_next_links_are_relative_and_lead_to_the_end(client: Client) -> None:
    path, observed = "SQLQueries('plain')/List", []
    while path:
        status, answer, _ = await client.call("GET", path, size=25)
        assert status == 200
        observed += [row["ItemCode"] for row in answer["value"]]
        path = answer.get("odata.nextLink", "")
        assert path in {"", "SQLQueries('plain')/List?&$skip=25", "SQLQueries('plain')/List?&$skip=50"}
    assert len(set(observed)) == 60
    _, answer, _ = await client.call("GET", "SQLQueries('sql01')/List?docTotal=10.1", size=5)
    assert answer["odata.nextLink"] == "SQLQueries('sql01')/List?docTotal=10.1&$skip=5"


@pytest.mark.asyncio
async def test_a_v2_stored_query_has_its_own_annotations(client: Client) -> None:
    status, answer, _ = await client.call("GET", "SQLQueries('plain')/List", v2=True)
    assert status == 200
    assert list(answer) == ["@odata.context", "SqlText", "value", "@odata.nextLink"]
    assert len(answer["value"]) == 20


@pytest.mark.asyncio
@pytest.mark.parametrize("code", ["O%27%27HIGGINS-10", "TUBO%203/4%20%26%20CODO", "50%25ALCOHOL", "N%2B1"])
async def test_encoded_texts_arrive_whole(client: Client, code: str) -> None:
    _, answer, _ = await client.call("GET", f"SQLQueries('by_code')/List?code='{code}'")
    assert len(answer["value"]) == 1


@pytest.mark.asyncio
async def test_invalid_parameters_and_query_texts_answer_400(client: Client) -> None:
    for path, body in (
        ("SQLQueries('by_code')/List", None),
        ("SQLQueries('by_code')/List", {"ParamList": "code=A"}),
        ("SQLQueries('by_code')/List", {"ParamList": "code='A';code='B'"}),
    ):
        status, answer, _ = await client.call("POST", path, body)
        assert (status, answer["error"]["code"]) == (400, 704)
    status, answer, _ = await client.call(
        "POST", "SQLQueries", {"SqlCode": "x", "SqlText": "select * from oitm"}
    )
    assert (status, answer["error"]["code"]) == (400, 701)
    assert (await client.call("GET", "SQLQueries('none')/List"))[0] == 404


@pytest.mark.asyncio
async def test_the_control_port_grants_and_revokes_query_rights(client: Client) -> None:
    normal = await Client(client.sim, client.http).login("bodega")
    assert (await normal.call("GET", "SQLQueries('plain')/List"))[1]["error"]["code"] == -6006
    rights = f"{client.sim.control_url}/query-rights"
    body = {"user": "bodega", "query": "plain"}
    for method, status in (("POST", 200), ("DELETE", 403)):
        async with client.http.request(method, rights, json=body) as answer:
            assert answer.status == 204
        assert (await normal.call("GET", "SQLQueries('plain')/List"))[0] == status
    async with client.http.post(rights, json={"user": "bodega"}) as answer:
        assert answer.status == 400
