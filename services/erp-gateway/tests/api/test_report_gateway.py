"""The report gateway's module end to end, on a simulated gateway and ERP; upstream calls are counted."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import attrs
import pikepdf
import pypdfium2  # type: ignore[import-untyped]  # it has no types
import pytest
import pytest_asyncio
from prometheus_client.exposition import generate_latest

from erpsim.faults import Answer, Delay, Drop, Fault, Refuse
from erpsim.process.ports import Listening
from erpsim.report_gateway import ReportGateway, run_report_gateway
from erpsim.report_gateway.faults import export_failed, nothing_printed
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

ORDERS = "/ventas/pedidos"
WAREHOUSE = "warehouse@Select * from OWHS"
ITEM = "Item@Select * from OITM"
STOCK = "RCRI0002"
EXPORT = "rs/v1/ExportPDFData"
LOGIN = {
    "APIGATEWAY_COMPANY_DB": "SBO_DEMO",
    "APIGATEWAY_USER": "manager",
    "APIGATEWAY_PASSWORD": "erpsim",
}


class Reports:
    """The application with a report gateway, an administrator's and a plain user's calls to it."""

    def __init__(self, gateway: "Gateway", upstream: ReportGateway) -> None:
        self.gateway = gateway
        self.upstream = upstream
        self.ana: dict[str, str] = {}
        self.luis: dict[str, str] = {}

    async def sign_in(self) -> None:
        self.ana, self.luis = await self.gateway.signed_in(), await self.gateway.signed_in("luis")

    async def ask(self, method: str, path: str, *, by: str = "ana", **further: Any) -> "httpx2.Response":
        return await self.gateway.http.request(
            method, f"/api/gateway/{path}", headers=getattr(self, by), **further
        )

    async def suggested(self, code: str) -> list[dict[str, Any]]:
        answer = await self.ask("GET", f"authorized/{code}/parameters")
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["parameters"]
        return found

    async def register(self, code: str, **definition: Any) -> dict[str, Any]:
        """Register a report with the parameters it suggests itself, unless others are given."""
        parameters = definition.pop("parameters", None) or await self.suggested(code)
        body = {"title": f"Informe {code}", "category": "", "enabled": True, "documents": [], **definition}
        answer = await self.ask("PUT", f"registry/{code}", json={**body, "parameters": parameters})
        assert answer.status_code == 200, answer.text
        registered: dict[str, Any] = answer.json()
        return registered

    async def export(self, code: str, values: dict[str, Any], by: str = "ana") -> "httpx2.Response":
        return await self.ask("POST", f"reports/{code}/export", by=by, json={"values": values})

    async def print_order(self, code: str, doc_entry: int, screen: str = ORDERS) -> "httpx2.Response":
        return await self.ask(
            "POST", "documents/export", json={"screen": screen, "code": code, "docEntry": doc_entry}
        )

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The parameters of the latest export."""
        return [dict(each) for each in self.upstream.exports[-1].parameters]

    async def audited(self, action: str) -> list[dict[str, Any]]:
        page = await self.gateway.http.get("/api/audit", params={"accion": action}, headers=self.ana)
        items: list[dict[str, Any]] = page.json()["items"]
        return items


@asynccontextmanager
async def opened(open_gateway: "OpenGateway", **settings: str) -> AsyncIterator[Reports]:
    async with run_sim(listening=Listening(report_gateway_port=0)) as sim:
        assert sim.report_gateway is not None
        url = {"APIGATEWAY_URL": sim.report_gateway.url + "/"}
        async with open_gateway(sim, **{**url, **LOGIN, **settings}) as gateway:
            reports = Reports(gateway, sim.report_gateway)
            await reports.sign_in()
            yield reports


@pytest_asyncio.fixture
async def reports(open_gateway: "OpenGateway") -> AsyncIterator[Reports]:
    async with opened(open_gateway) as running:
        yield running


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(BytesIO(pdf))
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in document)
    finally:
        document.close()


def code_of(answer: "httpx2.Response") -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def paths_of(answer: "httpx2.Response") -> list[str]:
    assert code_of(answer) == (400, "invalid_body")
    return [problem["path"] for problem in answer.json()["errors"]]


# ------------------------------------------------------------------ the catalogue and the registry


@pytest.mark.asyncio
async def test_screens_of_print_formats_are_menu_routes_to_give(reports: Reports) -> None:
    await reports.register("RDR20001", title="Guía", documents=[{"screen": "/guias", "default": True}])
    response = await reports.gateway.http.get("/api/menu-routes", headers=reports.ana)
    items = response.json()["items"]
    needed = {(each["kind"], each["title"], each["read"], each["write"]) for each in items}
    assert ("format", "Guía", "/guias", None) in needed
    assert ("reports", "Informes del ERP", "/reportes/ejecutar", None) in needed


