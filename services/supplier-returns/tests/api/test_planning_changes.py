"""Picking batches and serial numbers, replanning and adding lines, through the whole application."""

from typing import TYPE_CHECKING, Any

import attrs
import httpx2
import pytest
from executions import GRANTED, PLANNINGS, plain_items
from returns_company import administrator_of, open_lines, plan

from erpsim.company.switches import SqlDialect, Switches
from erpsim.desk import Desk
from erpsim.faults import BadGateway, Fault
from erpsim.simulator import Simulator, run_sim

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

pytestmark = pytest.mark.asyncio


def managed_item(sim: Simulator, how: str) -> str:
    """Return an item with open receipts that is managed by `ManageBatchNumbers` or `ManageSerialNumbers`."""
    rows: Any = sim.world.company.rows("Items")
    managed = {row["ItemCode"] for row in rows if row.get(how) == "tYES"}
    return next(code for code in open_lines(sim) if code in managed)


async def test_batches_are_picked_and_removed(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    item = managed_item(stocked.sim, "ManageBatchNumbers")
    detail = await plan(bodega, item, quantity=1)
    (line,) = detail["lineas"]
    assert (line["gestion"], line["estado"], line["asignada"]) == ("lotes", "requiere_lotes", 1)
    path = f"{PLANNINGS}/{detail['id']}/lineas/1"
    with stocked.counting() as calls:
        there = (await bodega.get(f"{path}/lotes")).json()
    assert len(calls) == 2
    assert (there["lineId"], there["itemCode"], there["gestion"], there["asignada"]) == (1, item, "lotes", 1)
    assert there["lotes"], "the simulated company knows where its batches lie"
    assert all(each["serie"] is None and each["disponible"] == each["cantidad"] for each in there["lotes"])
    lot = there["lotes"][0]["lote"]
    for wrong in ([{"lote": lot, "cantidad": 2}], [{"lote": "NO-HAY", "cantidad": 1}]):
        refused = await bodega.patch(path, json={"version": 1, "lotes": wrong})
        assert (refused.status_code, refused.json()["code"]) == (422, "picks_mismatch")
    with stocked.counting() as calls:
        picked = await bodega.patch(path, json={"version": 1, "lotes": [{"lote": lot, "cantidad": 1}]})
    assert len(calls) == 5, "the record, stock, receipts, batches, and the write"
    assert picked.status_code == 200, picked.text
    (line,) = picked.json()["lineas"]
    assert [part["lote"] for part in line["asignaciones"]] == [lot]
    assert (line["estado"], line["mensaje"]) == ("planificada", None)
    assert (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json() == picked.json()
    forgotten = await bodega.patch(path, json={"version": 2, "lotes": []})
    assert forgotten.json()["lineas"] == detail["lineas"]


async def test_serial_numbers_can_be_picked(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    item = managed_item(stocked.sim, "ManageSerialNumbers")
    detail = await plan(bodega, item, quantity=1)
    path = f"{PLANNINGS}/{detail['id']}/lineas/1"
    there = (await bodega.get(f"{path}/lotes")).json()
    assert {(each["cantidad"], each["lote"]) for each in there["lotes"]} == {(1, None)}
    picked = await bodega.patch(path, json={"version": 1, "series": [there["lotes"][0]["serie"]]})
    assert picked.json()["lineas"][0]["estado"] == "planificada", picked.text
    elected = (await bodega.get(f"{path}/lotes")).json()["lotes"]
    assert [each["elegida"] for each in elected if each["elegida"]] == [1]


async def test_replanning_uses_todays_stock(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    items = plain_items(stocked.sim, 3)
    detail = await plan(bodega, *items, quantity=3)
    path = f"{PLANNINGS}/{detail['id']}/replanificar"
    with stocked.counting() as calls:
        same = await bodega.post(path, json={"version": 1})
    assert (same.status_code, same.json()) == (200, detail)
    assert len(calls) <= 5
    await remove_stock(stocked.sim, items[0])
    planned = (await bodega.post(path, json={"version": 1})).json()
    assert planned["version"] == 2
    assert (planned["lineas"][0]["asignada"], planned["lineas"][0]["sinStock"]) == (0, 3)
    assert planned["lineas"][1:] == detail["lineas"][1:]
    assert (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json() == planned
    stale = await bodega.post(path, json={"version": 1})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_version")
    refused = await bodega.post(path, json={})
    assert [problem["path"] for problem in refused.json()["errors"]] == ["version"]


async def remove_stock(sim: Simulator, item_code: str) -> None:
    """Remove the whole stock of an item from warehouse 01, as another program would."""
    rows: Any = sim.world.company.rows("Items")
    (item,) = (row for row in rows if row["ItemCode"] == item_code)
    places = item["ItemWarehouseInfoCollection"]
    (quantity,) = (place["InStock"] for place in places if place["WarehouseCode"] == "01")
    line = {"ItemCode": item_code, "Quantity": float(quantity), "WarehouseCode": "01"}
    async with administrator_of(sim) as layer:
        issued = await layer.post("InventoryGenExits", json={"DocumentLines": [line]})
        assert issued.status_code == 201, issued.text


async def test_lines_are_added(stocked: "Service", bodega: httpx2.AsyncClient) -> None:
    items = plain_items(stocked.sim, 3)
    detail = await plan(bodega, *items[:2])
    path = f"{PLANNINGS}/{detail['id']}/lineas"
    more = [
        {"itemCode": items[0], "cantidad": 1, "filas": [4]},
        {"itemCode": items[2].lower(), "cantidad": 2},
    ]
    with stocked.counting() as calls:
        added = await bodega.post(path, json={"version": 1, "lineas": more})
    assert added.status_code == 200, added.text
    assert len(calls) <= 4
    body = added.json()
    assert [(line["lineId"], line["itemCode"], line["cantidad"]) for line in body["lineas"]] == [
        (1, items[0], 3),
        (2, items[1], 2),
        (3, items[2], 2),
    ]
    assert (body["version"], body["lineas"][0]["filas"]) == (2, [4])
    assert (await bodega.get(f"{PLANNINGS}/{detail['id']}")).json() == body
    nothing = {"itemCode": "A", "cantidad": 0}
    for wrong, at in (({"lineas": []}, "lineas"), ({"lineas": [nothing]}, "lineas[0].cantidad")):
        refused = await bodega.post(path, json={"version": 2, **wrong})
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, at)


async def test_lots_picked_by_another_line_are_shown_and_cannot_be_picked(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    item = managed_item(stocked.sim, "ManageSerialNumbers")
    lines = [{"itemCode": item, "cantidad": 1}, {"itemCode": item, "cantidad": 1, "motivo": "VENC"}]
    answer = await bodega.post(PLANNINGS, json={"cabecera": {"whsCode": "01"}, "lineas": lines})
    assert answer.status_code == 201, answer.text
    path = f"{PLANNINGS}/{answer.json()['id']}/lineas"
    serial = (await bodega.get(f"{path}/1/lotes")).json()["lotes"][0]["serie"]
    picked = await bodega.patch(f"{path}/1", json={"version": 1, "series": [serial]})
    assert picked.status_code == 200, picked.text
    (shown,) = (
        each for each in (await bodega.get(f"{path}/2/lotes")).json()["lotes"] if each["serie"] == serial
    )
    assert (shown["cantidad"], shown["disponible"], shown["elegida"]) == (1, 0, 0)
    refused = await bodega.patch(f"{path}/2", json={"version": 2, "series": [serial]})
    assert (refused.status_code, refused.json()["code"]) == (422, "picks_mismatch")
    assert serial in refused.json()["detail"]


async def test_an_item_without_batches_has_no_lots_and_a_missing_line_is_not_found(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 1))
    path = f"{PLANNINGS}/{detail['id']}/lineas"
    with stocked.counting() as calls:
        there = (await bodega.get(f"{path}/1/lotes")).json()
    assert (there["gestion"], there["lotes"], len(calls)) == ("ninguna", [], 1)
    for where, code in (
        (f"{path}/9/lotes", "line_not_found"),
        (f"{PLANNINGS}/99/lineas/1/lotes", "planning_not_found"),
    ):
        missing = await bodega.get(where)
        assert (missing.status_code, missing.json()["code"]) == (404, code)
    for where, sent in (("lineas", {"lineas": [{"itemCode": "A", "cantidad": 1}]}), ("replanificar", {})):
        missing = await bodega.post(f"{PLANNINGS}/99/{where}", json={"version": 1, **sent})
        assert (missing.status_code, missing.json()["code"]) == (404, "planning_not_found")


async def test_an_executed_or_closed_planning_is_not_replanned_or_extended(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    item, other = plain_items(stocked.sim, 2)
    detail = await plan(bodega, item, quantity=1)
    path = f"{PLANNINGS}/{detail['id']}"
    done = (await bodega.post(f"{path}/devoluciones", json={"version": 1})).json()
    assert (done["estado"], done["acciones"]) == ("ejecutada", ["cerrar"])
    more = {"lineas": [{"itemCode": other, "cantidad": 1}]}
    for code in ("held_by_document", "planning_closed"):
        for where, sent in (("replanificar", {}), ("lineas", more)):
            with stocked.counting() as calls:
                refused = await bodega.post(f"{path}/{where}", json={"version": done["version"], **sent})
            assert (refused.status_code, refused.json()["code"]) == (409, code)
            assert len(calls) == 1
        assert (await bodega.post(f"{path}/cerrar")).status_code == 200


async def test_an_excluded_line_of_an_executed_planning_stays_excluded(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    detail = await plan(bodega, *plain_items(stocked.sim, 2), quantity=1)
    path = f"{PLANNINGS}/{detail['id']}"
    out = await bodega.patch(f"{path}/lineas/2", json={"version": 1, "excluida": True})
    body = {"version": out.json()["version"]}
    done = (await bodega.post(f"{path}/devoluciones", json=body)).json()
    assert (done["estado"], done["acciones"]) == ("ejecutada", ["cerrar"])
    refused = await bodega.patch(f"{path}/lineas/2", json={"version": done["version"], "excluida": False})
    assert (refused.status_code, refused.json().get("code")) == (409, "held_by_document")
    assert "haga una nueva" in refused.json()["message"]
    assert (await bodega.get(path)).json() == done


async def test_lines_can_be_added_to_a_partly_executed_planning(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    item, second, other = plain_items(stocked.sim, 3)
    new = {
        "cabecera": {"whsCode": "01"},
        "lineas": [{"itemCode": each, "cantidad": 1} for each in (item, second)],
    }
    detail = (await bodega.post(PLANNINGS, json=new)).json()
    path = f"{PLANNINGS}/{detail['id']}"
    made = (await bodega.post(f"{path}/devoluciones", json={"version": 1, "documentos": [1]})).json()
    sent_line = next(
        line for line in made["lineas"] if {part["docId"] for part in line["asignaciones"]} == {1}
    )
    more = [{"itemCode": sent_line["itemCode"], "cantidad": 1}, {"itemCode": other, "cantidad": 1}]
    added = await bodega.post(f"{path}/lineas", json={"version": made["version"], "lineas": more})
    assert added.status_code == 200, added.text
    body = added.json()
    assert [line["itemCode"] for line in body["lineas"]] == [item, second, sent_line["itemCode"], other]
    assert body["lineas"][sent_line["lineId"] - 1] == sent_line
    assert body["documentos"][0] == made["documentos"][0]
    assert (body["estado"], "devoluciones" in body["acciones"]) == ("planificada", True)
    finished = (await bodega.post(f"{path}/devoluciones", json={"version": body["version"]})).json()
    assert finished["estado"] == "ejecutada"


@pytest.mark.parametrize(
    ("method", "where", "body", "query"),
    [
        ("GET", "lineas/1/lotes", None, "DP_Lotes"),
        ("PATCH", "lineas/1", {"lotes": [{"lote": "L", "cantidad": 1}]}, "DP_Lotes"),
        ("POST", "replanificar", {}, "DP_EntradasAbiertas"),
        ("POST", "lineas", {"lineas": [{"itemCode": "A", "cantidad": 1}]}, "DP_Stock"),
    ],
)
async def test_an_erp_error_changes_nothing(
    stocked: "Service", bodega: httpx2.AsyncClient, method: str, where: str, body: Any, query: str
) -> None:
    detail = await plan(bodega, managed_item(stocked.sim, "ManageBatchNumbers"), quantity=1)
    path = f"{PLANNINGS}/{detail['id']}"
    sent = None if body is None else {"version": 1, **body}
    stocked.sim.faults.add(Fault(action=BadGateway(), path=f"SQLQueries('{query}')/List", times=None))
    failed = await bodega.request(method, f"{path}/{where}", json=sent)
    assert (failed.status_code, failed.json()["code"]) == (502, "upstream_failed")
    stocked.sim.faults.clear()
    assert (await bodega.get(path)).json() == detail


async def test_outdated_metadata_is_reported_with_the_missing_parts(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    item = managed_item(stocked.sim, "ManageBatchNumbers")
    detail = await plan(bodega, item, quantity=1)
    company = stocked.sim.world.company
    with company.transaction():
        for code in ("DP_Lotes", "DP_Series"):
            company.remove("SQLQueries", (code,))
    path = f"{PLANNINGS}/{detail['id']}"
    picks = {"version": 1, "lotes": [{"lote": "L", "cantidad": 1}]}
    for refused in (
        await bodega.get(f"{path}/lineas/1/lotes"),
        await bodega.patch(f"{path}/lineas/1", json=picks),
    ):
        reported = refused.json()
        assert (refused.status_code, reported["code"]) == (403, "erp_forbidden")
        assert reported["detail"] == (
            "La consulta guardada «DP_Lotes» aún no está en el ERP y su usuario no puede crearla. "
            "Pida a un administrador que ingrese a esta aplicación y reconstruya los metadatos."
        )
        assert reported["authorization"] == "Modify SQL Queries in Service Layer"
    again = await bodega.post(f"{path}/replanificar", json={"version": 1})
    assert (again.status_code, again.json()) == (200, detail), "planning itself needs neither query"
    async with stocked.signed_in() as manager:
        assert (await manager.post("/api/metadata/rebuild")).status_code == 200
    assert (await bodega.get(f"{path}/lineas/1/lotes")).json()["lotes"]


@pytest.mark.parametrize("dialect", SqlDialect)
@pytest.mark.parametrize(
    ("how", "table"), [("ManageBatchNumbers", "batch"), ("ManageSerialNumbers", "serial")]
)
async def test_both_query_texts_find_the_lots_of_the_warehouse(
    open_service: "OpenService", dialect: SqlDialect, how: str, table: str
) -> None:
    switches = attrs.evolve(Switches(sql_grants=GRANTED), sql_dialect=dialect)
    async with (
        run_sim(seed="returns", switches=switches) as sim,
        open_service(sim, DB_TYPE=dialect.name) as service,
        service.signed_in() as manager,
    ):
        assert (await manager.post("/api/metadata/rebuild")).status_code == 200
        item = managed_item(sim, how)
        detail = await plan(manager, item, quantity=1)
        found = (await manager.get(f"{PLANNINGS}/{detail['id']}/lineas/1/lotes")).json()["lotes"]
        assert found
        rows: Any = sim.world.company.rows("Items")
        (row,) = (row for row in rows if row["ItemCode"] == item)
        places = row["ItemWarehouseInfoCollection"]
        (stock,) = (place["InStock"] for place in places if place["WarehouseCode"] == "01")
        assert sum(each["cantidad"] for each in found) == stock, table


async def test_another_date_updates_the_inactive_items(
    stocked: "Service", bodega: httpx2.AsyncClient
) -> None:
    (item,) = plain_items(stocked.sim, 1)
    Desk(stocked.sim.world).change(
        "Items", item, {"Frozen": "tYES", "FrozenFrom": "2026-03-02", "FrozenTo": "2026-03-02"}
    )
    detail = await plan(bodega, item)
    path = f"{PLANNINGS}/{detail['id']}"
    reported = detail["lineas"][0]["mensaje"]
    assert (detail["cabecera"]["fecha"], "inactivo" in reported) == ("2026-03-02", True)
    for version, day, message in (
        (1, "2026-03-03", None),
        (2, "2026-03-02", reported),
        (3, "2026-03-04", None),
    ):
        changed = await bodega.patch(f"{path}/cabecera", json={"version": version, "fecha": day})
        assert changed.status_code == 200, changed.text
        assert changed.json()["lineas"][0]["mensaje"] == message
        assert (await bodega.get(path)).json() == changed.json()
