"""An extension's declarations are served: its resource, its query and its report. Nothing else is."""

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from erp_gateway.extensions import ExtensionError
from erpsim.desk import Desk

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

NAME = "customer_of_the_api_tests"
MODULE = """
from pathlib import Path
from erp_gateway.extensions import *

STOCK = "SELECT codigo, cantidad FROM stock WHERE cantidad >= :minimo ORDER BY codigo"

async def build(run_query, values):
    result = await run_query("stock", {"minimo": values["minimo"]})
    return {"rows": result.rows}

EXTENSION = Extension(
    resources=(
        Resource(name="U_ACME_RUTAS", key=StrKey("Code"), read_menu="/rutas", write_menu=None),
    ),
    service_actions=("SeriesService_GetElectronicSeries",),
    roles=(RoleTemplate(name="Rutas", paths=("/rutas", "/inventario/*"), description="Repartir"),),
    queries=(
        Query(
            name="stock",
            title="Existencias",
            sql={"hana": STOCK, "sqlite": STOCK},
            parameters=(QueryParameter(name="minimo", type="number"),),
            menu="/inventario/stock",
            max_rows=2,
        ),
    ),
    html_reports=(
        HtmlReport(
            code="stock",
            title="Existencias",
            parameters=(ReportParameter(name="minimo", type="xsd:decimal", required=True),),
            folder=Path(__file__).parent / "templates",
            template="stock.html",
            data=build,
        ),
    ),
    replaces=Declarations(
        resources=(
            Resource(name="Items", key=StrKey("ItemCode"), read_menu="/inventario", write_menu=None),
        ),
    ),
)
"""
TEMPLATE = "<ul>\n% for row in rows:\n<li>${row['codigo']}: ${row['cantidad']}</li>\n% endfor\n</ul>"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Put an extension on the import path and a database beside it; return the settings that name them."""
    folder = tmp_path / "customer"
    (folder / "templates").mkdir(parents=True)
    (folder / f"{NAME}.py").write_text(MODULE, encoding="utf-8")
    (folder / "templates" / "stock.html").write_text(TEMPLATE, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    connection = sqlite3.connect(folder / "company.sqlite")
    connection.execute("CREATE TABLE stock (codigo TEXT, cantidad NUMERIC)")
    rows = [("A<1>", 5), ("B2", 0), ("C3", 7), ("D4", 9)]
    connection.executemany("INSERT INTO stock VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    yield {
        "EXTENSIONS": NAME,
        "ERPDB_ENGINE": "sqlite",
        "ERPDB_DATABASE": str(folder / "company.sqlite"),
    }
    sys.modules.pop(NAME, None)


async def grant(gateway: "Gateway", *paths: str) -> dict[str, str]:
    """Let the clerk into menus; return the clerk's proof."""
    ana = await gateway.signed_in()
    answer = await gateway.http.put("/api/permissions/luis", json={"paths": paths}, headers=ana)
    assert answer.status_code == 200
    return await gateway.signed_in("luis")


@pytest.mark.asyncio
async def test_an_extension_resource_is_served_under_its_menu_route(
    extended: "Gateway", sim: "Simulator"
) -> None:
    desk = Desk(sim.world)
    desk.create("UserTablesMD", {"TableName": "ACME_RUTAS", "TableDescription": "Rutas"})
    for code, name in (("S", "Sur"), ("N", "Norte")):
        desk.create("U_ACME_RUTAS", {"Code": code, "Name": name})
    luis = await grant(extended, "/ventas/*")
    denied = await extended.http.get("/api/sl/U_ACME_RUTAS", headers=luis)
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    await grant(extended, "/rutas")
    luis = await extended.signed_in("luis")
    listed = await extended.http.get("/api/sl/U_ACME_RUTAS?$select=Name&$orderby=Name", headers=luis)
    assert listed.status_code == 200
    assert [row["Name"] for row in listed.json()["value"]] == ["Norte", "Sur"]
    written = await extended.http.post("/api/sl/U_ACME_RUTAS", json={"Name": "x"}, headers=luis)
    assert written.status_code == 405