@pytest.mark.asyncio
async def test_the_catalogue_lists_general_reports_and_the_erp_the_layouts_of_a_document(
    reports: Reports,
) -> None:
    await reports.register(STOCK)
    catalogue = (await reports.ask("GET", "authorized")).json()["items"]
    assert {"RCRI0001", STOCK, "RCRI0003"} == {each["code"] for each in catalogue}
    assert [each["code"] for each in catalogue if each["registered"]] == [STOCK]
    layouts = (await reports.ask("GET", "authorized", params={"document": "RDR2"})).json()["items"]
    assert [(each["code"], each["default"], each["printable"]) for each in layouts] == [
        ("RDR20002", True, True),
        ("RDR20001", False, True),
    ]
    invoices = (await reports.ask("GET", "authorized", params={"document": "INV2"})).json()["items"]
    assert [each["code"] for each in invoices if not each["printable"]] == ["INV20002"]


@pytest.mark.asyncio
async def test_an_invalid_document_type_is_refused_without_an_erp_call(reports: Reports) -> None:
    before = reports.gateway.sim.calls.total
    answer = await reports.ask("GET", "authorized", params={"document": "R'; drop"})
    assert code_of(answer) == (400, "invalid_query")
    assert reports.gateway.sim.calls.total == before


@pytest.mark.asyncio
async def test_the_text_false_is_false_in_the_suggested_definitions(reports: Reports) -> None:
    suggested = {each["name"]: each for each in await reports.suggested("RCRI0001")}
    assert list(suggested) == [ITEM, 'Item Group@select "ItmsGrpCod","ItmsGrpNam" from OITB']
    assert (suggested[ITEM]["isRange"], suggested[ITEM]["isMultiple"], suggested[ITEM]["required"]) == (
        True,
        False,
        False,
    )
    (key, kind) = [each for each in await reports.suggested("RDR20001") if each["name"] != "Pm-ORDR.U_NOTA"]
    assert (key["name"], key["isDocEntry"], key["input"]["default"]) == ("DocKey@", True, None)
    assert (kind["name"], kind["input"]["kind"], kind["input"]["default"]) == ("ObjectId@", "hidden", "17")


@pytest.mark.asyncio
async def test_a_report_is_registered_listed_changed_and_removed(reports: Reports) -> None:
    registered = await reports.register("RCRI0003", title="Ventas", category="Ventas")
    assert registered["code"] == "RCRI0003"
    assert (await reports.ask("GET", "registry")).json() == {"items": [registered]}
    changed = await reports.register("RCRI0003", title="Otro", enabled=False)
    assert (await reports.ask("GET", "registry")).json() == {"items": [changed]}
    assert (await reports.ask("DELETE", "registry/RCRI0003")).status_code == 204
    assert code_of(await reports.ask("DELETE", "registry/RCRI0003")) == (404, "report_not_found")
    assert (await reports.ask("GET", "registry")).json() == {"items": []}


@pytest.mark.asyncio
async def test_only_administrators_see_the_defaults_of_hidden_parameters(reports: Reports) -> None:
    await reports.register("RDR20001")
    await reports.gateway.http.put(
        "/api/permissions/luis", json={"paths": ["/reportes/ejecutar"]}, headers=reports.ana
    )
    shown, other = [(await reports.ask("GET", "reports", by=by)).json()["items"] for by in ("ana", "luis")]
    for (report,), default in ((shown, "17"), (other, None)):
        (kind,) = [each for each in report["parameters"] if each["name"] == "ObjectId@"]
        assert (kind["input"]["kind"], kind["input"]["default"]) == ("hidden", default)


@pytest.mark.asyncio
async def test_a_report_outside_the_catalogue_must_exist_in_the_report_gateway(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS, "default": True}])
    unknown = await reports.ask("PUT", "registry/NOPE", json={"title": "x"})
    assert code_of(unknown) == (404, "report_unknown")
    assert code_of(await reports.ask("GET", "authorized/NOPE/parameters")) == (404, "report_unknown")


@pytest.mark.asyncio
async def test_a_definition_that_makes_no_sense_costs_no_call(reports: Reports) -> None:
    body = {
        "title": "",
        "documents": [{"screen": "/ventas/*", "default": True}],
        "parameters": [
            {"name": "A", "type": "xsd:date", "input": {"kind": "date", "default": "ayer"}},
            {"name": "A", "type": "xsd:date", "input": {"kind": "select"}},
        ],
    }
    assert paths_of(await reports.ask("PUT", f"registry/{STOCK}", json=body)) == [
        "title",
        "documents[0].screen",
        "parameters[0].input.default",
        "parameters[1].name",
        "parameters[1].input.options",
        "parameters",
    ]
    wrong_kind = {"title": "x", "parameters": [{"name": "A", "type": "t", "input": {"kind": "password"}}]}
    assert paths_of(await reports.ask("PUT", f"registry/{STOCK}", json=wrong_kind)) == [
        "parameters[0].input.kind"
    ]
    assert reports.upstream.calls.total == 0


