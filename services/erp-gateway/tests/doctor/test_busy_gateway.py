"""While people work, the doctor is at most one call ahead of anybody: told by the ERP's own log of calls."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

import httpx2
import pytest
from installation import Installation

from erp_gateway.app import create_app
from erp_gateway.components import open_components
from erp_gateway.settings.root import load_settings
from erp_gateway.store.database import hold_process_lock
from erp_gateway.store.places import place_of
from erpsim.faults.calls import Call
from servicekit.clock import SystemClock

pytestmark = pytest.mark.asyncio

Install = Callable[..., AbstractAsyncContextManager[Installation]]

CALL_S: Final = 0.05
PEOPLE: Final = 3


@asynccontextmanager
async def serving(installation: Installation) -> AsyncIterator[httpx2.AsyncClient]:
    """Run the gateway, which holds its lock; yield an administrator's client."""
    settings = load_settings({**installation.environ, "ADMIN_WEB_USERS": "ana"})
    async with open_components(settings, clock=SystemClock()) as components:
        transport = httpx2.ASGITransport(create_app(components))
        async with httpx2.AsyncClient(transport=transport, base_url="http://gateway") as client:
            person = {"username": "ana", "password": "ana-demo"}
            answer = await client.post("/api/auth/login", json=person)
            assert answer.status_code == 200, answer.text
            client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
            yield client


async def work(client: httpx2.AsyncClient, until: asyncio.Event) -> None:
    """Read one list after another, as long as the doctor looks."""
    while not until.is_set():
        answer = await client.get("/api/sl/Items?$select=ItemCode&$top=1")
        assert answer.status_code == 200, answer.text


async def examined_beside(installation: Installation, *arguments: str) -> tuple[list[Call], list[Call]]:
    """Run the doctor while people work; return the gateway's calls and the doctor's."""
    async with serving(installation) as client:
        log = installation.sim.calls
        own = {call.session for call in log if call.session is not None}
        log.clear()
        over = asyncio.Event()
        people = [asyncio.create_task(work(client, over)) for _ in range(PEOPLE)]
        try:
            examined = await installation.examine(*arguments)
        finally:
            over.set()
            await asyncio.gather(*people)
        assert examined.found("fail") == {}
        calls = list(log)
    assert len(own) == 1
    return [call for call in calls if call.session in own], [
        call for call in calls if call.session not in own
    ]


def ahead_of(call: Call, others: Sequence[Call]) -> int:
    """Count the others that were under way when a call arrived."""
    return sum(
        other.started_at <= call.started_at and (other.ended_at is None or other.ended_at > call.started_at)
        for other in others
    )


async def test_users_wait_for_at_most_one_call_of_the_doctor(install: Install) -> None:
    async with install(call_delay_s=CALL_S) as installation:
        of_people, of_doctor = await examined_beside(installation)
    assert len(of_people) > 20
    assert len(of_doctor) > 50
    assert max(ahead_of(call, of_people) for call in of_people) == 1, "the gateway sends one at a time"
    assert max(ahead_of(call, of_doctor) for call in of_people) == 1


async def test_parallel_calls_are_only_measured_on_a_busy_service_if_requested(
    install: Install,
) -> None:
    async with install(call_delay_s=CALL_S) as installation:
        _, of_doctor = await examined_beside(installation, "--only", "service-layer", "--measure-parallel")
        assert max(ahead_of(call, of_doctor) for call in of_doctor) == 3
        settings = load_settings(installation.environ)
        with hold_process_lock(place_of(settings.store.path, settings.store.url)):
            beside = await installation.examine("--only", "service-layer")
            _, result, _ = await installation.run("--only", "service-layer")
            installation.environ["ERP_SL_MAX_CONCURRENCY"] = "6"
            too_many = await installation.examine("--only", "service-layer")
        installation.environ["ERP_SL_MAX_CONCURRENCY"] = "1"
        alone = await installation.examine("--only", "service-layer")
    assert beside.found("skipped")["service-layer.parallel"] == "service_running"
    assert beside.code == 0
    _, _, remarks = result.partition("\nSin mirar (no cuenta como bien):\n")
    assert "--measure-parallel" in remarks
    assert too_many.found("warn") == {"service-layer.parallel": "parallel_calls_unmeasured"}
    assert too_many.code == 1
    assert "service-layer.parallel" in alone.found("ok")
