"""The control port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp
import pytest

from erpsim.simulator import Listening, Simulator, run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
BAD_GATEWAY = {"method": "GET", "path": "Items*", "times": 2, "action": {"kind": "bad-gateway"}}


@asynccontextmanager
async def controlled() -> AsyncIterator[tuple[Simulator, aiohttp.ClientSession]]:
    async with run_sim(listening=Listening(control_port=0)) as sim:
        assert sim.control_url is not None
        async with aiohttp.ClientSession(base_url=sim.control_url) as control:
            yield sim, control


async def shown(control: aiohttp.ClientSession, path: str) -> Any:
    answer = await control.get(path)
    assert answer.status == 200
    return await answer.json()


async def test_faults_are_added_listed_and_removed(sign_in: SignIn) -> None:
    async with controlled() as (sim, control), sign_in(sim) as client:
        answer = await control.post("/faults", json=BAD_GATEWAY)
        assert (answer.status, await answer.json()) == (201, {"number": 1})
        [fault] = await shown(control, "/faults")
        assert fault["action"] == {"kind": "bad-gateway", "when": "before-work"}
        assert (await client.get("Items?$top=1")).status == 502
        assert (await control.delete("/faults/1")).status == 204
        assert (await client.get("Items?$top=1")).status == 200
        assert (await control.delete("/faults/1")).status == 404
        await control.post("/faults", json=BAD_GATEWAY)
        assert (await control.delete("/faults")).status == 204
        assert await shown(control, "/faults") == []


@pytest.mark.parametrize(
    ("body", "message"),
    [(b"{", "property name"), (b"{}", "`action` must be an object"), (b"\xff", "decode")],
)
async def test_a_wrong_fault_is_refused_with_a_reason(body: bytes, message: str) -> None:
    async with controlled() as (_, control):
        answer = await control.post("/faults", data=body)
        assert answer.status == 400
        assert message in (await answer.json())["error"]


async def test_calls_are_shown_chosen_and_forgotten(sign_in: SignIn) -> None:
    async with controlled() as (sim, control), sign_in(sim) as client:
        await client.post("Items", json={"ItemCode": "T1", "ItemName": "x"})
        everything = await shown(control, "/calls")
        assert (everything["total"], everything["max_in_flight"], everything["in_flight"]) == (2, 1, 0)
        chosen = await shown(control, "/calls?method=POST&path=Items")
        [call] = chosen["calls"]
        assert (call["user"], call["session"], call["status"], call["worked"]) == ("manager", 1, 201, True)
        assert '"T1"' in call["body"]
        [login] = (await shown(control, "/calls?path=Login"))["calls"]
        assert login["body"] == ""
        assert (await control.delete("/calls")).status == 204
        assert (await shown(control, "/calls"))["calls"] == []


async def test_the_overview_counts_sessions_faults_and_calls(sign_in: SignIn) -> None:
    async with controlled() as (sim, control), sign_in(sim):
        assert await shown(control, "/") == {"running": True, "sessions": 1, "faults": 0, "calls": 1}


async def test_sessions_can_be_ended(sign_in: SignIn) -> None:
    async with controlled() as (sim, control), sign_in(sim) as client:
        assert (await control.delete("/sessions")).status == 204
        assert (await client.get("Items?$top=1")).status == 401


async def test_idle_connections_can_be_cut(sign_in: SignIn) -> None:
    async with controlled() as (sim, control), sign_in(sim) as client:
        await (await client.get("Items?$top=1")).read()
        answer = await control.post("/cut-idle-connections")
        assert (await answer.json())["closed"] >= 1


async def test_a_reset_restores_the_seed(sign_in: SignIn) -> None:
    async with controlled() as (sim, control), sign_in(sim) as client:
        await client.post("Items", json={"ItemCode": "T1", "ItemName": "x"})
        await control.post("/faults", json=BAD_GATEWAY)
        assert (await control.post("/reset")).status == 204
        assert (await client.get("Items?$top=1")).status == 401
        async with sign_in(sim) as again:
            assert (await again.get("Items('T1')")).status == 404
        assert await shown(control, "/faults") == []


async def test_other_control_addresses_answer_404() -> None:
    async with controlled() as (_, control):
        assert (await control.get("/nothing")).status == 404
        assert (await control.post("/")).status == 404


async def test_the_control_port_is_off_by_default() -> None:
    async with run_sim() as sim:
        assert sim.control_url is None


@pytest.mark.parametrize("body", [{}, {"user": "bodega"}, []])
async def test_a_right_without_user_or_query_is_refused_with_a_reason(body: Any) -> None:
    async with controlled() as (_, control):
        answer = await control.post("/query-rights", json=body)
        assert answer.status == 400
        assert '"user" and "query"' in (await answer.json())["error"]
