"""Exports: the PDFs, and how strictly the sent array is judged."""

from __future__ import annotations

import base64
import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import pytest

from erpsim.business.layout_catalogue import LAYOUTS
from erpsim.business.layouts import Category, Kind, Role
from erpsim.company.switches import Base64Form, Switches
from erpsim.desk import Desk
from erpsim.report_gateway import run_report_gateway

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
Export = Callable[..., Awaitable[tuple[int, bytes]]]
Pages = Callable[[bytes], list[str]]
WAREHOUSE = "warehouse@Select * from OWHS"
ITEM = "Item@Select * from OITM"
GROUP = 'Item Group@select "ItmsGrpCod","ItmsGrpNam" from OITB'
NOTHING = (200, b"(---)")


async def test_a_successful_export_is_a_201_with_plain_base64(sign_in: SignIn) -> None:
    array = [{"name": "DocKey@", "type": "xsd:decimal", "value": [["3"]]}]
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        answer = await client.post("rs/v1/ExportPDFData", params={"DocCode": "RDR20001"}, json=array)
        body = await answer.read()
    assert answer.status == 201
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == ('form-data; name="attachment"; filename="RDR20001.pdf"')
    assert "Content-Encoding" not in answer.headers
    assert base64.b64decode(body, validate=True).startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("form", "written"),
    [
        (Base64Form.QUOTED, re.compile(rb'"[A-Za-z0-9+/]+={0,2}"')),
        (Base64Form.WRAPPED, re.compile(rb"([A-Za-z0-9+/]{76}\r\n)+[A-Za-z0-9+/]{1,76}={0,2}\r\n")),
    ],
)
async def test_base64_can_be_quoted_or_wrapped(
    form: Base64Form, written: re.Pattern[bytes], sign_in: SignIn, export: Export
) -> None:
    switches = Switches(report_base64=form)
    async with run_report_gateway(switches=switches) as gateway, sign_in(gateway) as client:
        _, body = await export(client, "RDR20001", {"DocKey@": "1"})
    assert written.fullmatch(body)
    assert base64.b64decode(body.strip(b'"')).startswith(b"%PDF-")