@pytest.mark.asyncio
async def test_names_of_parameters_must_be_the_reports_own(reports: Reports) -> None:
    body = {
        "title": "x",
        "parameters": [
            {"name": "warehouse", "type": "xsd:string"},
            {"name": "Fecha", "type": "xsd:string"},
        ],
    }
    answer = await reports.ask("PUT", f"registry/{STOCK}", json=body)
    assert paths_of(answer) == ["parameters[0].name", "parameters[1].type"]


@pytest.mark.asyncio
async def test_formats_of_a_screen_list_the_single_default_first(reports: Reports) -> None:
    for code, title in (("RDR20001", "B"), ("RDR20002", "C"), ("RDR10001", "A")):
        await reports.register(code, title=title, documents=[{"screen": ORDERS, "default": True}])
    await reports.register("RDR20001", title="B", documents=[{"screen": ORDERS, "default": True}])
    await reports.register(STOCK)
    listed = (await reports.ask("GET", "documents", params={"screen": ORDERS})).json()["items"]
    assert listed == [
        {"code": "RDR20001", "title": "B", "default": True},
        {"code": "RDR10001", "title": "A", "default": False},
        {"code": "RDR20002", "title": "C", "default": False},
    ]
    await reports.register("RDR20001", title="B", enabled=False, documents=[{"screen": ORDERS}])
    listed = (await reports.ask("GET", "documents", params={"screen": ORDERS})).json()["items"]
    assert [each["code"] for each in listed] == ["RDR10001", "RDR20002"]
    other = await reports.ask("GET", "documents", params={"screen": "/ventas"})
    assert other.json() == {"items": []}


# ------------------------------------------------------------------ exports


@pytest.mark.asyncio
async def test_report_values_are_ordered_typed_and_named_as_declared(reports: Reports) -> None:
    backwards = [
        {**each, "label": None} for each in reversed(await reports.suggested(STOCK)) if each["name"] != ITEM
    ]
    await reports.register(STOCK, title="Existencias año 2026", parameters=backwards)
    answer = await reports.export(
        STOCK, {"Minimo": 1.5, "Fecha": "2026-01-31", WAREHOUSE: "01", ITEM: "A1", "x": "y"}
    )
    assert answer.status_code == 200, answer.text
    assert reports.sent == [
        {"name": WAREHOUSE, "type": "xsd:string", "value": [["01"]]},
        {"name": "Fecha", "type": "xsd:date", "value": [["2026-01-31"]]},
        {"name": "Minimo", "type": "xsd:decimal", "value": [["1.5"]]},
    ]
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"] == (
        'attachment; filename="Existencias ano 2026.pdf"; '
        "filename*=UTF-8''Existencias%20a%C3%B1o%202026.pdf"
    )
    assert answer.content.startswith(b"%PDF-")


@pytest.mark.asyncio
async def test_lookups_in_parameter_names_are_not_run_and_not_displayed(reports: Reports) -> None:
    registered = await reports.register(STOCK)
    by_name = {each["name"]: each for each in registered["parameters"]}
    assert by_name[WAREHOUSE]["label"] == "Bodega"
    before = reports.gateway.sim.calls.total
    for by in ("ana", "luis"):
        await reports.gateway.http.put(
            "/api/permissions/luis", json={"paths": ["/reportes/ejecutar"]}, headers=reports.ana
        )
        assert (await reports.ask("GET", "reports", by=by)).status_code == 200
    assert (await reports.export(STOCK, {WAREHOUSE: "01", "Fecha": "2026-01-31"})).status_code == 200
    assert reports.gateway.sim.calls.total == before
    missing = await reports.export(STOCK, {"warehouse": "01", "Fecha": "2026-01-31"})
    assert paths_of(missing) == [f"values.{WAREHOUSE}"]
    assert missing.json()["errors"][0]["message"] == "Falta un valor para Bodega."


@pytest.mark.asyncio
async def test_empty_optional_values_are_omitted_and_missing_ones_cost_no_call(reports: Reports) -> None:
    parameters = await reports.suggested(STOCK)
    for each in parameters:
        each["required"] = each["name"] in (WAREHOUSE, "Fecha")
    await reports.register(STOCK, parameters=parameters)
    answer = await reports.export(
        STOCK, {WAREHOUSE: "01", "Fecha": "2026-01-31", "Minimo": "", ITEM: {"from": None, "to": ""}}
    )
    assert answer.status_code == 200, answer.text
    assert [each["name"] for each in reports.sent] == [WAREHOUSE, "Fecha"]
    calls_before = reports.upstream.calls.total
    refused = await reports.export(STOCK, {WAREHOUSE: "", "Fecha": "31-01-2026", "Minimo": "mucho"})
    assert paths_of(refused) == [f"values.{WAREHOUSE}", "values.Fecha", "values.Minimo"]
    assert reports.upstream.calls.total == calls_before


