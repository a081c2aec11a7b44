"""`/api/erpdb` through the whole service, on a SQLite file and on a simulated HANA with SAP's real driver."""

import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from erpsim.hana.process import PASSWORD, USER, HanaProcess

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

MODULE = "erpdb_api_extension"
EXTENSION = """
from erp_gateway.extensions import Chart, Extension, Measure, Query, QueryParameter, RecordLink

def query(name, hana, sqlite, *parameters, **more):
    declared = tuple(QueryParameter(name=n, type=t) for n, t in parameters)
    texts = {"hana": hana, "sqlite": sqlite}
    return Query(name=name, title=name.title(), sql=texts, parameters=declared, **more)

NUMBERS = 'SELECT "N", "LABEL", "AMOUNT" FROM NUMBERS'
EXTENSION = Extension(queries=(
    query("numbers", NUMBERS + ' ORDER BY "N"', NUMBERS + ' ORDER BY "N"'),
    query("one", NUMBERS + ' WHERE "N" = :n AND "LABEL" = :label AND "MADE" >= :since',
          NUMBERS + ' WHERE "N" = :n AND "LABEL" = :label AND "MADE" >= :since',
          ("n", "number"), ("label", "string"), ("since", "date"), menu="/bodega/consulta", max_rows=1,
          titles={"N": "Número"}, measures={"N": Measure(kind="amount")},
          links={"LABEL": RecordLink(resource="Items", key="N")}, chart=Chart(x="LABEL", y="AMOUNT")),
    query("types", "SELECT * FROM TYPES", "SELECT 1.5 AS \\"FIX8\\", x'00ff' AS \\"BIN\\""),
    query("work", 'SELECT COUNT(*) AS "C" FROM DUMMY',
          "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 300000) "
          "SELECT MAX(i) AS C FROM r"),
    query("slow", "SELECT 'SLOW' FROM DUMMY",
          "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT MAX(i) FROM r"),
))
"""
SCRIPT = """
CREATE TABLE NUMBERS ("N" INTEGER, "LABEL" TEXT, "AMOUNT" NUMERIC, "MADE" TEXT);
WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 99999)
INSERT INTO NUMBERS SELECT i, 'Fila ' || i, i / 8.0, '2024-01-01' FROM r;
"""


@pytest.fixture
def extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Return the settings that load the queries above."""
    tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"EXTENSIONS": MODULE, "ERPDB_TIMEOUT": "4"}
    sys.modules.pop(MODULE, None)


@pytest.fixture
def on_hana(hana: HanaProcess, extension: dict[str, str]) -> dict[str, str]:
    hana.fault(phase="execute", sql="SLOW", delay_s=60)
    return {
        **extension,
        "ERPDB_ENGINE": "hana",
        "ERPDB_SERVER": "127.0.0.1",
        "ERPDB_PORT": str(hana.port),
        "ERPDB_USER": USER,
        "ERPDB_PASSWORD": PASSWORD,
        "ERPDB_SCHEMA": "SAMPLE",
        "ERPDB_ENCRYPT": "false",
    }


@pytest.fixture
def on_sqlite(tmp_path: Path, extension: dict[str, str]) -> dict[str, str]:
    file = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SCRIPT)
    return {**extension, "ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": str(file)}


@pytest_asyncio.fixture(params=["on_hana", "on_sqlite"])
async def gateway(
    request: pytest.FixtureRequest, open_gateway: "OpenGateway", sim: "Simulator"
) -> "AsyncIterator[Gateway]":
    async with open_gateway(sim, **request.getfixturevalue(request.param)) as opened:
        yield opened


async def run(gateway: "Gateway", name: str, params: dict[str, Any], user: str = "ana") -> Any:
    return await gateway.http.post(
        f"/api/erpdb/queries/{name}", json={"params": params}, headers=await gateway.signed_in(user)
    )


async def slowest_health(gateway: "Gateway", meanwhile: "asyncio.Future[Any]") -> float:
    """Request the service's health while other work runs; return the seconds of the slowest response."""
    longest = 0.0
    while not meanwhile.done():
        started = time.perf_counter()
        assert (await gateway.http.get("/api/health")).status_code == 200
        longest = max(longest, time.perf_counter() - started)
        await asyncio.sleep(0.005)
    return longest


async def audited(gateway: "Gateway", action: str) -> list[dict[str, Any]]:
    page = await gateway.http.get(f"/api/audit?accion={action}", headers=await gateway.signed_in())
    items: list[dict[str, Any]] = page.json()["items"]
    return items


