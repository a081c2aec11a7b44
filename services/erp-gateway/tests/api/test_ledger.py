"""No write without a trace: a row before the first byte, its outcome after, what a crash leaves is told."""

import asyncio
import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from erpsim.faults import BadGateway, Delay, Drop, Fault, When

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "Comments": "planted-comment",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 2.5, "UnitPrice": 1000.10}],
}


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the ledger as another process sees it, oldest first."""
    with closing(sqlite3.connect(path)) as other:
        other.row_factory = sqlite3.Row
        return [dict(row) for row in other.execute("SELECT * FROM ledger_write ORDER BY id")]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the store for writing, as another process would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def until_sent(sim: "Simulator", method: str, path: str) -> None:
    async with asyncio.timeout(30):
        while not sim.calls.of(method, path):  # noqa: ASYNC110 - the simulator has no event for it
            await asyncio.sleep(0.001)


@pytest.mark.asyncio
async def test_a_write_has_a_ledger_row_before_sending_and_an_outcome_afterwards(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = {**await gateway.signed_in(), "X-Request-ID": "r-1"}
    sim.faults.add(Fault(action=Delay(seconds=0.3), method="POST", path="Orders"))
    creating = asyncio.create_task(gateway.http.post("/api/sl/Orders", json=ORDER, headers=ana))
    await until_sent(sim, "POST", "Orders")
    (row,) = rows(store_path)
    assert (row["state"], row["kind"], row["resource"], row["key"]) == ("open", "create", "Orders", None)
    assert (row["web_user"], row["ip"], row["request_id"]) == ("ana", "10.0.0.7", "r-1")
    assert (row["reason"], row["ended_at"], row["at"]) == (None, None, "2026-03-02T14:05:09.120Z")
    created = await creating
    (row,) = rows(store_path)
    assert (row["state"], row["key"]) == ("done", str(created.json()["DocEntry"]))
    assert row["ended_at"] == "2026-03-02T14:05:09.120Z"


@pytest.mark.asyncio
async def test_the_ledger_row_is_committed_while_the_call_is_queued(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.5), method="GET", path="Items"))
    reading = asyncio.create_task(gateway.http.get("/api/sl/Items", headers=ana))
    await until_sent(sim, "GET", "Items")
    writing = asyncio.create_task(gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana))
    async with asyncio.timeout(30):
        while not rows(store_path):  # noqa: ASYNC110 - nobody tells of a commit
            await asyncio.sleep(0.001)
    assert not reading.done()
    assert sim.calls.of("PATCH", "Orders(1)") == []
    await asyncio.gather(reading, writing)
    assert [(row["kind"], row["key"], row["state"]) for row in rows(store_path)] == [("update", "1", "done")]


@pytest.mark.asyncio
async def test_a_ledger_row_contains_field_names_and_no_values(gateway: "Gateway", store_path: Path) -> None:
    ana = await gateway.signed_in()
    body = b'{"Comments":"planted-comment"}'
    headers = {**ana, "Content-Type": "application/json"}
    await gateway.http.patch("/api/sl/Orders/1", content=body, headers=headers)
    await gateway.http.patch("/api/sl/Orders/1", content=body, headers=headers)
    await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "other"}, headers=ana)
    first, second, third = rows(store_path)
    assert third["body_mac"] != first["body_mac"]
    assert first["fields"] == '["Comments"]'
    assert first["body_mac"] == second["body_mac"] != hashlib.sha256(body).digest()
    assert "planted" not in str(first)
    with closing(sqlite3.connect(store_path)) as other:
        (secret,) = other.execute("SELECT secret FROM ledger_secret").fetchone()
    assert len(secret) == 32


@pytest.mark.asyncio
async def test_refused_unsent_and_unknown_writes_have_different_states(
    open_gateway: "OpenGateway", sim: "Simulator", store_path: Path
) -> None:
    async with open_gateway(sim, ERP_SL_QUEUE_TIMEOUT="0.1") as gateway:
        ana = await gateway.signed_in()

        async def change(key: int) -> int:
            answer = await gateway.http.patch(f"/api/sl/Orders/{key}", json={"Comments": "x"}, headers=ana)
            return answer.status_code

        assert await change(987654) == 404
        sim.faults.add(Fault(action=BadGateway(), method="PATCH", path="Orders(1)"))
        assert await change(1) == 502
        sim.faults.add(Fault(action=Delay(seconds=0.5), method="GET", path="Items"))
        reading = asyncio.create_task(gateway.http.get("/api/sl/Items", headers=ana))
        await until_sent(sim, "GET", "Items")
        assert await change(1) == 503
        await reading
        cancelled = await gateway.http.post("/api/sl/IncomingPayments/987654/Cancel", headers=ana)
        assert cancelled.status_code >= 400
    found = [(row["kind"], row["state"], row["reason"]) for row in rows(store_path)]
    assert found == [
        ("update", "refused", "record_not_found"),
        ("update", "unknown", "outcome_unknown"),
        ("update", "not_sent", "queue_timeout"),
        ("action", "refused", found[3][2]),
    ]
    assert rows(store_path)[3]["fields"] == '["Cancel()"]'


@pytest.mark.asyncio
async def test_an_action_that_only_reads_is_no_write(gateway: "Gateway", store_path: Path) -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.post(
        "/api/sl/SeriesService_GetDocumentSeries",
        json={"DocumentTypeParams": {"Document": "17"}},
        headers=ana,
    )
    assert answer.status_code == 200
    assert rows(store_path) == []


@pytest.mark.asyncio
async def test_a_write_without_ledger_row_is_counted_and_recorded_later(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    with locked(store_path), capture_logs() as logs:
        answer = await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
        assert rows(store_path) == []
    assert answer.status_code == 204
    assert len(sim.calls.of("PATCH", "Orders(1)")) == 1
    (line,) = [line for line in logs if line["event"] == "write_row_failed"]
    assert (line["resource"], line["required"], line["error"]) == ("Orders", False, "StoreUnavailable")
    assert gateway.components.metrics_registry.get_sample_value("ledger_failures_total") == 1
    async with asyncio.timeout(30):
        while not rows(store_path):  # the first attempt may be on its way still, and is not owed then
            await gateway.components.recorder.write_pending()
            await asyncio.sleep(0.02)
    assert [(row["key"], row["state"]) for row in rows(store_path)] == [("1", "done")]


@pytest.mark.asyncio
async def test_with_a_required_ledger_a_write_without_row_is_not_sent(
    open_gateway: "OpenGateway", sim: "Simulator", store_path: Path
) -> None:
    async with open_gateway(sim, LEDGER_REQUIRED="true") as gateway:
        ana = await gateway.signed_in()
        with locked(store_path):
            answer = await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (503, "ledger_unavailable")
        assert int(answer.headers["Retry-After"]) > 0
        assert sim.calls.of("PATCH", "Orders(1)") == []
        await gateway.components.recorder.write_pending()
        (row,) = rows(store_path)
        assert (row["state"], row["reason"]) == ("not_sent", "ledger_unavailable")
        again = await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
        assert again.status_code == 204


@pytest.mark.asyncio
async def test_writes_left_open_by_a_process_are_audited_as_unknown(
    open_gateway: "OpenGateway", sim: "Simulator", store_path: Path
) -> None:
    async with open_gateway(sim) as gateway:
        headers = {**await gateway.signed_in(), "X-Request-ID": "r-left"}
        await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=headers)
    with closing(sqlite3.connect(store_path)) as other:  # as the file is when a process is killed meanwhile
        other.execute("UPDATE ledger_write SET state = 'open', ended_at = NULL")
        other.execute("DELETE FROM audit_log WHERE action = 'sl_update'")
        other.commit()
    records: list[dict[str, Any]] = []
    for _ in range(2):  # the second start finds nothing open any more
        async with open_gateway(sim) as gateway:
            ana = await gateway.signed_in()
            found = await gateway.http.get("/api/audit", params={"accion": "sl_update"}, headers=ana)
            records = found.json()["items"]
    (record,) = records
    (row,) = rows(store_path)
    assert (row["state"], row["reason"]) == ("unknown", "interrupted")
    assert (record["result"], record["reason"], record["requestId"]) == ("unknown", "interrupted", "r-left")
    assert (record["webUser"], record["ip"], record["resource"], record["key"]) == (
        "ana",
        "10.0.0.7",
        "Orders",
        "1",
    )
    assert (record["fields"], record["detail"]) == (["Comments"], {"write": row["id"]})


@pytest.mark.asyncio
async def test_a_lost_response_leaves_an_unknown_row_that_the_audit_names(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="Orders"))
    answer = await gateway.http.post("/api/sl/Orders", json=ORDER, headers=ana)
    assert answer.json()["code"] == "outcome_unknown"
    (row,) = rows(store_path)
    assert (row["state"], row["reason"], row["key"]) == ("unknown", "outcome_unknown", None)
    (record,) = (await gateway.http.get("/api/audit?resultado=unknown", headers=ana)).json()["items"]
    assert record["detail"] == {"write": row["id"]}


@pytest.mark.asyncio
async def test_a_lost_write_describes_the_operation_the_remedy_and_the_place(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    for method, path, upstream, place, words in (
        ("POST", "/api/sl/Orders", "Orders", "/api/sl/Orders", "crear un registro en Orders"),
        ("PATCH", "/api/sl/Orders/1", "Orders(1)", "/api/sl/Orders/1", "modificar el registro 1 de Orders"),
    ):
        sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method=method, path=upstream))
        lost = (await gateway.http.request(method, path, json=ORDER, headers=ana)).json()
        number = rows(store_path)[-1]["id"]
        assert (lost["code"], lost["outcome"], lost["write"]["id"]) == ("outcome_unknown", "unknown", number)
        assert (lost["nextStep"], lost["lookAt"], lost["sameKeyIsSafe"]) == ("look", [place], False)
        assert words in lost["message"]
        assert "No lo repita" in lost["message"]
        assert (await gateway.http.get(lost["write"]["url"], headers=ana)).json()["result"] == "unknown"
        assert (await gateway.http.get(place, headers=ana)).status_code == 200


@pytest.mark.asyncio
async def test_an_unrecorded_lost_write_promises_no_address(
    gateway: "Gateway", sim: "Simulator", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="PATCH", path="Orders(1)"))
    with locked(store_path):
        lost = await gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana)
    assert set(lost.json()["write"]) == {"id", "kind", "resource", "key"}
    assert "número" not in lost.json()["message"]
