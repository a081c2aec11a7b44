"""Planning through the whole application on the simulated company."""

import asyncio
import csv
import io
import json
import threading
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import httpx2
import pytest
from executions import GRANTED, PLANNINGS
from returns_company import administrator_of, open_lines, plan

from erpsim.company.switches import Switches
from erpsim.faults import Answer, Delay, Drop, ExpireSession, Fault
from erpsim.simulator import Simulator, run_sim
from supplier_returns.planning.computing import MAX_WAITING

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio

PASSWORD = "erpsim"
QUERY_RUNS = "SQLQueries"


def some_items(sim: Simulator, count: int = 3) -> list[str]:
    return sorted(open_lines(sim))[:count]


async def preview(client: httpx2.AsyncClient, text: str, **more: Any) -> dict[str, Any]:
    answer = await client.post(f"{PLANNINGS}/pegar", json={"whsCode": "01", "texto": text, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_from_a_paste_to_a_stored_plan(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    items = some_items(stocked.sim)
    text = "Código\tCantidad\n" + "".join(f"{item}\t2\n" for item in items) + "NO-EXISTE\t1\nX\t-1\n"
    shown = await preview(bodega, text)
    assert shown["columnas"] == {"codigo": 0, "cantidad": 1}
    assert (shown["encabezado"], shown["filasLeidas"], shown["filasVacias"]) == (True, 5, 0)
    assert [note["code"] for note in shown["errores"]] == ["quantity_signed"]
    assert [note["code"] for note in shown["avisos"]] == ["item_unknown"]
    assert [line["itemCode"] for line in shown["lineas"]] == [*items, "NO-EXISTE"]
    assert "lineId" not in shown["lineas"][0]
    for line in shown["lineas"]:
        shares = line["asignada"] + line["sinStock"] + line["sinEntrada"] + line["noDivisible"]
        assert shares == line["cantidad"]

    lines = [
        {"itemCode": line["itemCode"], "cantidad": line["cantidad"], "filas": line["filas"]}
        for line in shown["lineas"]
    ]
    created = await bodega.post(
        PLANNINGS, json={"cabecera": {"whsCode": "01"}, "lineas": lines, "huella": shown["huella"]}
    )
    assert created.status_code == 201, created.text
    detail = created.json()
    assert created.headers["location"] == f"{PLANNINGS}/{detail['id']}"
    assert (detail["status"], detail["estado"], detail["version"]) == ("O", "planificada", 1)
    assert detail["usuario"] == "bodega"
    assert detail["acciones"] == ["editar", "lineas", "replanificar", "devoluciones", "cerrar"]
    assert detail["documentos"] == shown["documentos"]
    assert [{**line, "lineId": number} for number, line in enumerate(shown["lineas"], 1)] == detail["lineas"]
    assert (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json() == detail
    assert (await bodega.get(f"{PLANNINGS}/abierta?whsCode=01")).json() == {"planificacion": detail}


async def test_allocations_refer_to_real_receipt_lines_within_their_open_quantity(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *some_items(stocked.sim, 20), quantity=1000)
    rows = {
        (line["DocEntry"], line["LineNum"]): line
        for lines in open_lines(stocked.sim).values()
        for line in lines
    }
    parts = [(line, part) for line in detail["lineas"] for part in line["asignaciones"]]
    assert len(parts) > 20
    for line, part in parts:
        row = rows[part["baseEntry"], part["baseLine"]]
        assert row["ItemCode"] == line["itemCode"]
        assert part["cantidadDocumento"] <= row.get("RemainingOpenQuantity", 0)
        document = next(each for each in detail["documentos"] if each["docId"] == part["docId"])
        assert (document["cardCode"], document["moneda"]) == (part["cardCode"], part["moneda"])
    assert {document["estado"] for document in detail["documentos"]} == {"pendiente"}
    assert {"CLP", "USD"} >= {document["moneda"] for document in detail["documentos"]}


async def test_shortages_are_a_csv_file_without_formulas(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    whole, *others = some_items(stocked.sim)
    lines = [
        {"itemCode": whole, "cantidad": 1},
        {"itemCode": others[0], "cantidad": 100_000.5},
        {"itemCode": "=1+1", "cantidad": 2},
        {"itemCode": others[1], "cantidad": 100_000},
    ]
    created = await bodega.post(PLANNINGS, json={"cabecera": {"whsCode": "01"}, "lineas": lines})
    detail = created.json()
    path = f"{PLANNINGS}/{detail['id']}"
    left_out = {"version": 1, "excluida": True}
    changed = await bodega.patch(f"{path}/lineas/{detail['lineas'][3]['lineId']}", json=left_out)
    assert changed.status_code == 200, changed.text
    with stocked.counting() as calls:
        answer = await bodega.get(f"{path}/faltantes")
    assert len(calls) == 1
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == f'attachment; filename="faltantes-{detail["id"]}.csv"'
    heading, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";")
    assert heading[:4] == ["Artículo", "Descripción", "Unidad", "Se pide"]
    short, unknown = detail["lineas"][1:3]
    assert [(row[0], row[3]) for row in rows] == [(others[0], "100000,5"), ("'=1+1", "2")]
    shares = [str(short[name]).replace(".", ",") for name in ("asignada", "sinStock", "sinEntrada")]
    assert rows[0][4:7] == shares
    assert [row[-1] for row in rows] == [short["mensaje"], unknown["mensaje"]]
    assert (await bodega.get(f"{PLANNINGS}/99999/faltantes")).status_code == 404


@pytest.mark.check
async def test_upstream_calls_are_few_right_after_signing_in(open_service: "OpenService") -> None:
    """The company has 20,000 open receipt lines. Every step is the first request of its session."""
    async with (
        run_sim(seed="full", switches=Switches(sql_grants=GRANTED)) as sim,
        open_service(sim) as stocked,
    ):
        async with stocked.signed_in() as manager:
            assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        expected = open_lines(sim)
        assert sum(map(len, expected.values())) > 8_000, "of three warehouses this is the one with the most"
        items = sorted(expected)[:5]

        async def calls_of(method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
            async with stocked.signed_in("bodega") as client:
                with stocked.counting() as calls:
                    answer = await client.request(method, path, json=body)
                assert answer.status_code in (200, 201), answer.text
            mine = [call for call in calls if call.path != "Logout"]  # of the oldest of too many sessions
            return len(mine), answer.json()

        text = "Código\tCantidad\tMotivo\n" + "".join(f"{item}\t1\tVENC\n" for item in items)
        count, _ = await calls_of("POST", f"{PLANNINGS}/pegar", {"whsCode": "01", "texto": text})
        assert count <= 7
        lines = [{"itemCode": item, "cantidad": 1} for item in items]
        new = {"cabecera": {"whsCode": "01"}, "lineas": lines}
        _, detail = await calls_of("POST", PLANNINGS, new)
        path = f"{PLANNINGS}/{detail['id']}"
        assert await calls_of("GET", path) == (1, detail)
        open_one = f"{PLANNINGS}/abierta"
        assert await calls_of("GET", f"{open_one}?whsCode=01") == (1, {"planificacion": detail})
        assert await calls_of("GET", f"{open_one}?whsCode=02") == (1, {"planificacion": None})
        changes: list[dict[str, Any]] = [
            {"cantidad": 3},
            {"motivo": "VENC", "cantidad": 2},
            {"motivo": None},
            {"excluida": True},
        ]
        for version, change in enumerate(changes, 1):
            count, changed = await calls_of("PATCH", f"{path}/lineas/1", {"version": version, **change})
            assert count <= 4
            assert changed["version"] == version + 1
        count, _ = await calls_of("PATCH", f"{path}/cabecera", {"version": 5, "comentario": "x"})
        assert count == 2


async def test_a_line_is_changed_and_only_its_item_planned_again(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *some_items(stocked.sim))
    path = f"{PLANNINGS}/{detail['id']}"
    changed = (await bodega.patch(f"{path}/lineas/1", json={"version": 1, "cantidad": 1})).json()
    assert (changed["version"], changed["lineas"][0]["cantidad"]) == (2, 1)
    assert changed["lineas"][1:] == detail["lineas"][1:]
    excluded = (await bodega.patch(f"{path}/lineas/2", json={"version": 2, "excluida": True})).json()
    assert (excluded["lineas"][1]["estado"], excluded["lineas"][1]["asignaciones"]) == ("excluida", [])
    assert (excluded["resumen"]["lineas"], excluded["resumen"]["excluidas"]) == (2, 1)
    assert (await bodega.get(path)).json() == excluded
    stale = await bodega.patch(f"{path}/lineas/2", json={"version": 2, "excluida": False})
    assert (stale.status_code, stale.json()["code"], stale.json()["version"]) == (409, "stale_version", 3)


async def test_a_comment_is_emptied_by_null_and_by_an_empty_text(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *some_items(stocked.sim, 1))
    path = f"{PLANNINGS}/{detail['id']}/cabecera"
    for version, (sent, stored) in enumerate(
        [("Hola", "Hola"), ("", None), ("Otra", "Otra"), (None, None)], 1
    ):
        changed = await bodega.patch(path, json={"version": version, "comentario": sent})
        assert changed.json()["cabecera"]["comentario"] == stored
    refused = await bodega.patch(path, json={"version": 5, "indTraslado": None})
    assert [problem["path"] for problem in refused.json()["errors"]] == ["indTraslado"]


async def test_a_second_planning_is_refused_with_the_id_of_the_first(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    item = some_items(stocked.sim, 1)[0]
    detail = await plan(bodega, item)
    body = {"cabecera": {"whsCode": "01"}, "lineas": [{"itemCode": item, "cantidad": 1}]}
    refused = await bodega.post(PLANNINGS, json=body)
    assert (refused.status_code, refused.json()["code"], refused.json()["id"]) == (
        409,
        "open_planning_exists",
        detail["id"],
    )
    assert (await bodega.post(PLANNINGS, json={**body, "permitirOtra": True})).status_code == 201


async def test_every_user_sees_all_plannings_newest_first(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    item = some_items(stocked.sim, 1)[0]
    mine = await plan(bodega, item)
    async with stocked.signed_in() as manager:
        theirs = await plan(manager, item)
        shown = (await manager.get(PLANNINGS)).json()
        assert [row["id"] for row in shown["datos"]] == [theirs["id"], mine["id"]]
        assert (await manager.get(f"{PLANNINGS}/{mine['id']}")).json() == mine
    assert {name: shown[name] for name in ("pagina", "tamano", "total", "paginas")} == {
        "pagina": 1,
        "tamano": 20,
        "total": 2,
        "paginas": 1,
    }
    second = (await bodega.get(f"{PLANNINGS}?pagina=2&tamano=1&status=O&whsCode=01")).json()
    assert [row["id"] for row in second["datos"]] == [mine["id"]]
    assert second["paginas"] == 2
    assert (await bodega.get(f"{PLANNINGS}?status=C")).json()["total"] == 0
    for query, total in {
        "estado=planificada": 2,
        "estado=ejecutada": 0,
        "excepto=planificada": 0,
        "status=O&excepto=ejecutada": 2,
        "estado=&excepto=": 2,
    }.items():
        assert (await bodega.get(f"{PLANNINGS}?{query}")).json()["total"] == total, query
    assert (await bodega.get(f"{PLANNINGS}?whsCode=02")).json()["total"] == 0
    assert (await bodega.get(f"{PLANNINGS}?desde=2099-01-01")).json()["total"] == 0
    assert (await bodega.get(f"{PLANNINGS}?desde=2000-01-01&pagina=9")).json()["datos"] == []
    assert (await bodega.get(f"{PLANNINGS}/abierta?whsCode=02")).json() == {"planificacion": None}


async def test_plannings_are_listed_since_the_day_of_a_time(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    created = datetime.fromisoformat((await plan(bodega, *some_items(stocked.sim, 1)))["creada"])
    day = created.astimezone(ZoneInfo("America/Santiago")).date()
    after = day + timedelta(days=1)
    for since, total in {
        f"{day}": 1,
        f"{day}T00:00:00Z": 1,  # the day before, there
        f"{day}T23:59:59": 1,  # a time in that zone; only its day matters
        f"{after}T02:59:59.999Z": 1,  # still that day, three or four hours behind
        f"{after}T02:59Z": 1,
        f"{after}T11:59:59.000+12:00": 1,
        f"{after}": 0,
        f"{after}T00:00:00": 0,
        f"{after}T04:00:00.000Z": 0,
        f"{day}T23:30:00-12:00": 0,
    }.items():
        found = await bodega.get(PLANNINGS, params={"desde": since})
        assert (found.status_code, found.json().get("total")) == (200, total), since


async def test_a_record_damaged_by_another_program_does_not_hide_others(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    items = some_items(stocked.sim)
    sound = await plan(bodega, items[0])
    spoiled = await plan(bodega, items[1], permitirOtra=True)
    await change_behind_our_back(stocked.sim, spoiled["id"], {"U_Fecha": None})
    rows = (await bodega.get(PLANNINGS)).json()["datos"]
    assert [(row["id"], row["estado"]) for row in rows] == [
        (spoiled["id"], "ilegible"),
        (sound["id"], "planificada"),
    ]
    assert (await bodega.get(f"{PLANNINGS}/abierta?whsCode=01")).json() == {"planificacion": sound}
    assert (await bodega.get(f"{PLANNINGS}/{sound['id']}")).json() == sound
    again = {"cabecera": {"whsCode": "01"}, "lineas": [{"itemCode": items[2], "cantidad": 1}]}
    refused = await bodega.post(PLANNINGS, json=again)
    assert (refused.status_code, refused.json()["id"]) == (409, sound["id"])
    assert (await bodega.post(PLANNINGS, json={**again, "permitirOtra": True})).status_code == 201
    await preview(bodega, f"{items[0]}\t1\n")
    for method, path in (("GET", ""), ("PATCH", "/cabecera"), ("PATCH", "/lineas/1")):
        body = {"json": {"version": 1}} if method == "PATCH" else {}
        answer = await bodega.request(method, f"{PLANNINGS}/{spoiled['id']}{path}", **body)  # type: ignore[arg-type]
        assert (answer.status_code, answer.json()["code"]) == (502, "planning_unreadable")


async def change_behind_our_back(sim: Simulator, planning_id: int, fields: dict[str, Any]) -> None:
    """Change a record through the Service Layer as its administrator, as another program would."""
    async with administrator_of(sim) as layer:
        changed = await layer.patch(f"LIB_ODEV({planning_id})", json=fields)
        assert changed.status_code == 204, changed.text


@pytest.mark.parametrize(
    "query",
    [
        "status=X",
        "tamano=0",
        "tamano=101",
        "pagina=0",
        "pagina=a",
        "desde=ayer",
        "desde=2026-02-30",
        "desde=2026-01-31T25:00:00Z",
        "desde=2026-01-31T10",
        "desde=2026-01-31T10:00:00+03:00",  # the plus sign of a query is a blank
        "desde=2026-W05-6",
        "desde=20260131",
        "desde=0001-01-01T00:00:00Z",
        "whsCode=123456789",
        "otro=1",
        "estado=cerrada",
        "estado=EJECUTADA",
        "excepto=ilegible",
    ],
)
async def test_an_invalid_list_parameter_is_refused_by_name(bodega: httpx2.AsyncClient, query: str) -> None:
    refused = await bodega.get(f"{PLANNINGS}?{query}")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_query")
    assert refused.json()["errors"][0]["path"] == query.partition("=")[0]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/99", 404, "planning_not_found"),
        ("GET", "/9999999999", 404, "planning_not_found"),
        ("GET", "/x", 400, "invalid_path"),
        ("GET", "/0", 400, "invalid_path"),
        ("PATCH", "/99/cabecera", 404, "planning_not_found"),
        ("PATCH", "/99/lineas/1", 404, "planning_not_found"),
        ("PATCH", "/1/lineas/9999999999", 404, "line_not_found"),
        ("DELETE", "/1", 405, "method_not_allowed"),
    ],
)
async def test_a_missing_planning_and_a_missing_line_have_different_errors(
    bodega: httpx2.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    body = {"json": {"version": 1}} if method == "PATCH" else {}
    answer = await bodega.request(method, PLANNINGS + path, **body)  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"cantidad": 0}, "cantidad"),
        ({"cantidad": -1}, "cantidad"),
        ({"cantidad": None}, "cantidad"),
        ({"cantidad": "2"}, "cantidad"),
        ({"cantidad": 1e13}, "cantidad"),
        ({"cantidad": 0.0000001}, "cantidad"),
        ({"excluida": None}, "excluida"),
        ({"motivo": "DEMASIADO LARGO"}, "motivo"),
        ({"cardCode": "x" * 16}, "cardCode"),
        ({"lotes": [{"lote": "", "cantidad": 1}]}, "lotes[0].lote"),
        ({"series": ["S", "S"]}, "series[1]"),
        ({"series": ["S"], "lotes": [{"lote": "L", "cantidad": 1}]}, "series"),
        ({"otro": 1}, "otro"),
    ],
)
async def test_an_invalid_change_is_refused_by_field(
    bodega: httpx2.AsyncClient, changes: dict[str, Any], path: str
) -> None:
    refused = await bodega.patch(f"{PLANNINGS}/1/lineas/1", json={"version": 1, **changes})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in refused.json()["errors"]] == [path]


async def test_the_missing_right_is_named(open_service: "OpenService") -> None:
    async with run_sim(seed="returns") as sim, open_service(sim) as service:
        async with service.signed_in() as manager:
            await manager.post("/api/metadata/rebuild")
        async with service.signed_in("bodega") as client:
            refused = await client.post(f"{PLANNINGS}/pegar", json={"whsCode": "01", "texto": "A\t1"})
            assert (refused.status_code, refused.json()["code"]) == (403, "erp_forbidden")
            assert "DP_Stock" in refused.json()["authorization"]


async def test_without_metadata_the_error_asks_for_a_rebuild(open_service: "OpenService") -> None:
    async with run_sim(seed="returns") as sim, open_service(sim) as service, service.signed_in() as client:
        for path in ("", "/1", "/abierta"):
            refused = await client.get(PLANNINGS + path)
            assert (refused.status_code, refused.json()["code"]) == (503, "metadata_missing")
            assert refused.headers["retry-after"]


@pytest.mark.parametrize("query", ["DP_Stock", "DP_EntradasAbiertas"])
async def test_a_page_with_a_missing_row_is_an_error(
    stocked: "Service", bodega: httpx2.AsyncClient, query: str
) -> None:
    item = some_items(stocked.sim, 1)[0]
    paste = {"whsCode": "01", "texto": f"{item}\t1"}
    assert (await bodega.post(f"{PLANNINGS}/pegar", json=paste)).status_code == 200
    detail = await plan(bodega, item)
    whole = await run_query(stocked.sim, query)
    short = json.dumps({**whole, "value": whole["value"][1:]})
    missing = Answer(status=200, body=short, content_type="application/json")
    stocked.sim.faults.add(Fault(action=missing, path=f"*{query}*/List", times=None))
    body = {
        "cabecera": {"whsCode": "01"},
        "lineas": [{"itemCode": item, "cantidad": 1}],
        "permitirOtra": True,
    }
    path = f"{PLANNINGS}/{detail['id']}"
    for refused in (
        await bodega.post(f"{PLANNINGS}/pegar", json=paste),
        await bodega.post(PLANNINGS, json=body),
        await bodega.patch(f"{path}/lineas/1", json={"version": 1, "cantidad": 1}),
        await bodega.patch(f"{path}/cabecera", json={"version": 1, "whsCode": "02"}),
    ):
        assert (refused.status_code, refused.json()["code"]) == (502, "query_incomplete")
    stocked.sim.faults.clear()
    assert (await bodega.get(PLANNINGS)).json()["total"] == 1
    assert (await bodega.get(path)).json() == detail


async def run_query(sim: Simulator, query: str) -> dict[str, Any]:
    """Run a stored query of warehouse 01 as the administrator, on one page."""
    values = "almacen='01'&articulo='%'&desde=0&hasta=2147483647"
    totals = "almacenTotal='01'&articuloTotal='%'&desdeTotal=0&hastaTotal=2147483647"
    async with administrator_of(sim) as layer:
        answer = await layer.post(
            f"SQLQueries('{query}')/List",
            json={"ParamList": f"{values}&{totals}"},
            headers={"Prefer": "odata.maxpagesize=9999"},
        )
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_a_planning_opens_while_the_queue_of_computations_is_full(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *some_items(stocked.sim))
    computing, gate = stocked.components.computing, threading.Event()
    jobs = [
        asyncio.ensure_future(computing.of(f"user {number % 7}").run_on_thread(gate.wait, 30))
        for number in range(MAX_WAITING + 1)
    ]
    await asyncio.sleep(0)
    try:
        assert (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json() == detail
        assert (await bodega.get(f"{PLANNINGS}/abierta")).json() == {"planificacion": detail}
        busy = await bodega.post(f"{PLANNINGS}/pegar", json={"whsCode": "01", "texto": "A\t1"})
        assert (busy.status_code, busy.json()["code"]) == (503, "planning_busy")
        assert busy.headers["retry-after"]
    finally:
        gate.set()
        await asyncio.gather(*jobs)


async def test_an_ended_session_is_reported_and_loses_nothing(stocked: "Service") -> None:
    async with stocked.signed_in("bodega") as client:
        detail = await plan(client, *some_items(stocked.sim))
        stocked.sim.faults.add(Fault(action=ExpireSession(), path="LIB_ODEV*"))
        path = f"{PLANNINGS}/{detail['id']}"
        dead = await client.patch(f"{path}/lineas/1", json={"version": 1, "excluida": True})
        assert (dead.status_code, dead.json()["message"]) == (401, "Debe iniciar sesión")
    async with stocked.signed_in("bodega") as client:
        assert (await client.get(path)).json() == detail


async def test_a_lost_reply_to_a_change_is_an_unknown_outcome(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *some_items(stocked.sim))
    stocked.sim.faults.add(Fault(action=Drop(), method="PATCH", path="LIB_ODEV*"))
    path = f"{PLANNINGS}/{detail['id']}"
    lost = await bodega.patch(f"{path}/cabecera", json={"version": 1, "comentario": "x"})
    assert (lost.status_code, lost.json()["code"]) == (502, "outcome_unknown")


@pytest.mark.check
async def test_one_users_slow_call_delays_no_other(stocked: "Service") -> None:
    async with stocked.signed_in("bodega") as slow, stocked.signed_in() as quick:
        stocked.sim.faults.add(Fault(action=Delay(seconds=15), path="LIB_ODEV*"))
        stocked.sim.calls.clear()
        waiting = asyncio.ensure_future(slow.get(PLANNINGS))
        await stocked.arrived("GET", "LIB_ODEV")
        assert (await quick.get(PLANNINGS)).status_code == 200
        assert not waiting.done()
        waiting.cancel()


async def test_quantities_are_transferred_exactly(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    item = some_items(stocked.sim, 1)[0]
    body = {"cabecera": {"whsCode": "01"}, "lineas": [{"itemCode": item, "cantidad": 0.1}]}
    created = await bodega.post(PLANNINGS, json=body)
    assert created.status_code == 201, created.text
    assert '"cantidad":0.1,' in created.text
    assert '"cantidad":0.1,' in (await bodega.get(created.headers["location"])).text
    body["lineas"] = [{"itemCode": item, "cantidad": 0.1234567}]
    refused = await bodega.post(PLANNINGS, json={**body, "permitirOtra": True})
    assert [problem["path"] for problem in refused.json()["errors"]] == ["lineas[0].cantidad"]