@pytest.mark.asyncio
async def test_a_resource_replaced_by_an_extension_follows_the_new_rules(
    extended: "Gateway", sim: "Simulator"
) -> None:
    luis = await grant(extended, "/ventas/*")
    assert (await extended.http.get("/api/sl/Items", headers=luis)).status_code == 403
    luis = await grant(extended, "/inventario")
    assert (await extended.http.get("/api/sl/Items?$top=1", headers=luis)).status_code == 200
    assert (await extended.http.patch("/api/sl/Items/A1", json={}, headers=luis)).status_code == 405
    assert sim.calls.of("PATCH", "Items('A1')") == []


@pytest.mark.asyncio
async def test_menu_routes_of_an_extension_are_listed_for_administrators(extended: "Gateway") -> None:
    response = await extended.http.get("/api/menu-routes", headers=await extended.signed_in())
    role = {"name": "Rutas", "description": "Repartir", "paths": ["/rutas", "/inventario/*"]}
    assert response.json()["roles"] == [role]
    known = [(each["kind"], each["title"], each["read"]) for each in response.json()["items"]]
    assert ("query", "Existencias", "/inventario/stock") in known
    assert ("resource", "U_ACME_RUTAS", "/rutas") in known
    assert ("resource", "Artículos", "/inventario") not in known  # a replacement without a title has its name
    assert ("resource", "Items", "/inventario") in known


@pytest.mark.asyncio
async def test_an_extension_query_is_listed_and_run_by_permitted_users(extended: "Gateway") -> None:
    luis = await grant(extended, "/ventas/*")
    listed = await extended.http.get("/api/erpdb/queries", headers=luis)
    assert (listed.status_code, listed.json()) == (200, {"items": []})
    body = {"params": {"minimo": 1}}
    denied = await extended.http.post("/api/erpdb/queries/stock", json=body, headers=luis)
    assert denied.status_code == 403
    luis = await grant(extended, "/inventario/stock")
    listed = await extended.http.get("/api/erpdb/queries", headers=luis)
    assert [item["name"] for item in listed.json()["items"]] == ["stock"]
    answer = await extended.http.post("/api/erpdb/queries/stock", json=body, headers=luis)
    assert answer.json() == {
        "rows": [{"codigo": "A<1>", "cantidad": 5}, {"codigo": "C3", "cantidad": 7}],
        "truncated": True,
    }


@pytest.mark.asyncio
async def test_an_extension_report_is_listed_and_rendered(extended: "Gateway") -> None:
    luis = await grant(extended, "/reportes-html/ejecutar")
    listed = await extended.http.get("/api/html-reports", headers=luis)
    assert [item["code"] for item in listed.json()["items"]] == ["stock"]
    path = "/api/html-reports/stock/render"
    answer = await extended.http.post(path, json={"values": {"minimo": 6}}, headers=luis)
    assert answer.status_code == 200
    assert "<li>C3: 7</li>" in answer.text
    answer = await extended.http.post(path, json={"values": {"minimo": 0}}, headers=luis)
    assert "<li>A&lt;1&gt;: 5</li>" in answer.text


@pytest.mark.asyncio
async def test_a_service_action_of_an_extension_may_be_called(extended: "Gateway", sim: "Simulator") -> None:
    ana = await extended.signed_in()
    await extended.http.post("/api/sl/SeriesService_GetElectronicSeries", json={}, headers=ana)
    assert len(sim.calls.of("POST", "SeriesService_GetElectronicSeries")) == 1


@pytest.mark.asyncio
async def test_without_the_setting_the_extension_is_not_loaded(
    open_gateway: "OpenGateway", sim: "Simulator", installed: dict[str, str]
) -> None:
    async with open_gateway(sim, **{**installed, "EXTENSIONS": ""}) as gateway:
        ana = await gateway.signed_in()
        assert (await gateway.http.get("/api/sl/U_ACME_RUTAS", headers=ana)).status_code == 404
        assert (await gateway.http.get("/api/erpdb/queries", headers=ana)).json() == {"items": []}
        assert (await gateway.http.get("/api/html-reports", headers=ana)).json() == {"items": []}
    assert NAME not in sys.modules


@pytest.mark.asyncio
async def test_a_faulty_extension_stops_the_start_before_the_store_is_opened(
    open_gateway: "OpenGateway", sim: "Simulator", store_path: Path
) -> None:
    with pytest.raises(ExtensionError, match="extension no_such_customer: can't be imported"):
        async with open_gateway(sim, EXTENSIONS="no_such_customer"):
            pytest.fail("it started")
    assert not store_path.exists()  # noqa: ASYNC240 - nothing else runs
    assert sim.calls.total == 0
