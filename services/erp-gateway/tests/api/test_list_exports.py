"""Lists of the proxy as files: the same checks, page by page, all of it or nothing."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from erpsim.company.switches import Switches
from erpsim.faults import Delay, Fault, Refuse
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway
    from tests.conftest import CsvCells, Sheets

    from erpsim.simulator import Simulator

CSV = {"Accept": "text/csv"}
XLSX = {"Accept": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
PAGE = 200


async def everything(gateway: "Gateway", address: str, headers: dict[str, str]) -> list[dict[str, Any]]:
    """Return all records of a list, read the usual way."""
    rows: list[dict[str, Any]] = []
    while True:
        page = (await gateway.http.get(f"{address}$top=500&$skip={len(rows)}", headers=headers)).json()
        rows += page["value"]
        if len(rows) >= page["odata.count"]:
            return rows


@pytest.mark.asyncio
async def test_an_export_lists_all_records_by_key_with_default_columns(
    open_gateway: "OpenGateway", csv_cells: "CsvCells"
) -> None:
    async with run_sim(seed="full") as sim, open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        records = await everything(gateway, "/api/sl/Orders?$filter=DocEntry le 450&$orderby=DocEntry&", ana)
        assert len(records) > 2 * PAGE
        await gateway.http.get("/api/sl/Orders?$top=1", headers={**ana, **CSV})  # decimals are known now
        before = sim.calls.total
        answer = await gateway.http.get("/api/sl/Orders?$filter=DocEntry le 450", headers={**ana, **CSV})
        assert answer.status_code == 200, answer.text
        assert sim.calls.total - before == -(-len(records) // PAGE)
        assert answer.headers["Content-Disposition"].endswith(
            "filename*=UTF-8''Pedidos%20de%20venta%202026-03-02.csv"
        )
        head, *rows = csv_cells(answer.content)
        assert head[:5] == ["Número", "Fecha", "Vencimiento", "Código del socio", "Nombre del socio"]
        assert head[5:7] == ["Total (CLP)", "Moneda"]
        assert head[7] == "Estado"
        assert [row[0] for row in rows] == [str(each["DocNum"]) for each in records]
        assert [row[1] for row in rows] == [each["DocDate"][:10] for each in records]
        assert {row[7] for row in rows} <= {"Abierto", "Cerrado"}
        assert [float(row[5].replace(",", ".")) for row in rows] == [each["DocTotal"] for each in records]


@pytest.mark.asyncio
async def test_amounts_have_the_decimals_of_their_currency(gateway: "Gateway", csv_cells: "CsvCells") -> None:
    ana = await gateway.signed_in()
    line = {"ItemCode": "A/1", "Quantity": 1, "UnitPrice": 12.5}
    body = {"CardCode": "C00001", "DocDueDate": "2026-12-31", "DocCurrency": "USD", "DocumentLines": [line]}
    made = await gateway.http.post("/api/sl/Orders", json=body, headers=ana)
    assert made.status_code == 201, made.text
    row = made.json()
    address = f"/api/sl/Orders?$select=DocTotal,DocTotalFc&$filter=DocEntry eq {row['DocEntry']}"
    answer = await gateway.http.get(address, headers={**ana, **CSV})
    (local, foreign) = csv_cells(answer.content)[1]
    assert (local, foreign) == (f"{row['DocTotal']:.0f}", f"{row['DocTotalFc']:.2f}".replace(".", ","))


@pytest.mark.asyncio
async def test_an_amount_in_local_currency_names_it_in_the_heading(
    gateway: "Gateway", csv_cells: "CsvCells", sheets_of: "Callable[[bytes], Sheets]"
) -> None:
    """5,176.50 USD at 898 are 4,648,497 CLP, which the column `DocCurrency` does not name."""
    ana = await gateway.signed_in()
    line = {"ItemCode": "A/1", "Quantity": 1, "UnitPrice": 4350}
    body = {
        "CardCode": "C00001",
        "DocDueDate": "2026-12-31",
        "DocCurrency": "USD",
        "DocRate": 898,
        "DocumentLines": [line],
    }
    made = await gateway.http.post("/api/sl/Orders", json=body, headers=ana)
    assert made.status_code == 201, made.text
    row = made.json()
    assert (row["DocTotalFc"], row["DocTotal"]) == (5176.5, 4648497)
    columns = "DocTotal,DocTotalFc,DocCurrency,VatSum,DocRate"
    address = f"/api/sl/Orders?$select={columns}&$filter=DocEntry eq {row['DocEntry']}"
    answer = await gateway.http.get(address, headers={**ana, **CSV})
    assert csv_cells(answer.content)[0][:3] == ["Total (CLP)", "Total en divisa", "Moneda"]
    assert csv_cells(answer.content)[1][:3] == ["4648497", "5176,50", "USD"]
    head, cells = sheets_of((await gateway.http.get(address, headers={**ana, **XLSX})).content)["Datos"]
    assert list(head[:3]) == ["Total (CLP)", "Total en divisa", "Moneda"]
    assert list(cells[:3]) == [4648497, 5176.5, "USD"]


@pytest.mark.asyncio
async def test_decimals_missed_by_a_cancelled_export_are_read_by_the_next(
    gateway: "Gateway", sim: "Simulator", csv_cells: "CsvCells"
) -> None:
    ana = {**await gateway.signed_in(), **CSV}
    address = "/api/sl/Orders?$select=DocTotal&$filter=DocEntry eq 1"
    sim.faults.add(Fault(action=Delay(seconds=1), path="Currencies"))
    first = asyncio.create_task(gateway.http.get(address, headers=ana))
    async with asyncio.timeout(30):
        while not any(each.path.startswith("Currencies") for each in sim.calls.of("GET")):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    first.cancel()
    (total,) = csv_cells((await gateway.http.get(address, headers=ana)).content)[1]
    assert total.isdecimal()  # pesos have none


@pytest.mark.asyncio
async def test_a_list_ordered_by_descending_key_is_exported_in_order(
    gateway: "Gateway", csv_cells: "CsvCells"
) -> None:
    ana = await gateway.signed_in()
    address = "/api/sl/Orders?$select=DocEntry&$orderby=DocEntry desc"
    found = [
        row[0] for row in csv_cells((await gateway.http.get(address, headers={**ana, **CSV})).content)[1:]
    ]
    assert len(found) > 1
    assert found == sorted(found, key=int, reverse=True)


@pytest.mark.asyncio
async def test_the_export_applies_select_filter_and_order(
    gateway: "Gateway", sim: "Simulator", sheets_of: "Callable[[bytes], Sheets]"
) -> None:
    ana = await gateway.signed_in()
    query = "$select=CardName,DocEntry,DocDate&$filter=DocEntry gt 2 or DocEntry eq 1&$orderby=CardName desc&"
    records = await everything(gateway, f"/api/sl/Orders?{query}", ana)
    answer = await gateway.http.get(f"/api/sl/Orders?{query}formato=xlsx&$skip=1&$top=3", headers=ana)
    assert answer.status_code == 200, answer.text
    sheets = sheets_of(answer.content)
    head, *rows = sheets["Datos"]
    assert head == ["Nombre del socio", "Número interno", "Fecha"]
    assert [str(row[2])[:10] for row in rows] == [each["DocDate"][:10] for each in records[1:4]]
    assert sorted(row[0] for row in rows) == sorted(each["CardName"] for each in records[1:4])
    about: dict[Any, Any] = dict(sheets["Acerca de"])
    assert (about["Título"], about["Filas"], about["Orden"]) == ("Pedidos de venta", 3, "CardName desc")
    assert "DocEntry gt 2" in str(about["Filtro"])


@pytest.mark.asyncio
async def test_an_export_has_the_checks_of_the_list_and_no_audit_record(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    for address, headers, code in (
        ("/api/sl/Orders", luis, "permission_denied"),
        ("/api/sl/Users", ana, "resource_not_registered"),
        ("/api/sl/Orders?$apply=x", ana, "odata_unknown_option"),
        ("/api/sl/Orders?$filter=U_WEB_PASS eq 'x'", ana, "odata_forbidden_name"),
        ("/api/sl/Orders?$top=50001", ana, "odata_bad_value"),
        ("/api/sl/Orders?formato=csv&formato=csv", ana, "invalid_query"),
        ("/api/sl/Orders?formato=pdf", ana, "invalid_query"),
    ):
        answer = await gateway.http.get(address, headers={**headers, **CSV})
        assert answer.json()["code"] == code, address
    assert (await gateway.http.get("/api/sl/Items", headers={**ana, **CSV})).status_code == 200
    page = await gateway.http.get("/api/audit", headers=ana)
    assert {item["action"] for item in page.json()["items"]} <= {
        "login",
        "permission_denied",
        "permissions_replace",
    }


@pytest.mark.asyncio
async def test_a_head_request_for_an_export_makes_no_erp_call(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    before = sim.calls.total
    answer = await gateway.http.head("/api/sl/Items?formato=xlsx", headers=ana)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, XLSX["Accept"])
    assert "Content-Length" not in answer.headers, "of rows that nobody read"
    assert sim.calls.total == before


@pytest.mark.asyncio
@pytest.mark.parametrize("headers", [CSV, XLSX])
async def test_an_export_over_the_limit_is_refused_without_top(
    open_gateway: "OpenGateway", sim: "Simulator", headers: dict[str, str]
) -> None:
    async with open_gateway(sim, EXPORT_MAX_ROWS="5") as gateway:
        ana = await gateway.signed_in()
        await gateway.http.get("/api/sl/Orders?$top=1", headers={**ana, **headers})  # decimals are known now
        before = sim.calls.total
        answer = await gateway.http.get("/api/sl/Orders", headers={**ana, **headers})
        assert (answer.status_code, answer.json()["code"]) == (422, "export_too_large")
        assert "se exportan hasta 5" in answer.json()["detail"]
        assert sim.calls.total - before == 1
        assert (
            await gateway.http.get("/api/sl/Orders?$top=5", headers={**ana, **headers})
        ).status_code == 200


@pytest.mark.asyncio
async def test_an_empty_list_is_exported_as_its_headings(gateway: "Gateway", csv_cells: "CsvCells") -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get("/api/sl/Items?$filter=ItemCode eq 'nope'", headers={**ana, **CSV})
    assert len(csv_cells(answer.content)) == 1


@pytest.mark.asyncio
async def test_a_refusal_of_the_erp_is_answered_as_that(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Refuse(status=400, code=-1, text="no"), path="Orders*"))
    answer = await gateway.http.get("/api/sl/Orders", headers={**ana, **CSV})
    assert (answer.status_code, answer.json()["code"]) == (400, "upstream_rejected")


@pytest.mark.asyncio
async def test_an_export_is_refused_after_a_record_appears_during_paging(
    open_gateway: "OpenGateway",
) -> None:
    async with run_sim(seed="full") as sim, open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        sim.faults.add(Fault(action=Delay(seconds=0.3), method="GET", path="Items*"))
        exporting = asyncio.create_task(
            gateway.http.get("/api/sl/Items?$orderby=ItemName", headers={**ana, **XLSX})
        )
        async with asyncio.timeout(30):
            while not sim.calls.in_flight:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.001)
        made = await gateway.http.post(
            "/api/sl/Items", json={"ItemCode": "N-1", "ItemName": "N"}, headers=ana
        )
        assert made.status_code == 201, made.text
        answer = await exporting
        assert (answer.status_code, answer.json()["code"]) == (409, "export_changed")


@pytest.mark.asyncio
async def test_ten_exports_delay_another_users_read_by_at_most_one_page(
    open_gateway: "OpenGateway",
) -> None:
    async with (
        run_sim(seed="full", switches=Switches(call_delay_s=0.02)) as sim,
        open_gateway(sim, EXPORT_MAX_CONCURRENCY="10") as gateway,
    ):
        people = [await gateway.signed_in(), await gateway.signed_in("luis")]
        await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/*"]}, headers=people[0])
        exports = [
            asyncio.create_task(gateway.http.get("/api/sl/Orders", headers={**people[n % 2], **CSV}))
            for n in range(10)
        ]
        async with asyncio.timeout(30):
            while gateway.components.client.queue_stats.waiting < 9:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.001)
        for _ in range(5):
            before = sim.calls.total
            answer = await gateway.http.get("/api/sl/Warehouses?$top=1", headers=people[1])
            assert answer.status_code == 200
            assert sim.calls.total - before <= 2  # one page that was under way, and the read itself
            assert not all(task.done() for task in exports)
        assert {(await task).status_code for task in exports} == {200}
        assert len({(await task).content for task in exports}) == 1


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("DELETE", "/api/permissions/luis", "permission_denied"),
        ("DELETE", "/api/sessions/luis", "session_expired"),
    ],
)
@pytest.mark.asyncio
async def test_an_export_stops_paging_after_session_or_right_is_lost(
    open_gateway: "OpenGateway", method: str, path: str, code: str
) -> None:
    async with run_sim(seed="full") as sim, open_gateway(sim) as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/*"]}, headers=ana)
        sim.faults.add(Fault(action=Delay(seconds=0.3), method="GET", path="Orders*", times=None))
        exporting = asyncio.create_task(gateway.http.get("/api/sl/Orders", headers={**luis, **XLSX}))
        async with asyncio.timeout(30):
            while not sim.calls.in_flight:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.001)
        begun = len(sim.calls.of("GET", "Orders"))
        assert (await gateway.http.request(method, path, headers=ana)).status_code == 204
        assert (await exporting).json()["code"] == code
        assert len(sim.calls.of("GET", "Orders")) <= begun + 1
