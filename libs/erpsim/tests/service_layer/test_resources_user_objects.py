"""User tables and objects over the wire: change sets with fences, and what a restart shows."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from erpsim.company.switches import MetadataVisible, Switches
from erpsim.simulator import Simulator, run_sim

BAD_RETURN = '{"CardCode": "NONE", "DocumentLines": [{"ItemCode": "A/1"}]}'


class Client:
    """A client that is signed in as the superuser and sends its cookies by hand."""

    def __init__(self, sim: Simulator, http: aiohttp.ClientSession) -> None:
        self.sim = sim
        self.http = http
        self.cookie = ""

    async def login(self) -> None:
        body = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": "erpsim"}
        async with self.http.post(f"{self.sim.url}/Login", json=body) as answer:
            session = (await answer.json(content_type=None))["SessionId"]
        self.cookie = f"B1SESSION={session}; ROUTEID=.node1"

    async def call(self, method: str, path: str, **arguments: Any) -> tuple[int, str]:
        headers = {"Cookie": self.cookie, **arguments.pop("headers", {})}
        url = f"{self.sim.url}/{path}"
        async with self.http.request(method, url, headers=headers, **arguments) as answer:
            return answer.status, await answer.text()

    async def change_set(self, *requests: tuple[str, str]) -> tuple[int, str]:
        parts = "".join(
            "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
            f"Content-ID: {number}\r\n\r\nPOST /b1s/v1/{path}\r\n\r\n{body}\r\n"
            for number, (path, body) in enumerate(requests, 1)
        )
        text = f"--b\r\nContent-Type: multipart/mixed;boundary=c\r\n\r\n{parts}--c--\r\n--b--\r\n"
        headers = {"Content-Type": "multipart/mixed;boundary=b"}
        return await self.call("POST", "$batch", data=text.encode(), headers=headers)


async def signed_in(sim: Simulator, http: aiohttp.ClientSession) -> Client:
    client = Client(sim, http)
    await client.login()
    return client


@pytest.mark.asyncio
@pytest.mark.parametrize("rolls_back", [True, False])
async def test_a_table_row_is_rolled_back_with_an_invalid_return(*, rolls_back: bool) -> None:
    switches = Switches(user_tables_roll_back=rolls_back)
    async with run_sim(switches=switches) as sim, aiohttp.ClientSession() as http:
        client = await signed_in(sim, http)
        assert (await client.call("POST", "UserTablesMD", json={"TableName": "LIB_CLAVE"}))[0] == 201
        status, text = await client.change_set(
            ("U_LIB_CLAVE", '{"Code": "K1"}'), ("PurchaseReturns", BAD_RETURN)
        )
        assert status == 202
        assert "400 Bad Request" in text
        found, _ = await client.call("GET", "U_LIB_CLAVE('K1')")
        assert found == (404 if rolls_back else 200)


@pytest.mark.asyncio
async def test_after_a_restart_a_new_object_is_visible_and_keeps_its_rows() -> None:
    switches = Switches(metadata_visible=MetadataVisible.AFTER_RESTART)
    async with run_sim(switches=switches) as sim, aiohttp.ClientSession() as http:
        client = await signed_in(sim, http)
        await client.call("POST", "UserTablesMD", json={"TableName": "LIB_CLAVE"})
        await client.login()
        status, text = await client.call("GET", "U_LIB_CLAVE")
        assert (status, '"code" : 200' in text) == (400, True)
        assert "LIB_CLAVE" not in (await client.call("GET", "$metadata"))[1]
        sim.restart()
        assert (await client.call("GET", "U_LIB_CLAVE"))[0] == 401
        await client.login()
        assert (await client.call("GET", "U_LIB_CLAVE"))[0] == 200
        assert "U_LIB_CLAVE" in (await client.call("GET", "$metadata"))[1]