@pytest.mark.asyncio
async def test_each_user_sees_the_queries_their_permissions_allow(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    observed = (await gateway.http.get("/api/erpdb/queries", headers=ana)).json()
    assert [item["name"] for item in observed["items"]] == ["numbers", "one", "slow", "types", "work"]
    own: dict[str, Any] = {
        "options": [],
        "optionsFrom": None,
        "default": None,
        "minimum": None,
        "maximum": None,
        "notBefore": None,
    }
    assert observed["items"][1] == {
        "name": "one",
        "title": "One",
        "parameters": [
            {"name": "n", "type": "number", "label": None, "input": {"kind": "number", **own}},
            {"name": "label", "type": "string", "label": None, "input": {"kind": "text", **own}},
            {"name": "since", "type": "date", "label": None, "input": {"kind": "date", **own}},
        ],
        "titles": {"N": "Número"},
        "measures": {"N": {"kind": "amount", "by": None, "adds": True}},
        "links": {"LABEL": {"resource": "Items", "key": "N"}},
        "chart": {"x": "LABEL", "y": "AMOUNT", "series": None, "kind": "bars"},
        "maxRows": 1,
        "paged": False,
        "cacheS": 0,
    }
    fewer = (await gateway.http.get("/api/erpdb/queries", headers=luis)).json()
    assert [item["name"] for item in fewer["items"]] == ["numbers", "slow", "types", "work"]
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/bodega/*"]}, headers=ana)
    again = (await gateway.http.get("/api/erpdb/queries", headers=luis)).json()
    assert [item["name"] for item in again["items"]] == ["numbers", "one", "slow", "types", "work"]


@pytest.mark.asyncio
async def test_rows_beyond_an_answer_are_counted_and_audited(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    url = "/api/erpdb/queries/numbers/count"
    answer = await gateway.http.post(url, json={"params": {}}, headers=ana)
    assert (answer.status_code, answer.json()) == (200, {"total": 100_000})
    sent = {"n": 5, "label": "Fila 5", "since": "2024-01-01"}
    one = await gateway.http.post("/api/erpdb/queries/one/count", json={"params": sent}, headers=ana)
    assert one.json() == {"total": 1}
    [record, _] = await audited(gateway, "db_query")
    assert (record["resource"], record["result"], record["fields"]) == ("one", "ok", ["n", "label", "since"])


@pytest.mark.asyncio
async def test_counting_needs_the_right_and_the_parameters_of_a_run(gateway: "Gateway") -> None:
    luis = await gateway.signed_in("luis")
    url = "/api/erpdb/queries/one/count"
    denied = await gateway.http.post(url, json={"params": {}}, headers=luis)
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    unknown = await gateway.http.post("/api/erpdb/queries/nada/count", json={"params": {}}, headers=luis)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "query_not_found")
    ana = await gateway.signed_in()
    for body in ({"params": {"n": 5}}, {"params": {"n": 5, "x": 1}}, {"params": {}, "limit": 1}):
        assert (await gateway.http.post(url, json=body, headers=ana)).status_code == 400


@pytest.mark.asyncio
async def test_a_text_with_a_leading_with_is_not_counted(
    open_gateway: "OpenGateway", sim: "Simulator", on_sqlite: dict[str, str]
) -> None:
    async with open_gateway(sim, **on_sqlite) as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post("/api/erpdb/queries/work/count", json={"params": {}}, headers=ana)
        assert answer.json() == {"total": None}


@pytest.mark.asyncio
async def test_a_query_returns_rows_and_its_audit_record_holds_names_only(gateway: "Gateway") -> None:
    answer = await run(gateway, "one", {"n": 5, "label": "Fila 5", "since": "2024-01-01"})
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"rows": [{"N": 5, "LABEL": "Fila 5", "AMOUNT": 0.625}], "truncated": False}
    (record,) = await audited(gateway, "db_query")
    assert (record["resource"], record["key"], record["result"]) == ("one", None, "ok")
    assert record["fields"] == ["n", "label", "since"]
    assert record["detail"] == {"rows": 1, "truncated": False}
    assert "Fila" not in json.dumps(record)


@pytest.mark.asyncio
async def test_a_query_without_the_menu_right_is_denied_and_audited(gateway: "Gateway") -> None:
    answer = await run(gateway, "one", {"n": "no body is read"}, user="luis")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    (record,) = await audited(gateway, "permission_denied")
    assert (record["resource"], record["webUser"]) == ("one", "luis")
    assert await audited(gateway, "db_query") == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("params", "paths"),
    [
        ({}, ["params.n", "params.label", "params.since"]),
        ({"n": "5", "label": 5, "since": "01.02.2024"}, ["params.n", "params.label", "params.since"]),
        ({"n": 5, "label": "a", "since": "2024-01-01", "N": 1}, ["params.N"]),
    ],
)
async def test_invalid_parameters_are_refused_with_their_paths_and_recorded(
    gateway: "Gateway", params: dict[str, Any], paths: list[str]
) -> None:
    answer = await run(gateway, "one", params)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in answer.json()["errors"]] == paths
    (record,) = await audited(gateway, "db_query")
    assert (record["result"], record["reason"]) == ("error", "invalid_body")
    declared = {name for name in params if name != "N"}
    assert set(record["fields"]) == declared
    unknown = len(params) - len(declared)
    assert record["detail"] == ({"fieldsOmitted": unknown} if unknown else {})


@pytest.mark.asyncio
async def test_unknown_queries_and_malformed_bodies_are_refused(gateway: "Gateway") -> None:
    assert (await run(gateway, "nope", {})).json()["code"] == "query_not_found"
    ana = await gateway.signed_in()
    for body in (b"[]", b'{"params": 5}', b'{"params": {}, "sql": "SELECT 1"}', b"{}"):
        answer = await gateway.http.post(
            "/api/erpdb/queries/numbers", content=body, headers={**ana, "Content-Type": "application/json"}
        )
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body"), body


@pytest.mark.asyncio
async def test_a_query_of_100000_rows_is_cut_and_the_service_stays_responsive(
    gateway: "Gateway",
) -> None:
    headers = await gateway.signed_in()
    slowest: list[float] = []
    for _ in range(3):  # what holds the loop up does so every time; other work of the machine does not
        asking = gateway.http.post("/api/erpdb/queries/numbers", json={"params": {}}, headers=headers)
        task = asyncio.ensure_future(asking)
        slowest.append(await slowest_health(gateway, task))
        body = (await task).json()
        assert ([row["N"] for row in body["rows"]], body["truncated"]) == (list(range(5000)), True)
        if slowest[-1] < 1.0:  # far above what it takes, far below what a blocked loop would
            return
    pytest.fail(f"seconds of the slowest health check: {slowest}")


@pytest.mark.check
@pytest.mark.asyncio
async def test_a_query_over_its_timeout_answers_504_and_the_next_one_runs(gateway: "Gateway") -> None:
    started = time.perf_counter()
    answer = await run(gateway, "slow", {})
    assert (answer.status_code, answer.json()["code"]) == (504, "database_timeout")
    assert 4.0 <= time.perf_counter() - started < 40
    assert (await run(gateway, "types", {})).status_code == 200
    assert {record["reason"] for record in await audited(gateway, "db_query")} == {None, "database_timeout"}


@pytest.mark.asyncio
async def test_a_client_disconnect_cancels_the_query(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    body: list[dict[str, Any]] = [{"type": "http.request", "body": b'{"params":{}}', "more_body": False}]
    sent: list[Any] = []

    async def receive() -> Any:
        if body:
            return body.pop()
        await asyncio.sleep(0.05)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await gateway.post_by_hand("/api/erpdb/queries/slow", ana, receive, send)
    assert sent[0]["status"] == 503
    (record,) = await audited(gateway, "db_query")
    assert record["reason"] == "client_gone"


@pytest.mark.asyncio
async def test_values_of_every_kind_are_json(gateway: "Gateway") -> None:
    row = (await run(gateway, "types", {})).text
    assert '"BIN":"AP8="' in row
    assert '"FIX8":-10.50,' in row or '"FIX8":1.5,' in row  # SQLite keeps no zeros


@pytest.mark.asyncio
async def test_queries_never_commit_and_no_value_appears_in_sql(
    open_gateway: "OpenGateway", sim: "Simulator", on_hana: dict[str, str], hana: HanaProcess
) -> None:
    async with open_gateway(sim, **on_hana) as gateway:
        await run(gateway, "one", {"n": 5, "label": "Fila 5", "since": "2024-01-01"})
        await run(gateway, "numbers", {})
        await run(gateway, "slow", {})
    journal = hana.journal()
    assert [entry for entry in journal if entry["commit"] or entry["event"] == "COMMIT"] == []
    assert not [entry for entry in journal if "Fila" in entry["sql"] or "2024" in entry["sql"]]
    opened = [entry for entry in journal if entry["event"] == "open"]
    assert len(opened) >= 4  # one for each query, and one that cancels


@pytest.mark.asyncio
async def test_a_number_that_would_be_truncated_is_refused_with_its_path(
    open_gateway: "OpenGateway", sim: "Simulator", on_hana: dict[str, str]
) -> None:
    async with open_gateway(sim, **on_hana) as gateway:
        answer = await run(gateway, "one", {"n": 5.5, "label": "Fila 5", "since": "2024-01-01"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in answer.json()["errors"]] == ["params.n"]


@pytest.mark.asyncio
async def test_a_connection_lost_between_rows_is_502(
    open_gateway: "OpenGateway", sim: "Simulator", on_hana: dict[str, str], hana: HanaProcess
) -> None:
    hana.fault(phase="fetch", drop="reset", skip=1)
    async with open_gateway(sim, **on_hana) as gateway:
        answer = await run(gateway, "numbers", {})
    assert (answer.status_code, answer.json()["code"]) == (502, "database_unreachable")
    assert "127.0.0.1" not in answer.text


@pytest.mark.asyncio
async def test_the_definition_of_a_user_field_comes_from_the_erp_tables(
    open_gateway: "OpenGateway", sim: "Simulator", on_hana: dict[str, str], hana: HanaProcess
) -> None:
    async with open_gateway(sim, **{**on_hana, "ERPDB_SCHEMA": "SBO_DEMO"}) as gateway:
        luis = await gateway.signed_in("luis")
        address = "/api/erpdb/user-fields"
        answer = await gateway.http.get(f"{address}/ORDR/U_CANAL", headers=luis)
        assert answer.status_code == 200, answer.text
        assert answer.json() == {
            "table": "ORDR",
            "alias": "CANAL",
            "description": "Canal",
            "type": "text",
            "size": 254,
            "validValues": [
                {"value": "WEB", "description": "WEB"},
                {"value": "TEL", "description": "TEL"},
                {"value": "SALA", "description": "SALA"},
            ],
            "linkedTable": None,
        }
        calls_before = len(hana.journal())
        assert (await gateway.http.get(f"{address}/ORDR/U_CANAL", headers=luis)).json() == answer.json()
        assert len(hana.journal()) == calls_before
        for path, status, code in [
            ("ORDR/NADA", 404, "user_field_not_found"),
            ("%40ORDR/CANAL", 400, "invalid_path"),
            ("OR%22DR/CANAL", 400, "invalid_path"),
            ("ORDR/CA%3BNAL", 400, "invalid_path"),
        ]:
            refused = await gateway.http.get(f"{address}/{path}", headers=luis)
            assert (refused.status_code, refused.json()["code"]) == (status, code), path


@pytest.mark.asyncio
async def test_without_an_engine_only_this_module_is_off(gateway_without_engine: "Gateway") -> None:
    gateway = gateway_without_engine
    ana = await gateway.signed_in()
    for method, path in [
        ("GET", "/api/erpdb/queries"),
        ("POST", "/api/erpdb/queries/nope"),
        ("GET", "/api/erpdb/user-fields/ORDR/CANAL"),
    ]:
        answer = await gateway.http.request(method, path, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (503, "not_configured")
    assert (await gateway.http.get("/api/sl/Items?$top=1", headers=ana)).status_code == 200


@pytest_asyncio.fixture
async def gateway_without_engine(open_gateway: "OpenGateway", sim: "Simulator") -> "AsyncIterator[Gateway]":
    async with open_gateway(sim) as opened:
        yield opened


@pytest.mark.proof
@pytest.mark.asyncio
async def test_the_service_answers_its_health_within_50_ms_while_large_queries_run(
    gateway: "Gateway",
) -> None:
    headers = await gateway.signed_in()
    slowest: list[float] = []
    for _ in range(3):  # what holds the loop up does so every time; other work of the machine does not
        tasks = asyncio.gather(
            *(
                gateway.http.post(f"/api/erpdb/queries/{name}", json={"params": {}}, headers=headers)
                for name in ("numbers", "types")
            )
        )
        slowest.append(await slowest_health(gateway, tasks))
        assert {answer.status_code for answer in await tasks} == {200}
    assert min(slowest) < 0.05


@pytest.mark.check
@pytest.mark.asyncio
async def test_one_users_many_runs_do_not_block_the_same_query_for_others(
    open_gateway: "OpenGateway", sim: "Simulator", on_sqlite: dict[str, str]
) -> None:
    async with open_gateway(sim, **on_sqlite) as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        statuses: set[int] = set()
        enough = False

        async def run_as(headers: dict[str, str]) -> int:
            answer = await gateway.http.post("/api/erpdb/queries/work", json={"params": {}}, headers=headers)
            return answer.status_code

        async def run_on() -> None:
            while not enough:
                statuses.add(await run_as(ana))
                await asyncio.sleep(0.01)

        crowd = [asyncio.create_task(run_on()) for _ in range(120)]
        async with asyncio.timeout(60):
            while 503 not in statuses:  # noqa: ASYNC110 - until more ask than can wait
                await asyncio.sleep(0.01)
        own = [await run_as(luis) for _ in range(8)]
        enough = True
        await asyncio.gather(*crowd)
        assert own == [200] * 8