@pytest.mark.asyncio
async def test_a_range_is_sent_as_one_pair_without_stored_dates(reports: Reports) -> None:
    await reports.register("RCRI0003")
    answer = await reports.export("RCRI0003", {"RangeDate@": {"from": "2020-01-01", "to": "2030-12-31"}})
    assert answer.status_code == 200, answer.text
    assert reports.sent == [
        {"name": "RangeDate@", "type": "xsd:date", "value": [["2020-01-01", "2030-12-31"]]}
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["reports/RCRI0001/export?formato=xlsx", "documents/export?foo=1"])
async def test_an_unknown_export_query_parameter_is_refused(reports: Reports, path: str) -> None:
    refused = await reports.ask("POST", path, json={})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_query")


@pytest.mark.asyncio
async def test_the_requested_document_is_printed_instead_of_the_stored_one(reports: Reports) -> None:
    await reports.register("RDR20001", title="Orden", documents=[{"screen": ORDERS, "default": True}])
    await reports.register("RDR20002", title="Carta", documents=[{"screen": ORDERS, "default": False}])
    requested = [(await reports.print_order(code, 1)) for code in ("RDR20001", "RDR20002")]
    assert [answer.status_code for answer in requested] == [200, 200]
    first, second = (
        {each["name"]: each["value"] for each in export.parameters} for export in reports.upstream.exports
    )
    assert first == {"DocKey@": [["1"]], "ObjectId@": [["17"]]}
    assert second == {"Dockey@": [["1"]], "Schema@": [["SBO_DEMO"]]}
    number = next(iter((await order(reports, 1)).values()))
    assert str(number) in text_of(requested[0].content)
    assert (await reports.print_order("RDR20001", 3)).status_code == 200
    assert {"name": "DocKey@", "type": "xsd:decimal", "value": [["3"]]} in reports.sent


async def order(reports: Reports, doc_entry: int) -> dict[str, Any]:
    answer = await reports.gateway.http.get(f"/api/sl/Orders/{doc_entry}?$select=DocNum", headers=reports.ana)
    return {"DocNum": answer.json()["DocNum"]}


@pytest.mark.asyncio
async def test_the_schema_parameter_comes_from_the_configuration(open_gateway: "OpenGateway") -> None:
    database = {
        "ERPDB_ENGINE": "hana",
        "ERPDB_SERVER": "127.0.0.1",
        "ERPDB_USER": "u",
        "ERPDB_PASSWORD": "p",
        "ERPDB_SCHEMA": "SBO_SCHEMA",
    }
    async with opened(open_gateway, **database) as reports:
        await reports.register("RDR20002")
        answer = await reports.export("RDR20002", {"Dockey@": 1, "Schema@": "OTHER"})
        assert code_of(answer) == (502, "report_empty")  # the simulated company has another schema
        assert {"name": "Schema@", "type": "xsd:string", "value": [["SBO_SCHEMA"]]} in reports.sent


@pytest.mark.asyncio
async def test_a_document_report_run_by_hand_requires_its_document(reports: Reports) -> None:
    await reports.register("RDR20001")
    assert paths_of(await reports.export("RDR20001", {})) == ["values.DocKey@"]
    assert (await reports.export("RDR20001", {"DocKey@": 1})).status_code == 200


@pytest.mark.asyncio
async def test_an_unavailable_report_answers_404_without_a_call(
    reports: Reports,
) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    await reports.register("RDR20002", documents=[{"screen": ORDERS}], enabled=False)
    calls_before = reports.upstream.calls.total
    for answer in (
        await reports.print_order("RDR20001", 1, screen="/ventas"),
        await reports.print_order("RDR20002", 1),
        await reports.print_order("RDR10001", 1),
        await reports.export("RDR20002", {"Dockey@": 1}),
        await reports.export("RDR10001", {"DocKey@": 1}),
        await reports.export("rdr20001", {"DocKey@": 1}),
    ):
        assert code_of(answer) == (404, "report_not_found")
    assert reports.upstream.calls.total == calls_before