async def test_every_active_document_layout_prints_the_requested_document(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    line = {"ItemCode": "AMP-0002", "Quantity": 1, "UnitPrice": 1000}
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        Desk(gateway.world).create("CreditNotes", {"CardCode": "C00004", "DocumentLines": [line]})
        for layout in LAYOUTS:
            if layout.kind is not Kind.DOCUMENT or not layout.active or layout.category is Category.PLD:
                continue
            known = {Role.DOCUMENT: "1", Role.SCHEMA: "SBO_DEMO"}
            values = {each.name: known[each.role] for each in layout.parameters if each.role in known}
            status, body = await export(client, layout.code, values)
            assert status == 201, layout.code
            row = gateway.world.company.get(layout.set_name, (1,))
            [text] = pages(body)
            assert f"{layout.name} N° {row['DocNum']}" in text
            assert str(row["CardName"]) in text
            assert "Comercial Demo SpA" in text


async def test_a_document_shows_its_partner_lines_and_totals(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        _, body = await export(client, "RDR20001", {"DocKey@": "7", "ObjectId@": "17"})
    assert pages(body)[0].splitlines() == [
        "Comercial Demo SpA",
        "Orden de venta N° 100007",
        "Cliente C00009 Sociedad Rojas Ltda.",
        "RUT 78173334-2",
        "Dirección Los Aromos 1394",
        "Fecha 12-11-2025",
        "Vencimiento 19-11-2025",
        "Moneda CLP",
        "Código Descripción Cantidad Precio Total",
        '#8-TORNILLO Pintura látex 1/2" Pacífico 4 24.596 98.384',
        "AMP-0002 Ampolleta LED 10 mm Pacífico 10 2.059 20.590",
        "a=b,c=d Ampolleta LED 6 m Ñuble 14 1.689 23.646",
        "ZAP-0004 Zapato de seguridad 6 m Cordillera 10 35.191 351.910",
        "Neto CLP 494.530",
        "IVA CLP 93.961",
        "Total CLP 588.491",
        "Página 1 de 1",
    ]


async def test_a_new_document_prints_in_its_currency_and_truncates_long_texts(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        order = Desk(gateway.world).create(
            "Orders",
            {
                "CardCode": "C00004",
                "DocDueDate": "2026-05-04",
                "DocCurrency": "USD",
                "DocRate": 900,
                "DocumentLines": [
                    {"ItemCode": "AMP-0002", "Quantity": 2, "Price": 10.25, "ItemDescription": "Ω" + "W" * 99}
                ],
            },
        )
        _, body = await export(client, "RDR20001", {"DocKey@": order["DocEntry"]})
    [text] = pages(body)
    assert "Moneda USD" in text
    assert "10,25 20,50" in text
    assert f"Total USD {order['DocTotalFc']:.2f}".replace(".", ",") in text
    assert "?WWW" in text
    assert "W... 2" in text


@pytest.mark.parametrize(
    ("code", "values", "size"),
    [
        ("RDR20001", {"DocKey@": "1"}, (595, 842)),
        ("RDR20002", {"Dockey@": "1", "Schema@": "SBO_DEMO"}, (612, 792)),
    ],
)
async def test_layouts_have_paper_sizes_of_their_own(
    code: str,
    values: dict[str, str],
    size: tuple[int, int],
    sign_in: SignIn,
    export: Export,
    paper: Callable[[bytes], tuple[int, int]],
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        _, body = await export(client, code, values)
    assert paper(body) == size


async def test_a_long_report_repeats_its_headings_and_page_numbers(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        _, body = await export(client, "RCRI0001", {})
        items = list(gateway.world.company.rows("Items"))
    texts = pages(body)
    assert len(texts) > 1
    for number, text in enumerate(texts, 1):
        assert "Código Descripción Grupo Existencia" in text
        assert f"Página {number} de {len(texts)}" in text
    whole = "".join(texts)
    assert [str(item["ItemCode"]) for item in items if str(item["ItemCode"]) not in whole] == []


async def test_items_are_chosen_by_range_and_by_several_groups(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        _, ranged = await export(client, "RCRI0001", {ITEM: [["AMP-0002", "AMP-0003"]]})
        _, grouped = await export(client, "RCRI0001", {GROUP: [["102"], ["105"]]})
        items = list(gateway.world.company.rows("Items"))
    [text] = pages(ranged)
    assert "Artículos AMP-0002 a AMP-0003" in text
    assert "AMP-0002 Ampolleta" in text
    assert "AMP-0004" not in text
    text = "".join(pages(grouped))
    assert "Grupos 102, 105" in text
    for item in items:
        assert (f"{item['ItemCode']} {item['ItemName']}" in text) == (item["ItemsGroupCode"] in {102, 105})


async def test_the_stock_report_is_filtered_by_warehouse_and_minimum(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        values = {WAREHOUSE: "01", ITEM: [["#", "B"]], "Fecha": "2026-06-07", "Minimo": 600}
        _, body = await export(client, "RCRI0002", values)
    [text] = pages(body)
    assert "Bodega 01" in text
    assert "Fecha de corte 07-06-2026" in text
    assert "Cantidad mínima 600" in text
    assert '#8-TORNILLO Pintura látex 1/2" Pacífico 01 619' in text
    assert " 301" not in text


async def test_sales_are_those_of_a_period_and_a_customer(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        invoices = list(gateway.world.company.rows("Invoices"))
        card, day = str(invoices[0]["CardCode"]), str(invoices[0]["DocDate"])
        _, body = await export(client, "RCRI0003", {"RangeDate@": [[day, day]], "CardCode": card})
    [text] = pages(body)
    wanted = [each for each in invoices if (each["CardCode"], each["DocDate"]) == (card, day)]
    for invoice in invoices:
        assert (f" {invoice['DocNum']} " in text) == (invoice in wanted)
    assert "Total CLP" in text


# --- what is judged


async def test_a_resent_stored_key_prints_the_wrong_document_with_201(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        rows = (await (await client.get("rs/v1/LoadCR?DocCode=RDR20001")).json())["resultSet"]
        stored = {row["name"]: row["currentvalues"][0] for row in rows if row["currentvalues"]}
        status, body = await export(client, "RDR20001", stored)
    assert status == 201
    assert "Orden de venta N° 100002" in pages(body)[0]


async def test_a_missing_document_is_a_valid_empty_pdf(sign_in: SignIn, export: Export, pages: Pages) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        status, body = await export(client, "RDR20001", {"DocKey@": "999999"})
        assert (status, pages(body), gateway.log) == (201, [""], [])


@pytest.mark.parametrize(
    ("code", "values", "reason"),
    [
        ("RDR20001", {}, "no value for 'DocKey@'"),
        ("RDR20001", {"DOCKEY@": "1"}, "no parameter 'DOCKEY@'"),
        ("RDR20001", {"DocKey@": "1", "Otro": "1"}, "no parameter 'Otro'"),
        ("RDR20001", {"ObjectId@": "17", "DocKey@": "1"}, "'DocKey@' is out of its order"),
        ("RDR20001", {"Pm-ORDR.U_NOTA": "", "DocKey@": "1"}, "'Pm-ORDR.U_NOTA' is empty"),
        ("RDR20001", {"Pm-ORDR.U_NOTA": [[]], "DocKey@": "1"}, "another number of values"),
        ("RDR20001", {"Pm-ORDR.U_NOTA": [], "DocKey@": "1"}, "another number of values"),
        ("RDR20001", {"Pm-ORDR.U_NOTA": None, "DocKey@": "1"}, "takes texts and numbers"),
        ("RDR20001", {"Pm-ORDR.U_NOTA": True, "DocKey@": "1"}, "takes texts and numbers"),
        ("RDR20001", {"DocKey@": "uno"}, "is no number"),
        ("RDR20001", {"DocKey@": "9" * 30}, "is no number"),
        ("RDR20001", {"DocKey@": ["1"]}, "is no list of lists"),
        ("RDR20001", {"DocKey@": [["1"], ["2"]]}, "another number of values"),
        ("RDR20001", {"DocKey@": [["1", "2"]]}, "another number of values"),
        ("RDR20001", {"DocKey@": "1.5"}, "no document 1.5"),
        ("RDR20001", {"DocKey@": "1", "ObjectId@": "13"}, "no document 1"),
        ("RDR20002", {"Dockey@": "1"}, "no value for 'Schema@'"),
        ("RDR20002", {"Dockey@": "1", "Schema@": "OTHER"}, "no such schema"),
        ("RCRI0001", {"Item": [["A", "B"]]}, "no parameter 'Item'"),
        ("RCRI0001", {ITEM: [["A"]]}, "another number of values"),
        ("RCRI0001", {GROUP: [["102", "105"]]}, "another number of values"),
        ("RCRI0001", {GROUP: [["999"]]}, "nothing to print"),
        ("RCRI0002", {WAREHOUSE: "01"}, "no value for 'Fecha'"),
        ("RCRI0002", {WAREHOUSE: "01", "Fecha": "07-06-2026"}, 'Unparseable date: "07-06-2026"'),
        ("RCRI0002", {WAREHOUSE: "01", "Fecha": "2026-02-30"}, 'Unparseable date: "2026-02-30"'),
        ("RCRI0002", {WAREHOUSE: "01", "Fecha": "Date(2026, 6, 7)"}, "Unparseable date"),
        ("INV20003", {"DocKey@": "1"}, "the layout is not active"),
        ("NONE0001", {}, "no such layout"),
    ],
)
async def test_a_failed_export_is_a_body_of_five_bytes(
    code: str, values: dict[str, Any], reason: str, sign_in: SignIn, export: Export
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        assert await export(client, code, values) == NOTHING
        [line] = gateway.log
    assert line.startswith(f"{code}: ")
    assert reason in line


@pytest.mark.parametrize(
    "array",
    [
        {"name": "DocKey@"},
        "text",
        [["DocKey@", "xsd:decimal", [["1"]]]],
        [{"name": "DocKey@", "value": [["1"]]}],
        [{"name": 1, "type": "xsd:decimal", "value": [["1"]]}],
        [{"name": "DocKey@", "type": "xsd:string", "value": [["1"]]}],
        [{"name": "DocKey@", "type": "xsd:decimal", "value": "1"}],
    ],
)
async def test_a_malformed_parameter_list_breaks_the_export(array: Any, sign_in: SignIn) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        answer = await client.post("rs/v1/ExportPDFData", params={"DocCode": "RDR20001"}, json=array)
        assert (answer.status, await answer.read()) == NOTHING
        assert answer.content_type == "application/json"


@pytest.mark.parametrize(
    ("query", "body"), [("", b"[]"), ("?DocCode=RCRI0001", b"{"), ("?DocCode=RCRI0001", b"[" * 99_999)]
)
async def test_an_export_without_code_or_json_answers_400(query: str, body: bytes, sign_in: SignIn) -> None:
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client:
        answer = await client.post(f"rs/v1/ExportPDFData{query}", data=body)
        assert (answer.status, await answer.json()) == (400, {"code": 400, "message": "400 BAD_REQUEST"})


async def test_a_pld_layout_is_refused_with_a_text(sign_in: SignIn, export: Export) -> None:
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client:
        status, body = await export(client, "INV20002", {"DocKey@": "1"})
    assert status == 200
    assert body == b'"There is no default Crystal Report layout related to INV20002"'


async def test_headings_may_carry_a_text_and_numbers_may_be_json_numbers(
    sign_in: SignIn, export: Export
) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        assert (await export(client, "RCRI0001", {"Title_Items@Title": "x"}))[0] == 201
        assert (await export(client, "RDR20001", {"DocKey@": 1}))[0] == 201


async def test_parameters_of_exports_are_recorded(sign_in: SignIn, export: Export) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        await export(client, "RDR20001", {"DocKey@": "7", "ObjectId@": "17"})
        await client.post("rs/v1/ExportPDFData?DocCode=RCRI0001", data=b"{")
        await export(client, "RCRI0001", {"Otro": "1"})
        first, second, third = gateway.exports
        assert (first.code, first.status, first.names) == ("RDR20001", 201, ("DocKey@", "ObjectId@"))
        assert first.parameters[0] == {"name": "DocKey@", "type": "xsd:decimal", "value": [["7"]]}
        assert (second.status, second.parameters) == (400, ())
        assert (third.status, third.names) == (200, ("Otro",))
        call = gateway.calls.of("POST", "rs/v1/ExportPDFData")[0]
        assert (call.query, call.user, call.worked) == ("DocCode=RDR20001", "manager", True)
        login = gateway.calls.of("POST", "login")[0]
        assert (login.body, login.user, login.status) == (b"", "manager", 200)
        assert "erpsim" not in repr(list(gateway.calls))
