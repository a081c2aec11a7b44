"""A repeat with the same key gets the same answer, and never makes a second document."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from erp_gateway.audit.store import AuditFilter
from erp_gateway.values.audit_event import AuditAction
from erpsim.company.switches import Switches
from erpsim.faults import Answer, BadGateway, Delay, Drop, Fault, When
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}
LARGE = 300 * 1024


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the store for writing, as another process would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def ask_store(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as other:
        return other.execute(sql).fetchall()


async def create(
    gateway: "Gateway", headers: dict[str, str], key: str = "k-1", body: object = ORDER
) -> "httpx2.Response":
    return await gateway.http.post("/api/sl/Orders", json=body, headers={**headers, "Idempotency-Key": key})


def told(answer: "httpx2.Response") -> tuple[Any, ...]:
    """Return what a repeated answer must have like the first one."""
    return (
        answer.status_code,
        answer.content,
        answer.headers.get("Content-Type"),
        answer.headers.get("Location"),
        answer.headers.get("ETag"),
    )


def replayed(answer: "httpx2.Response") -> bool:
    return answer.headers.get("Idempotency-Replayed") == "true"


async def until_sent(sim: "Simulator", method: str, path: str) -> None:
    async with asyncio.timeout(30):
        while not sim.calls.of(method, path):  # noqa: ASYNC110 - the simulator has no event for it
            await asyncio.sleep(0.001)


@pytest.mark.asyncio
async def test_a_repeated_request_gets_the_recorded_response_across_restarts(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        first = await create(gateway, ana)
        assert (first.status_code, replayed(first)) == (201, False)
        again = await create(gateway, ana, '"k-1"')
        assert (told(again), replayed(again)) == (told(first), True)
    async with open_gateway(sim) as gateway:
        again = await create(gateway, await gateway.signed_in())
        assert (told(again), replayed(again)) == (told(first), True)
        assert again.headers["Location"] == f"/api/sl/Orders/{first.json()['DocEntry']}"
    assert len(sim.calls.of("POST", "Orders")) == 1


@pytest.mark.asyncio
async def test_repeated_changes_and_actions_are_sent_once(gateway: "Gateway", sim: "Simulator") -> None:
    ana = {**await gateway.signed_in(), "Idempotency-Key": "k"}
    page = (await gateway.http.get("/api/sl/IncomingPayments?$top=1", headers=ana)).json()
    entry = page["value"][0]["DocEntry"]
    for method, path, upstream, body in (
        ("PATCH", "/api/sl/Orders/1", "Orders(1)", {"Comments": "x"}),
        ("POST", f"/api/sl/IncomingPayments/{entry}/Cancel", f"IncomingPayments({entry})/Cancel", {}),
    ):
        headers = {**ana, "Idempotency-Key": upstream}
        first = await gateway.http.request(method, path, json=body, headers=headers)
        again = await gateway.http.request(method, path, json=body, headers=headers)
        assert (first.status_code, replayed(first)) == (204, False)
        assert (told(again), replayed(again)) == (told(first), True)
        assert len(sim.calls.of(method, upstream)) == 1


@pytest.mark.asyncio
async def test_twenty_parallel_requests_with_one_key_make_one_document(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        sim.faults.add(Fault(action=Delay(seconds=0.3), method="POST", path="Orders"))
        answers = await asyncio.gather(*(create(gateway, ana) for _ in range(20)))
        assert len({told(answer) for answer in answers}) == 1
        assert sorted(map(replayed, answers)) == [False, *[True] * 19]
        assert answers[0].status_code == 201
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        later = await asyncio.gather(*(create(gateway, ana) for _ in range(20)))
        assert {told(answer) for answer in later} == {told(answers[0])}
        assert all(map(replayed, later))
    assert len(sim.calls.of("POST", "Orders")) == 1


@pytest.mark.asyncio
async def test_parallel_requests_behind_a_refused_one_get_the_same_refusal(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.2), method="POST", path="Orders"))
    bad = {**ORDER, "CardCode": "nobody"}
    answers = await asyncio.gather(*(create(gateway, ana, body=bad) for _ in range(5)))
    assert {answer.json()["code"] for answer in answers} == {"upstream_rejected"}
    assert len({told(answer) for answer in answers}) == 1
    assert len(sim.calls.of("POST", "Orders")) == 1


@pytest.mark.asyncio
async def test_with_a_read_only_store_an_idempotent_write_is_not_sent(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    with locked(store_path):
        another = {**ORDER, "Comments": "x"}  # nobody can say whether the key is taken, so no 422 either
        answers = await asyncio.gather(
            *(create(gateway, ana) for _ in range(20)), create(gateway, ana, body=another)
        )
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {
        (503, "ledger_unavailable")
    }
    assert sim.calls.of("POST", "Orders") == []
    # one waited for the store, and all others for that one, unless they began later
    tried = AuditFilter(action=AuditAction.SL_CREATE)
    async with asyncio.timeout(60):
        while True:  # until the store has taken what it was busy with
            await gateway.components.recorder.write_pending()
            page = await gateway.components.audit_store.find(tried, page=1, page_size=100)
            if page.entries:
                break
            await asyncio.sleep(0.02)
    assert {each.reason for each in page.entries} == {"ledger_unavailable"}
    assert len(page.entries) < 5
    assert (await create(gateway, ana)).status_code == 201


@pytest.mark.asyncio
async def test_a_different_request_with_the_same_key_is_refused(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.2), method="POST", path="Orders"))
    running = asyncio.create_task(create(gateway, ana))
    await until_sent(sim, "POST", "Orders")
    key = {**ana, "Idempotency-Key": "k-1"}
    others = [
        await create(gateway, ana, body={**ORDER, "Comments": "x"}),
        await gateway.http.post("/api/sl/Quotations", json=ORDER, headers=key),
        await gateway.http.patch("/api/sl/Orders/1", json=ORDER, headers=key),
    ]
    await running
    others.append(await create(gateway, ana, body={**ORDER, "Comments": "x"}))
    assert {(answer.status_code, answer.json()["code"]) for answer in others} == {
        (422, "idempotency_key_reused")
    }
    assert len(sim.calls.of("POST", "Orders")) == 1
    assert (sim.calls.of("POST", "Quotations"), sim.calls.of("PATCH", "Orders(1)")) == ([], [])


@pytest.mark.asyncio
async def test_replacing_lines_and_merging_lines_are_different_requests(gateway: "Gateway") -> None:
    ana = {**await gateway.signed_in(), "Idempotency-Key": "k"}
    body = {"Comments": "x"}
    merged = await gateway.http.patch("/api/sl/Orders/1", json=body, headers=ana)
    replacing = {**ana, "B1S-ReplaceCollectionsOnPatch": "true"}
    replaced = await gateway.http.patch("/api/sl/Orders/1", json=body, headers=replacing)
    assert (merged.status_code, replaced.status_code) == (204, 422)


@pytest.mark.asyncio
async def test_the_same_key_of_two_users_is_two_keys(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/pedidos/*"]}, headers=ana)
    luis = await gateway.signed_in("luis")
    answers = [await create(gateway, ana), await create(gateway, luis)]
    assert [(answer.status_code, replayed(answer)) for answer in answers] == [(201, False)] * 2
    assert len(sim.calls.of("POST", "Orders")) == 2


@pytest.mark.asyncio
async def test_an_unknown_first_outcome_blocks_repeats_until_resolved(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="Orders"))
    assert (await create(gateway, ana)).json()["code"] == "outcome_unknown"
    stopped = await create(gateway, ana)
    assert (stopped.status_code, stopped.json()["code"]) == (409, "first_outcome_unknown")
    assert (stopped.json()["nextStep"], stopped.json()["write"]["result"]) == ("look", "unknown")
    number = stopped.json()["write"]["id"]
    assert (await gateway.http.get(stopped.json()["write"]["url"], headers=ana)).json()["id"] == number
    done = {"result": "done", "key": "118"}
    await gateway.http.post(f"/api/writes/{number}/settle", json=done, headers=ana)
    answer = await create(gateway, ana)
    assert (answer.status_code, answer.content, replayed(answer)) == (201, b"", True)
    assert answer.headers["Location"] == "/api/sl/Orders/118"
    assert len(sim.calls.of("POST", "Orders")) == 1


@pytest.mark.asyncio
async def test_a_late_resolution_extends_the_key_by_its_lifetime(
    gateway: "Gateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="Orders"))
    number = (await create(gateway, await gateway.signed_in())).json()["write"]["id"]
    clock.advance(62 * 3600)
    ana = await gateway.signed_in()
    done = {"result": "done", "key": "118"}
    await gateway.http.post(f"/api/writes/{number}/settle", json=done, headers=ana)
    await gateway.components.writes.ledger.tidy()
    clock.advance(24 * 3600 - 1)
    answer = await create(gateway, await gateway.signed_in())
    assert (answer.status_code, replayed(answer)) == (201, True)
    assert answer.headers["Location"] == "/api/sl/Orders/118"
    assert len(sim.calls.of("POST", "Orders")) == 1
    clock.advance(1)
    assert not replayed(await create(gateway, await gateway.signed_in()))


@pytest.mark.asyncio
async def test_a_lost_change_resolved_as_done_is_replayed_as_done(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = {**await gateway.signed_in(), "Idempotency-Key": "k"}
    sim.faults.add(Fault(action=BadGateway(), method="PATCH", path="Orders(1)"))

    async def change() -> "httpx2.Response":
        return await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)

    assert (await change()).status_code == 502
    url = (await change()).json()["write"]["url"]
    await gateway.http.post(f"{url}/settle", json={"result": "done"}, headers=ana)
    answer = await change()
    assert (answer.status_code, replayed(answer)) == (204, True)


@pytest.mark.asyncio
async def test_a_write_certainly_not_done_is_sent_again_with_the_same_key(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    refusal = Answer(status=400, body='{"error":{"code":-10,"message":{"lang":"en-us","value":"no"}}}')
    sim.faults.add(Fault(action=refusal, method="POST", path="Orders"))
    assert (await create(gateway, ana)).json()["code"] == "upstream_rejected"
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="Orders"))
    assert (await create(gateway, ana)).json()["code"] == "outcome_unknown"
    url = (await create(gateway, ana)).json()["write"]["url"]
    await gateway.http.post(f"{url}/settle", json={"result": "not_done"}, headers=ana)
    answer = await create(gateway, ana)
    assert (answer.status_code, replayed(answer)) == (201, False)


@pytest.mark.asyncio
async def test_a_possible_approval_is_replayed_and_never_sent_again(open_gateway: "OpenGateway") -> None:
    switches = Switches(approval_procedure=frozenset({"Orders"}))
    async with run_sim(switches=switches) as sim:
        async with open_gateway(sim, ERP_SL_USER="bodega") as gateway:
            first = await create(gateway, await gateway.signed_in())
        async with open_gateway(sim, ERP_SL_USER="bodega") as gateway:
            again = await create(gateway, await gateway.signed_in())
        assert (first.status_code, first.json()["code"]) == (400, "maybe_in_approval")
        assert (told(again), replayed(again)) == (told(first), True)
        assert len(sim.calls.of("POST", "Orders")) == 1


@pytest.mark.asyncio
async def test_an_oversized_response_is_replayed_without_its_body(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    made = json.dumps({"DocEntry": 7, "Comments": "x" * LARGE})
    sim.faults.add(Fault(action=Answer(status=201, body=made), method="POST", path="Orders"))
    first, again = await create(gateway, ana), await create(gateway, ana)
    assert (first.status_code, first.json()) == (201, json.loads(made))
    assert (again.status_code, again.content, again.headers["Location"]) == (201, b"", "/api/sl/Orders/7")
    assert ask_store(store_path, "SELECT body FROM ledger_answer") == [(None,)]


@pytest.mark.asyncio
async def test_recorded_responses_are_stored_separately_and_expire(
    gateway: "Gateway", sim: "Simulator", clock: "ManualClock", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    first = await create(gateway, ana, "planted-key")
    clock.advance(24 * 3600 - 1)
    ana = await gateway.signed_in()
    assert replayed(await create(gateway, ana, "planted-key"))
    (kept,) = ask_store(store_path, "SELECT body FROM ledger_answer")
    assert kept[0] == first.content
    for table in ("audit_log", "ledger_write", "ledger_key"):
        assert "planted" not in str(ask_store(store_path, f"SELECT * FROM {table}"))
        assert "DocNum" not in str(ask_store(store_path, f"SELECT * FROM {table}"))
    clock.advance(1)
    fresh = await create(gateway, ana, "planted-key")
    assert (fresh.status_code, replayed(fresh)) == (201, False)
    clock.advance(24 * 3600)
    await gateway.components.writes.ledger.tidy()
    assert ask_store(store_path, "SELECT * FROM ledger_answer") == []
    assert ask_store(store_path, "SELECT * FROM ledger_key") == []
    assert len(ask_store(store_path, "SELECT * FROM ledger_write")) == 2


@pytest.mark.asyncio
async def test_a_key_with_an_unknown_outcome_outlives_its_lifetime(
    gateway: "Gateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="Orders"))
    await create(gateway, ana)
    clock.advance(48 * 3600)
    await gateway.components.writes.ledger.tidy()
    assert (await create(gateway, await gateway.signed_in())).json()["code"] == "first_outcome_unknown"


@pytest.mark.asyncio
async def test_a_revoked_permission_also_blocks_the_recorded_response(
    gateway: "Gateway",
) -> None:
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/pedidos/*"]}, headers=ana)
    luis = await gateway.signed_in("luis")
    assert (await create(gateway, luis)).status_code == 201
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/pedidos"]}, headers=ana)
    assert (await create(gateway, luis)).json()["code"] == "permission_denied"


@pytest.mark.asyncio
async def test_an_invalid_key_is_refused_and_read_only_actions_ignore_the_key(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    bad = await create(gateway, ana, "a b")
    assert (bad.status_code, bad.json()["code"]) == (400, "idempotency_key_bad_value")
    assert sim.calls.of("POST", "Orders") == []
    series = {"DocumentTypeParams": {"Document": "17"}}
    for _ in range(2):
        answer = await gateway.http.post(
            "/api/sl/SeriesService_GetDocumentSeries", json=series, headers={**ana, "Idempotency-Key": "k"}
        )
        assert (answer.status_code, replayed(answer)) == (200, False)


@pytest.mark.asyncio
async def test_a_response_the_store_rejected_is_replayed_from_memory(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.3), method="POST", path="Orders"))
    creating = asyncio.create_task(create(gateway, ana))
    await until_sent(sim, "POST", "Orders")
    with locked(store_path):
        first = await creating
        again = await create(gateway, ana)
        assert (first.status_code, told(again), replayed(again)) == (201, told(first), True)
    await gateway.components.recorder.write_pending()
    await gateway.components.writes.ledger.tidy()
    assert told(await create(gateway, ana)) == told(first)
    assert len(sim.calls.of("POST", "Orders")) == 1
