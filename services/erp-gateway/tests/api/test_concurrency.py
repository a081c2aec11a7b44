"""Many requests at once through the whole service: one login, fair turns, one's own writes read back."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from erpclient import QueueStats
from erpsim.company.switches import Switches
from erpsim.faults import Delay, Fault, Refuse
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator


async def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.001)


@pytest.mark.asyncio
async def test_a_refused_service_account_is_tried_once_for_all_users(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    sim.faults.add(
        Fault(action=Refuse(status=401, code=100000027, text="Login failed"), path="Login", times=None)
    )
    before = len(sim.calls.of("POST", "Login"))
    sim.sessions.end_all()
    for _ in range(3):
        answers = await asyncio.gather(
            *(gateway.http.get(f"/api/sl/Items?$skip={n}", headers=(ana, luis)[n % 2]) for n in range(20)),
            gateway.log_in("carmen", "carmen-demo"),
        )
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {
            (502, "upstream_login_failed")
        }
    assert len(sim.calls.of("POST", "Login")) == before + 1


@pytest.mark.asyncio
@pytest.mark.parametrize("concurrency", [1, 2, 5])
async def test_no_more_calls_are_in_flight_than_configured(
    open_gateway: "OpenGateway", concurrency: int
) -> None:
    async with (
        run_sim(switches=Switches(call_delay_s=0.1)) as sim,
        open_gateway(sim, ERP_SL_MAX_CONCURRENCY=str(concurrency)) as gateway,
    ):
        ana = await gateway.signed_in()
        await asyncio.gather(
            *(
                gateway.http.get(f"/api/sl/Items?$top=1&$skip={n}", headers=ana)
                for n in range(3 * concurrency)
            )
        )
        assert sim.calls.max_in_flight == concurrency


@pytest.mark.asyncio
async def test_a_read_after_a_users_own_write_returns_the_new_value(open_gateway: "OpenGateway") -> None:
    async with (
        run_sim(switches=Switches(call_delay_s=0.003)) as sim,
        open_gateway(sim, ERP_SL_MAX_CONCURRENCY="2") as gateway,
    ):
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        address = "/api/sl/Items/N+1?$select=ItemName".replace("+", "%2B")
        stop = asyncio.Event()

        async def keep_reading() -> int:
            reads = 0
            while not stop.is_set():
                await gateway.http.get(address, headers=luis)
                reads += 1
            return reads

        readers = [asyncio.create_task(keep_reading()) for _ in range(4)]
        for number in range(25):
            name = f"nombre {number}"
            written = await gateway.http.patch("/api/sl/Items/N%2B1", json={"ItemName": name}, headers=ana)
            assert written.status_code == 204
            assert (await gateway.http.get(address, headers=ana)).json()["ItemName"] == name
        stop.set()
        assert sum(await asyncio.gather(*readers)) > 25


@pytest.mark.asyncio
async def test_one_users_many_reads_delay_another_user_by_at_most_one_call(
    open_gateway: "OpenGateway",
) -> None:
    async with run_sim(switches=Switches(call_delay_s=0.02)) as sim, open_gateway(sim) as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        many = [
            asyncio.create_task(gateway.http.get(f"/api/sl/Items?$top=1&$skip={n}", headers=ana))
            for n in range(200)
        ]
        await until(lambda: gateway.components.client.queue_stats.waiting >= 199)
        before = sim.calls.total
        answer = await gateway.http.get("/api/sl/Warehouses?$top=1", headers=luis)
        assert answer.status_code == 200
        assert sim.calls.total - before <= 2
        for task in many:
            task.cancel()
        await asyncio.gather(*many, return_exceptions=True)


@pytest.mark.asyncio
async def test_a_signed_in_user_is_delayed_by_at_most_one_password_guess(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.2), path="EmployeesInfo", times=None))
    before = len(sim.calls.of("GET", "EmployeesInfo"))
    guesses = [
        asyncio.create_task(gateway.log_in(f"stranger{number}", "guess", ip=f"10.0.2.{number}"))
        for number in range(12)
    ]
    await until(lambda: len(sim.calls.of("GET", "EmployeesInfo")) > before)
    reading = asyncio.create_task(gateway.http.get("/api/sl/Warehouses", headers=ana))
    await until(lambda: bool(sim.calls.of("GET", "Warehouses")))
    assert len(sim.calls.of("GET", "EmployeesInfo")) - before <= 2  # the one under way, and one more turn
    assert (await reading).status_code == 200
    assert {answer.status_code for answer in await asyncio.gather(*guesses)} == {401}


@pytest.mark.asyncio
async def test_a_full_queue_rejects_at_once_and_sends_nothing(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ERP_SL_QUEUE_LIMIT="2", ERP_SL_QUEUE_PER_USER="2") as gateway:
        ana = await gateway.signed_in()
        sim.faults.add(Fault(action=Delay(seconds=0.5), path="Items"))
        held = [
            asyncio.create_task(gateway.http.get(f"/api/sl/Items?$skip={n}", headers=ana)) for n in range(3)
        ]
        await until(lambda: gateway.components.client.queue_stats.waiting == 2)
        before = sim.calls.total
        answer = await gateway.http.get("/api/sl/Items?$skip=9", headers=ana)
        assert not any(request.done() for request in held)
        assert (answer.status_code, answer.json()["code"]) == (503, "queue_full")
        assert int(answer.headers["Retry-After"]) > 0
        assert sim.calls.total == before
        await asyncio.gather(*held)


@pytest.mark.asyncio
async def test_two_users_who_fill_the_queue_do_not_block_the_others(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ERP_SL_QUEUE_LIMIT="40", ERP_SL_QUEUE_PER_USER="20") as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        carmen = await gateway.signed_in("carmen")
        sim.faults.add(Fault(action=Delay(seconds=2), path="Items"))

        def send(who: dict[str, str], *numbers: int) -> "list[asyncio.Task[httpx2.Response]]":
            paths = (f"/api/sl/Items?$top=1&$skip={number}" for number in numbers)
            return [asyncio.create_task(gateway.http.get(path, headers=who)) for path in paths]

        def waiting() -> list[int]:
            return sorted(wait.waiting for wait in gateway.components.client.queue_waits)

        flood = send(luis, *range(21))
        await until(lambda: sum(waiting()) == 20)
        refused = await gateway.http.get("/api/sl/Items?$skip=21", headers=luis)
        assert (refused.status_code, refused.json()["code"]) == (503, "queue_full")
        flood += send(carmen, *range(30, 45))
        newcomers = [
            *send(ana, 50, 51),
            asyncio.create_task(gateway.log_in("carmen", "wrong", ip="10.0.2.9")),
        ]
        await until(lambda: sum(waiting()) == 23)
        assert waiting() == [1, 2, 10, 10], "luis lost ten of twenty places to carmen"
        answers = await asyncio.gather(*newcomers)
        assert [answer.status_code for answer in answers] == [200, 200, 401]
        codes = Counter(answer.status_code for answer in await asyncio.gather(*flood))
        assert codes == {200: 21, 503: 15}


@pytest.mark.asyncio
async def test_a_write_evicted_from_the_queue_is_recorded_as_not_sent(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ERP_SL_QUEUE_LIMIT="2") as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        carmen = await gateway.signed_in("carmen")
        granted = {"paths": ["/ventas/pedidos/*"]}
        assert (await gateway.http.put("/api/permissions/luis", json=granted, headers=ana)).is_success
        sim.faults.add(Fault(action=Delay(seconds=0.5), path="Items"))
        client = gateway.components.client
        reads = [asyncio.create_task(gateway.http.get("/api/sl/Items?$skip=1", headers=luis))]
        await until(lambda: client.queue_stats == QueueStats(0, 1))
        reads.append(asyncio.create_task(gateway.http.get("/api/sl/Items?$skip=2", headers=luis)))
        await until(lambda: client.queue_stats == QueueStats(1, 1))
        change = gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=luis)
        writing = asyncio.create_task(change)
        await until(lambda: client.queue_stats == QueueStats(2, 1))
        reads.append(asyncio.create_task(gateway.http.get("/api/sl/Warehouses", headers=carmen)))
        refused = await writing
        assert (refused.status_code, refused.json()["code"]) == (503, "queue_full")
        assert {answer.status_code for answer in await asyncio.gather(*reads)} == {200}
        assert sim.calls.of("PATCH", "Orders(1)") == []
        recorded = await gateway.http.get("/api/writes?resultado=not_sent", headers=ana)
        assert recorded.json()["total"] == 1


@pytest.mark.asyncio
async def test_a_request_over_the_queue_timeout_is_rejected_and_not_sent(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ERP_SL_QUEUE_TIMEOUT="0.1") as gateway:
        ana = await gateway.signed_in()
        sim.faults.add(Fault(action=Delay(seconds=0.5), path="Items"))
        holding = asyncio.create_task(gateway.http.get("/api/sl/Items", headers=ana))
        await until(lambda: len(sim.calls.of("GET", "Items")) == 1)
        answer = await gateway.http.get("/api/sl/Warehouses", headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (503, "queue_timeout")
        await holding
        assert sim.calls.of("GET", "Warehouses") == []


@pytest.mark.asyncio
async def test_drain_rejects_queued_requests_and_lets_running_ones_finish(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.5), path="Items"))
    running = asyncio.create_task(gateway.http.get("/api/sl/Items?$top=1", headers=ana))
    await until(lambda: len(sim.calls.of("GET", "Items")) == 1)
    waiting = asyncio.create_task(gateway.http.get("/api/sl/Warehouses", headers=ana))
    await until(lambda: gateway.components.client.queue_stats.waiting == 1)
    gateway.components.client.drain()
    refused = await waiting
    assert not running.done()
    assert (refused.status_code, refused.json()["code"]) == (503, "shutting_down")
    assert (await running).status_code == 200