@pytest.mark.asyncio
async def test_each_resource_lists_the_screen_of_its_formats(reports: Reports) -> None:
    put = await reports.gateway.http.put(
        "/api/permissions/luis", headers=reports.ana, json={"paths": ["/ventas/pedidos"]}
    )
    assert put.status_code == 200
    answer = await reports.gateway.http.get("/api/sl", headers=reports.luis)
    (screen,) = [each["screen"] for each in answer.json()["items"] if each["screen"]]
    formats = await reports.ask("GET", "documents", by="luis", params={"screen": screen})
    assert (screen, formats.status_code) == (ORDERS, 200)


@pytest.mark.asyncio
async def test_documents_need_the_menu_of_their_screen_and_an_exact_route(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    calls_before = reports.upstream.calls.total
    body = {"screen": ORDERS, "code": "RDR20001", "docEntry": 1}
    denied = await reports.ask("POST", "documents/export", by="luis", json=body)
    assert code_of(denied) == (403, "permission_denied")
    assert code_of(await reports.ask("GET", "documents", by="luis", params={"screen": ORDERS})) == (
        403,
        "permission_denied",
    )
    for wrong in ({"screen": "*"}, {"screen": "/ventas/*"}, {"docEntry": 0}, {"docEntry": 2**31}):
        assert paths_of(await reports.ask("POST", "documents/export", json={**body, **wrong})) == [*wrong]
    for pattern in ("*", "/ventas/*", "ventas", "", "/ventas/../compras"):
        listed = await reports.ask("GET", "documents", params={"screen": pattern})
        assert (listed.status_code, listed.json()["errors"][0]["path"]) == (400, "screen")
    missing = await reports.ask("GET", "documents")
    assert (missing.status_code, missing.json()["errors"][0]["path"]) == (400, "screen")
    assert reports.upstream.calls.total == calls_before
    await reports.gateway.http.put("/api/permissions/luis", json={"paths": [ORDERS]}, headers=reports.ana)
    allowed = await reports.ask("POST", "documents/export", by="luis", json=body)
    assert allowed.status_code == 200
    listed = await reports.ask("GET", "documents", by="luis", params={"screen": ORDERS})
    assert [item["code"] for item in listed.json()["items"]] == ["RDR20001"]


@pytest.mark.asyncio
async def test_twelve_prints_run_two_at_a_time_and_all_finish(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    answers = await asyncio.gather(*(reports.print_order("RDR20001", 1) for _ in range(12)))
    assert [answer.status_code for answer in answers] == [200] * 12
    printed = [call for call in reports.upstream.calls if call.path == EXPORT]
    assert len(printed) == 12
    assert max(call.in_flight for call in printed) == 2


@pytest.mark.asyncio
async def test_report_gateway_failures_are_reported_and_leave_the_service_healthy(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    for times, fault, expected, upstream in (
        (2, nothing_printed(times=2), (502, "report_empty"), None),
        (
            1,
            export_failed("No existe un formato"),
            (502, "report_failed"),
            {"code": None, "message": "No existe un formato"},
        ),
    ):
        before = len(reports.upstream.exports)
        reports.upstream.faults.add(fault)
        answer = await reports.print_order("RDR20001", 1)
        assert code_of(answer) == expected
        assert answer.json().get("upstream") == upstream
        assert len(reports.upstream.exports) == before + times
    assert (await reports.gateway.http.get("/api/health")).status_code == 200
    assert (await reports.print_order("RDR20001", 1)).status_code == 200


def printed(content: bytes, *, page: bytes = b"") -> Fault:
    """Make an export answer a PDF of one page; its content is what is given, or `page` is the whole PDF."""
    if not page:
        with pikepdf.Pdf.new() as made:
            made.add_blank_page().obj.Contents = made.make_stream(content)
            written = BytesIO()
            made.save(written)
            page = written.getvalue()
    answer = Answer(status=201, body=base64.b64encode(page).decode(), content_type="text/plain")
    return Fault(action=answer, method="POST", path=EXPORT)


@pytest.mark.asyncio
async def test_a_blank_document_is_an_error_and_a_blank_report_is_not(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    await reports.register(STOCK)
    reports.upstream.faults.add(printed(b""))
    blank = await reports.print_order("RDR20001", 1)
    assert code_of(blank) == (502, "report_empty")
    assert "no existe" in blank.json()["detail"]
    (record,) = await reports.audited("report_export")
    assert (record["result"], record["reason"], record["key"]) == ("error", "report_empty", "1")
    reports.upstream.faults.add(printed(b""))
    assert code_of(await reports.export("RDR20001", {"DocKey@": 1})) == (502, "report_empty")
    for fault in (
        printed(b"0 0 10 10 re f"),
        printed(b"", page=b"%PDF-1.4 that nobody can read %%EOF"),
    ):
        reports.upstream.faults.add(fault)
        assert (await reports.print_order("RDR20001", 1)).status_code == 200
    reports.upstream.faults.add(printed(b""))
    general = await reports.export(STOCK, {WAREHOUSE: "01", "Fecha": "2026-01-31"})
    assert general.status_code == 200, "a report of no document may have nothing to say"


@pytest.mark.asyncio
async def test_one_blank_document_among_several_is_named(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    reports.upstream.faults.add(attrs.evolve(printed(b""), nth=2))
    body = {"screen": ORDERS, "code": "RDR20001", "docEntries": [1, 2, 3]}
    answer = await reports.ask("POST", "documents/export", json=body)
    assert code_of(answer) == (502, "document_failed")
    assert [problem["path"] for problem in answer.json()["errors"]] == ["docEntries[1]"]


@pytest.mark.asyncio
async def test_a_document_missing_in_the_erp_is_not_printed(open_gateway: "OpenGateway") -> None:
    async with opened(open_gateway, APIGATEWAY_REFUSE_BLANK="false") as reports:
        await reports.register("RDR20001", documents=[{"screen": ORDERS}])
        await reports.register("RDR20002", documents=[{"screen": ORDERS}, {"screen": "/ventas/ofertas"}])
        erp = reports.gateway.sim.calls
        before = len(erp.of("GET", "Orders"))
        assert (await reports.print_order("RDR20001", 1)).status_code == 200
        assert len(erp.of("GET", "Orders")) == before + 1
        for missing in (
            await reports.print_order("RDR20001", 99_999),
            await reports.export("RDR20001", {"DocKey@": 99_999}),
        ):
            assert code_of(missing) == (404, "record_not_found")
            assert "99999" in missing.json()["detail"]
        body = {"screen": ORDERS, "code": "RDR20001", "docEntries": [99_998, 1, 99_999]}
        before = len(erp.of("GET", "Orders"))
        several = await reports.ask("POST", "documents/export", json=body)
        assert code_of(several) == (404, "record_not_found")
        assert [each["path"] for each in several.json()["errors"]] == ["docEntries[0]", "docEntries[2]"]
        assert len(erp.of("GET", "Orders")) == before + 1
        assert len(reports.upstream.exports) == 1
        records = await reports.audited("report_export")
        assert [(each["key"], each.get("reason")) for each in records] == [
            ("99999", "record_not_found"),
            ("99998", "record_not_found"),
            *[("99999", "record_not_found")] * 2,
            ("1", None),
        ]
        reports.gateway.sim.faults.add(Fault(action=Refuse(status=403, code=-6006, text="no"), path="Orders"))
        assert code_of(await reports.print_order("RDR20001", 1)) == (502, "upstream_forbidden")
        before = len(erp)
        blank = await reports.export("RDR20002", {"Dockey@": 99_999})
        assert (blank.status_code, len(erp)) == (200, before), "the screens leave open what it is"


@pytest.mark.asyncio
async def test_unchecked_and_blank_documents_are_printed_if_configured(
    open_gateway: "OpenGateway",
) -> None:
    unseen = {"APIGATEWAY_CHECK_DOCUMENT": "false", "APIGATEWAY_REFUSE_BLANK": "false"}
    async with opened(open_gateway, **unseen) as reports:
        await reports.register("RDR20001", documents=[{"screen": ORDERS}])
        before = reports.gateway.sim.calls.total
        answer = await reports.print_order("RDR20001", 99_999)
        assert (answer.status_code, text_of(answer.content)) == (200, "")
        assert reports.gateway.sim.calls.total == before


@pytest.mark.asyncio
async def test_a_refused_report_login_answers_503_and_affects_nothing_else(
    open_gateway: "OpenGateway",
) -> None:
    async with opened(open_gateway, APIGATEWAY_PASSWORD="wrong") as reports:
        for _ in range(3):
            refused = await reports.ask("GET", "authorized")
            assert code_of(refused) == (503, "upstream_login_failed")
            assert int(refused.headers["Retry-After"]) > 0
        assert reports.upstream.calls.total == 1
        items = await reports.gateway.http.get("/api/sl/Items?$top=1", headers=reports.ana)
        assert items.status_code == 200
        assert "informes" in (await reports.ask("GET", "authorized")).json()["detail"]


@pytest.mark.asyncio
async def test_a_broken_report_gateway_answers_502_and_an_absent_one_503(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with AsyncExitStack() as running:
        until_stopped = await running.enter_async_context(AsyncExitStack())
        upstream = await until_stopped.enter_async_context(run_report_gateway())
        gateway = await running.enter_async_context(open_gateway(sim, APIGATEWAY_URL=upstream.url, **LOGIN))
        reports = Reports(gateway, upstream)
        await reports.sign_in()
        await reports.register("RDR20001", documents=[{"screen": ORDERS}])
        await reports.register(STOCK)
        upstream.faults.add(Fault(action=Drop(), path=EXPORT))
        assert code_of(await reports.print_order("RDR20001", 1)) == (502, "upstream_unreachable")
        await until_stopped.aclose()
        several = {"screen": ORDERS, "code": "RDR20001", "docEntries": [1, 2]}
        for answer in (
            await reports.ask("GET", "authorized"),
            await reports.ask("GET", "authorized/RDR20001/parameters"),
            await reports.ask("PUT", "registry/RDR20001", json={"title": "x"}),
            await reports.export(STOCK, {WAREHOUSE: "01", "Fecha": "2026-01-31"}),
            await reports.print_order("RDR20001", 1),
            await reports.ask("POST", "documents/export", json=several),
        ):
            assert code_of(answer) == (503, "upstream_unreachable"), answer.request.url
            assert answer.headers["Retry-After"] == "5"
            assert "pasarela" in answer.json()["detail"]


@pytest.mark.asyncio
async def test_a_slow_report_gateway_answers_504(open_gateway: "OpenGateway") -> None:
    async with opened(open_gateway, APIGATEWAY_TIMEOUT="1") as reports:
        await reports.register("RDR20001", documents=[{"screen": ORDERS}])
        reports.upstream.faults.add(Fault(action=Delay(seconds=3), path=EXPORT))
        assert code_of(await reports.print_order("RDR20001", 1)) == (504, "upstream_timeout")


# ------------------------------------------------------------------ who may, what is recorded


@pytest.mark.asyncio
async def test_users_with_the_menu_run_enabled_reports(reports: Reports) -> None:
    await reports.register(STOCK, title="Existencias", category="Inventario")
    await reports.register("RCRI0003", title="Ventas", category="Comercial")
    await reports.register("RCRI0001", enabled=False)
    await reports.gateway.http.put(
        "/api/permissions/luis", json={"paths": ["/reportes/ejecutar"]}, headers=reports.ana
    )
    listed = (await reports.ask("GET", "reports", by="luis")).json()["items"]
    assert [each["code"] for each in listed] == ["RCRI0003", STOCK]
    printed = await reports.export(STOCK, {WAREHOUSE: "01", "Fecha": "2026-01-31"}, by="luis")
    assert printed.status_code in (200, 400)
    assert (await reports.ask("GET", "registry", by="luis")).status_code == 403


@pytest.mark.asyncio
async def test_printing_a_document_requires_the_right_to_its_screen(
    reports: Reports,
) -> None:
    screens = [{"screen": ORDERS}, {"screen": "/compras/pedidos"}]
    await reports.register("RDR20001", documents=screens)
    await reports.register(STOCK)

    async def give(*paths: str) -> None:
        body = {"paths": ["/reportes/ejecutar", *paths]}
        await reports.gateway.http.put("/api/permissions/luis", json=body, headers=reports.ana)

    async def listed() -> list[str]:
        return [each["code"] for each in (await reports.ask("GET", "reports", by="luis")).json()["items"]]

    await give("/ventas/clientes")
    assert await listed() == [STOCK]
    calls_before = reports.upstream.calls.total
    for headers in ({}, {"Prefer": "respond-async"}):
        denied = await reports.gateway.http.post(
            "/api/gateway/reports/RDR20001/export",
            json={"values": {"DocKey@": 1}},
            headers={**reports.luis, **headers},
        )
        assert code_of(denied) == (403, "permission_denied")
    assert reports.upstream.calls.total == calls_before
    assert {each["resource"] for each in await reports.audited("permission_denied")} == {ORDERS}
    for screen in (ORDERS, "/compras/pedidos"):
        await give(screen)
        assert set(await listed()) == {"RDR20001", STOCK}
        assert (await reports.export("RDR20001", {"DocKey@": 1}, by="luis")).status_code == 200


@pytest.mark.asyncio
async def test_the_audit_contains_parameter_names_and_no_values(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    await reports.print_order("RDR20001", 1)
    reports.upstream.faults.add(nothing_printed(times=2))
    await reports.export("RDR20001", {"DocKey@": 1, "Pm-ORDR.U_NOTA": "secreto"})
    await reports.ask("DELETE", "registry/RDR20001")
    (registered,) = await reports.audited("report_register")
    assert (registered["resource"], registered["result"]) == ("RDR20001", "ok")
    assert registered["fields"] == ["Pm-ORDR.U_NOTA", "DocKey@", "ObjectId@"]
    (removed,) = await reports.audited("report_unregister")
    assert (removed["resource"], removed["webUser"]) == ("RDR20001", "ana")
    failed, printed = await reports.audited("report_export")
    assert (printed["result"], printed["key"], printed["fields"]) == ("ok", "1", ["DocKey@", "ObjectId@"])
    assert (failed["result"], failed["reason"], failed["key"]) == ("error", "report_empty", "1")
    assert failed["fields"] == ["Pm-ORDR.U_NOTA", "DocKey@", "ObjectId@"]
    assert "secreto" not in json.dumps([registered, removed, failed, printed])


@pytest.mark.asyncio
async def test_the_report_registry_survives_a_restart_and_shutdown_logs_out(
    open_gateway: "OpenGateway",
) -> None:
    async with opened(open_gateway) as reports:
        kept = await reports.register(STOCK)
        upstream = reports.upstream
        assert len(upstream.sessions) == 1
    async with opened(open_gateway) as again:
        assert (await again.ask("GET", "registry")).json() == {"items": [kept]}
        assert again.upstream.calls.total == 0
    assert len(upstream.sessions) == 0


@pytest.mark.asyncio
async def test_calls_and_logins_are_counted(reports: Reports) -> None:
    await reports.register(STOCK)
    page = generate_latest(reports.gateway.components.metrics_registry).decode()
    for line in (
        'report_gateway_calls_total{method="GET",outcome="200",resource="rs/v1/LoadCR"} 2.0',
        'report_gateway_logins_total{outcome="ok"} 1.0',
        "report_gateway_queue_waiting 0.0",
    ):
        assert line in page


@pytest.mark.asyncio
async def test_queued_exports_are_rejected_on_shutdown(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    reports.upstream.faults.add(Fault(action=Delay(seconds=0.3), path=EXPORT, times=None))
    printing = [asyncio.create_task(reports.print_order("RDR20001", 1)) for _ in range(5)]
    opened_reports = reports.gateway.components.reports
    assert opened_reports is not None
    async with asyncio.timeout(30):
        while opened_reports.client.queue_stats.waiting < 3:  # noqa: ASYNC110 - the queue has no event for it
            await asyncio.sleep(0.005)
    reports.gateway.components.drain()
    statuses = sorted(answer.status_code for answer in await asyncio.gather(*printing))
    assert statuses == [200, 200, 503, 503, 503]


# ------------------------------------------------------------------ the ERP's layouts


LAYOUT_LIST = "ReportLayoutsService_GetReportLayoutList"
DEFAULT_LAYOUT = "ReportLayoutsService_GetDefaultReport"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "action", "expected"),
    [
        (LAYOUT_LIST, Answer(status=200, body='{"value":[]}', content_type="application/json"), 200),
        (LAYOUT_LIST, Answer(status=200, body='{"value":[{}]}', content_type="application/json"), 502),
        (LAYOUT_LIST, Refuse(status=400, code=-1, text="No"), 400),
        (DEFAULT_LAYOUT, Refuse(status=400, code=-2028, text="No"), 200),
        (DEFAULT_LAYOUT, Refuse(status=404, code=-2028, text="No"), 200),
        (DEFAULT_LAYOUT, Refuse(status=403, code=-6006, text="No"), 200),
        (DEFAULT_LAYOUT, Refuse(status=429, code=-1, text="No"), 503),
        (DEFAULT_LAYOUT, Refuse(status=500, code=-1, text="No"), 502),
    ],
)
async def test_missing_or_failed_layouts_leave_reports_without_default(
    reports: Reports, name: str, action: Answer | Refuse, expected: int
) -> None:
    reports.gateway.sim.faults.add(Fault(action=action, method="POST", path=name))
    answer = await reports.ask("GET", "authorized", params={"document": "RDR2"})
    assert answer.status_code == expected, answer.text
    if expected == 200:
        assert not any(each["default"] for each in answer.json()["items"])
    assert reports.upstream.calls.total == 0


@pytest.mark.asyncio
async def test_an_invalid_report_code_is_refused_without_a_call(reports: Reports) -> None:
    for code in ("x" * 51, "%20", "a%0Ab"):
        answer = await reports.ask("GET", f"authorized/{code}/parameters")
        assert code_of(answer) == (400, "invalid_path")
    assert reports.upstream.calls.total == 0


@pytest.mark.asyncio
async def test_an_export_cut_off_by_force_is_recorded_as_failed(reports: Reports) -> None:
    await reports.register("RDR20001", documents=[{"screen": ORDERS}])
    reports.upstream.faults.add(Fault(action=Delay(seconds=0.3), path=EXPORT))
    printing = asyncio.create_task(reports.print_order("RDR20001", 1))
    async with asyncio.timeout(30):
        while not reports.upstream.calls.of("POST", EXPORT):  # noqa: ASYNC110 - the simulator has no event for it
            await asyncio.sleep(0.005)
    printing.cancel()
    await asyncio.gather(printing, return_exceptions=True)
    (entry,) = await reports.audited("report_export")
    assert (entry["result"], entry["reason"], entry["key"]) == ("error", "interrupted", "1")
