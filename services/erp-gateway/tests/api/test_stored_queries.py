"""`/api/sl-queries` through the whole service, against the simulated ERP."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import msgspec
import pytest
import pytest_asyncio

from erp_gateway.queries.stored.declaration import StoredQuery
from erp_gateway.queries.stored.installed import READ_AGAIN_AFTER_S
from erpclient import Caller
from erpsim.company.habits import OtherHabit
from erpsim.faults import Drop, Fault, Refuse
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

MODULE = "stored_queries_extension"
EXTENSION = """
from erp_gateway.extensions import Extension, QueryParameter, StoredQuery

def query(name, sql, *parameters, version=1, **more):
    declared = tuple(QueryParameter(name=n, type=t) for n, t in parameters)
    return StoredQuery(
        name=name, title=name.title(), code="GW_" + name, version=version, sql=sql,
        parameters=declared, **more
    )

EXTENSION = Extension(stored_queries=(
    query("items", "SELECT ItemCode, ItemName AS Nombre FROM OITM ORDER BY ItemCode", cache_s=60, max_rows=2),
    query("one_item", "SELECT ItemName FROM OITM WHERE ItemCode = :code", ("code", "string"),
          menu="/bodega/consulta", titles={"ItemName": "Nombre"}),
    query("orders", "SELECT DocNum, DocTotal, DocDate FROM ORDR "
          "WHERE DocDate >= :since AND DocTotal > :total",
          ("since", "date"), ("total", "number"), version=2),
))
"""
CALLER = Caller("test")
Install = Callable[..., Awaitable[None]]


@pytest_asyncio.fixture
async def gateway(
    open_gateway: "OpenGateway", sim: "Simulator", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator["Gateway"]:
    tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    async with open_gateway(sim, EXTENSIONS=MODULE) as opened:
        await settle(opened)
        yield opened
    sys.modules.pop(MODULE, None)


async def settle(gateway: "Gateway") -> None:
    """Wait for the comparison that every start does in the background."""
    async with asyncio.timeout(5):
        while not any("SQLQueries" in call.path for call in gateway.sim.calls):  # noqa: ASYNC110 - another process' event
            await asyncio.sleep(0.01)


@pytest.fixture
def install(gateway: "Gateway", clock: ManualClock) -> Install:
    """Return what saves declared queries in the ERP, as `erp-gateway queries install` does."""
    declared = {query.name: query for query in gateway.components.stored_queries.queries}

    async def saving(*names: str, version: int | None = None) -> None:
        for name in names:
            query = declared[name]
            assert isinstance(query, StoredQuery)
            stated = f"{query.code} v{version or query.version}"
            body = {"SqlCode": query.code, "SqlName": stated, "SqlText": query.sql}
            await gateway.components.client.create("SQLQueries", msgspec.json.encode(body), caller=CALLER)
        clock.advance(READ_AGAIN_AFTER_S)

    return saving


async def run(
    gateway: "Gateway", name: str, params: dict[str, Any], *, user: str = "ana", **more: Any
) -> Any:
    headers = await gateway.signed_in(user)
    return await gateway.http.post(
        f"/api/sl-queries/{name}", json={"params": params, **more}, headers=headers
    )


async def audited(gateway: "Gateway", action: str) -> list[dict[str, Any]]:
    page = await gateway.http.get(f"/api/audit?accion={action}", headers=await gateway.signed_in())
    items: list[dict[str, Any]] = page.json()["items"]
    return items


@pytest.mark.asyncio
async def test_a_stored_query_runs_in_one_call_and_is_audited_by_names(
    gateway: "Gateway", install: Install
) -> None:
    await install("one_item")
    await run(gateway, "one_item", {"code": "none"})  # reads the versions
    headers = await gateway.signed_in()
    gateway.sim.calls.clear()
    answer = await gateway.http.post(
        "/api/sl-queries/one_item", json={"params": {"code": "A/1"}}, headers=headers
    )
    assert [(call.method, call.path) for call in gateway.sim.calls] == [
        ("POST", "SQLQueries('GW_one_item')/List")
    ]
    (row,) = answer.json()["rows"]
    assert list(row) == ["ItemName"]
    assert answer.json()["truncated"] is False
    record = (await audited(gateway, "db_query"))[0]
    assert (record["resource"], record["result"], record["fields"]) == ("one_item", "ok", ["code"])
    assert "A/1" not in str(record)


@pytest.mark.asyncio
async def test_days_and_decimals_are_sent_as_the_service_layer_reads_them(
    gateway: "Gateway", install: Install
) -> None:
    await install("orders")
    everything = (await run(gateway, "orders", {"since": "2000-01-01", "total": 0.5})).json()["rows"]
    assert everything
    assert list(everything[0]) == ["DocNum", "DocTotal", "DocDate"], "the order of the SELECT"
    day = max(row["DocDate"] for row in everything)
    later = (await run(gateway, "orders", {"since": f"{day[:4]}-{day[4:6]}-{day[6:]}", "total": 0})).json()
    assert {row["DocDate"] for row in later["rows"]} == {day}


@pytest.mark.asyncio
async def test_more_rows_than_the_cap_are_cut_and_cached_answers_cost_no_call(
    gateway: "Gateway", install: Install
) -> None:
    await install("items")
    first = (await run(gateway, "items", {})).json()
    assert (len(first["rows"]), first["truncated"]) == (2, True)
    gateway.sim.calls.clear()
    again = await run(gateway, "items", {})
    assert again.json() == first
    assert "Age" in again.headers
    assert not [call for call in gateway.sim.calls if "SQLQueries" in call.path]


@pytest.mark.asyncio
async def test_column_names_are_those_of_the_text_whatever_case_the_erp_writes(
    gateway: "Gateway", install: Install
) -> None:
    gateway.sim.world.switches = attrs.evolve(
        gateway.sim.world.switches, other_habits=frozenset({OtherHabit.QUERY_NAMES_IN_CAPITALS})
    )
    await install("items")
    answer = (await run(gateway, "items", {})).json()
    assert list(answer["rows"][0]) == ["ItemCode", "Nombre"]


@pytest.mark.asyncio
async def test_a_query_without_the_menu_right_is_denied_and_not_listed(
    gateway: "Gateway", install: Install
) -> None:
    await install("one_item")
    gateway.sim.calls.clear()
    answer = await run(gateway, "one_item", {"code": "A/1"}, user="luis")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    headers = await gateway.signed_in("luis")
    listed = (await gateway.http.get("/api/sl-queries", headers=headers)).json()["items"]
    assert [item["name"] for item in listed] == ["items", "orders"]
    hidden = await gateway.http.get("/api/sl-queries/one_item", headers=headers)
    assert hidden.status_code == 403
    assert not [call for call in gateway.sim.calls if "SQLQueries" in call.path]
    routes = await gateway.http.get("/api/menu-routes", headers=await gateway.signed_in())
    assert "/bodega/consulta" in routes.text


@pytest.mark.asyncio
@pytest.mark.parametrize("text", ["x' or '1'='1", "A&total=1", "A\x00"])
async def test_texts_that_could_change_the_parameters_are_refused(
    gateway: "Gateway", install: Install, text: str
) -> None:
    await install("one_item")
    gateway.sim.calls.clear()
    answer = await run(gateway, "one_item", {"code": text})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in answer.json()["errors"]] == ["params.code"]
    assert not [call for call in gateway.sim.calls if "SQLQueries" in call.path]


@pytest.mark.asyncio
async def test_pages_are_refused(gateway: "Gateway") -> None:
    answer = await run(gateway, "items", {}, limit=1)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("version", "code"),
    [(None, "stored_query_not_installed"), (1, "stored_query_not_installed"), (3, "stored_query_newer")],
)
async def test_a_query_of_another_version_is_not_run(
    gateway: "Gateway", install: Install, version: int | None, code: str
) -> None:
    if version is not None:
        await install("orders", version=version)
    answer = await run(gateway, "orders", {"since": "2024-01-01", "total": 0})
    assert (answer.status_code, answer.json()["code"]) == (503, code)
    assert "Retry-After" in answer.headers
    assert not [call for call in gateway.sim.calls if call.path.endswith("/List")]


@pytest.mark.asyncio
async def test_a_query_that_vanished_is_looked_up_again(gateway: "Gateway", install: Install) -> None:
    await install("one_item")
    assert (await run(gateway, "one_item", {"code": "A/1"})).status_code == 200
    with gateway.sim.world.transaction():
        gateway.sim.world.company.remove("SQLQueries", ("GW_one_item",))
    refused = await run(gateway, "one_item", {"code": "A/1"})
    assert (refused.status_code, refused.json()["code"]) == (502, "stored_query_rejected")
    missing = await run(gateway, "one_item", {"code": "A/1"})
    assert (missing.status_code, missing.json()["code"]) == (503, "stored_query_not_installed")
    await install("one_item")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("action", "status", "code"),
    [
        (Refuse(status=400, code=702, text="Table 'OITM' not accessible"), 502, "stored_query_rejected"),
        (Refuse(status=403, code=-6006, text="No permission"), 502, "upstream_forbidden"),
    ],
)
async def test_refusals_of_the_erp_are_told_apart(
    gateway: "Gateway", install: Install, action: Refuse, status: int, code: str
) -> None:
    await install("one_item")
    gateway.sim.faults.add(Fault(action=action, method="POST", path="SQLQueries(*"))
    answer = await run(gateway, "one_item", {"code": "A/1"})
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert "OITM" not in answer.text
    assert (await audited(gateway, "db_query"))[0]["reason"] == code


@pytest.mark.asyncio
async def test_a_file_holds_all_rows_under_their_titles(gateway: "Gateway", install: Install) -> None:
    await install("one_item", "orders")
    headers = {**await gateway.signed_in(), "Accept": "text/csv"}
    one = await gateway.http.post(
        "/api/sl-queries/one_item", json={"params": {"code": "A/1"}}, headers=headers
    )
    assert one.status_code == 200
    assert one.text.lstrip("\ufeff").splitlines()[0] == "Nombre"
    nothing = await gateway.http.post(
        "/api/sl-queries/one_item", json={"params": {"code": "none"}}, headers=headers
    )
    assert nothing.text.lstrip("\ufeff").splitlines() == ["Nombre"]


@pytest.mark.asyncio
async def test_an_erp_that_is_away_delays_no_start(
    open_gateway: "OpenGateway", gateway: "Gateway", tmp_path: Path
) -> None:
    gateway.sim.faults.add(Fault(action=Drop(), times=None))
    async with open_gateway(gateway.sim, EXTENSIONS=MODULE, SQLITE_PATH=str(tmp_path / "o.sqlite")) as other:
        assert (await other.http.get("/api/health")).status_code == 200
