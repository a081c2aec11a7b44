"""From an offer to its payment: following documents, copying, ending them, and what a partner owes."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from stack.exchange import Answer
from tools.browser.accessibility import violations
from tools.browser.launching import PHONE
from tools.browser.people import open_page, sign_in
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
CUSTOMER = "C00001"


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def make(program: Ask, resource: str, body: dict[str, Any]) -> dict[str, Any]:
    """Create a record as somebody else; return it."""
    answer = program("POST", f"/api/sl/{resource}", body)
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.body
    return made


def drawn(program: Ask, resource: str, base: dict[str, Any], number: int, **line: object) -> dict[str, Any]:
    """Create a document of the first line of another one."""
    lines = [{"BaseType": number, "BaseEntry": base["DocEntry"], "BaseLine": 0, **line}]
    return make(program, resource, {"CardCode": CUSTOMER, "DocumentLines": lines})


def read(program: Ask, resource: str, entry: int) -> dict[str, Any]:
    """Return a record."""
    record: dict[str, Any] = program("GET", f"/api/sl/{resource}/{entry}").body
    return record


def sent_by(page: Page) -> list[str]:
    """Collect the writes and flow reads that a page sends from now on."""
    sent: list[str] = []

    def note(request: Any) -> None:
        path = request.url.partition("/api/")[2]
        if request.method == "POST" or path.startswith("flow/"):
            sent.append(f"{request.method} {path}")

    page.on("request", note)
    return sent


def flow(page: Page) -> Locator:
    """Return the strip of documents."""
    return page.get_by_role("region", name="Flujo del documento")


def head(page: Page) -> Locator:
    """Return what stands at the top of a document."""
    return page.get_by_role("region", name="Resumen")


def stage(page: Page, title: str) -> Locator:
    """Return one stage of the strip."""
    return flow(page).locator("ol > li").filter(has=page.get_by_text(title, exact=True))


def test_a_document_is_headed_by_partner_total_state_and_discount(
    office: Page, program: Ask, scenery: Scenery
) -> None:
    body = {
        "CardCode": CUSTOMER,
        "DocDueDate": "2030-12-31",
        "DiscountPercent": 10,
        "DocumentLines": [{"ItemCode": scenery.items[0], "Quantity": 2, "UnitPrice": 1000}],
    }
    order = make(program, "Orders", body)
    open_page(office, f"/erp/Orders/{order['DocEntry']}")
    top = office.locator(".page-head")
    expect(top).to_contain_text("Abierto")
    expect(top.get_by_role("link", name=order["CardName"])).to_have_attribute(
        "href", f"#/erp/BusinessPartners/{CUSTOMER}"
    )
    expect(head(office)).to_contain_text("2.142 CLP")
    expect(head(office)).to_contain_text("31-12-2030")
    expect(head(office)).not_to_contain_text("Por pagar")
    totals = office.get_by_role("region", name="Totales").locator("dl > div")
    expect(totals.nth(0)).to_contain_text("2.000 CLP")
    expect(totals.nth(1)).to_contain_text("-200 CLP")
    expect(totals.nth(2)).to_contain_text("1.800 CLP")


def test_an_order_is_followed_forward_to_its_payment_and_back(
    office: Page, program: Ask, order: int, control: Ask
) -> None:
    base = read(program, "Orders", order)
    delivery = drawn(program, "DeliveryNotes", base, 17)
    invoice = drawn(program, "Invoices", delivery, 15)
    rows = [{"DocEntry": invoice["DocEntry"], "InvoiceType": "it_Invoice", "SumApplied": 100}]
    body = {"CardCode": CUSTOMER, "TransferSum": 100, "PaymentInvoices": rows}
    payment = make(program, "IncomingPayments", body)
    sent = sent_by(office)
    open_page(office, f"/erp/Orders/{order}")
    expect(stage(office, "Pedido")).to_contain_text(f"Pedido de venta {base['DocNum']}")
    assert sent == []  # it is read once somebody asks
    control("DELETE", "/calls")
    flow(office).get_by_role("button", name="Ver el flujo").click()
    expect(stage(office, "Entrega")).to_contain_text(str(delivery["DocNum"]))
    assert len(control("GET", "/calls").body["calls"]) <= 3
    flow(office).get_by_role("button", name=re.compile(rf"Seguir desde .* {delivery['DocNum']}$")).click()
    expect(stage(office, "Factura")).to_contain_text(str(invoice["DocNum"]))
    flow(office).get_by_role("button", name=re.compile(rf"Seguir desde .* {invoice['DocNum']}$")).click()
    paid = stage(office, "Cobro")
    expect(paid).to_contain_text("aplicado 100 CLP")
    assert len(sent) == 3
    assert violations(office) == []
    paid.get_by_role("link").click()
    expect(office.get_by_role("heading", level=1)).to_contain_text(str(payment["DocNum"]))
    link = flow(office).get_by_role("link")
    expect(link).to_have_attribute("href", f"#/erp/Invoices/{invoice['DocEntry']}")
    flow(office).get_by_role("button", name="Ver el flujo").click()
    expect(link).to_contain_text(str(invoice["DocNum"]))


def test_an_order_is_copied_to_a_delivery_and_that_to_an_invoice(
    office: Page, program: Ask, order: int
) -> None:
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("group", name="Copiar a").get_by_role("link", name="Entrega").click()
    expect(
        office.get_by_text(re.compile(r"^De Pedido de venta \d+, con lo que queda abierto"))
    ).to_be_visible()
    first = office.get_by_role("group", name="Línea nueva 1")
    expect(first.get_by_label("Cantidad")).to_have_value("2")
    first.get_by_label("Cantidad").fill("1")
    assert violations(office) == []
    with office.expect_request(lambda each: each.method == "POST") as sending:
        office.get_by_role("button", name="Crear").click()
    body = sending.value.post_data_json
    assert body is not None
    lines = body["DocumentLines"]
    links = [{"BaseType": 17, "BaseEntry": order, "BaseLine": number} for number in (0, 1)]
    assert lines == [{**links[0], "Quantity": 1}, {**links[1], "Quantity": 2}]
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Entrega \d+"))
    left = [each["RemainingOpenQuantity"] for each in read(program, "Orders", order)["DocumentLines"]]
    assert left == [1, 0]
    office.get_by_role("group", name="Copiar a").get_by_role("link", name="Factura de venta").click()
    office.get_by_role("button", name="Crear").click()
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Factura de venta \d+"))
    open_page(office, f"/crear/DeliveryNotes?base=Orders/{order}")
    expect(office.get_by_role("group", name="Línea nueva 1").get_by_label("Cantidad")).to_have_value("1")
    expect(office.get_by_role("group", name=re.compile("^Línea nueva"))).to_have_count(1)


def test_nothing_is_offered_where_nothing_is_open(office: Page, program: Ask, order: int) -> None:
    drawn(program, "DeliveryNotes", read(program, "Orders", order), 17)
    lines = [{"BaseType": 17, "BaseEntry": order, "BaseLine": 1}]
    make(program, "DeliveryNotes", {"CardCode": CUSTOMER, "DocumentLines": lines})
    open_page(office, f"/erp/Orders/{order}")
    expect(office.locator(".page-head")).to_contain_text("Cerrado")
    expect(office.get_by_role("group", name="Copiar a")).to_have_count(0)
    for base, told in (
        (f"Orders/{order}", "no queda ningún artículo abierto que copiar"),
        ("Items/X1", "no existe"),
        ("NoExiste/1", "no existe"),
        ("Orders", "no existe"),
    ):
        open_page(office, f"/crear/Invoices?base={base}")
        expect(office.get_by_role("alert")).to_contain_text(told)
        expect(office.get_by_role("button", name="Crear", exact=True)).to_have_count(0)


def test_an_invoice_is_paid_with_what_is_owed_and_not_with_more(
    office: Page, program: Ask, order: int
) -> None:
    invoice = drawn(program, "Invoices", read(program, "Orders", order), 17)
    owed = invoice["DocTotal"]
    open_page(office, f"/erp/Invoices/{invoice['DocEntry']}")
    expect(head(office)).to_contain_text("Por pagar")
    office.get_by_role("group", name="Copiar a").get_by_role("link", name="Cobro").click()
    amount = office.get_by_label("Monto")
    expect(amount).to_have_value(f"{owed:.0f}")
    amount.fill(str(owed + 1))
    office.get_by_role("button", name="Crear").click()
    expect(office.get_by_text("Es más de lo que se debe.")).to_be_visible()
    amount.fill("100")
    office.get_by_role("button", name="Crear").click()
    expect(office.get_by_role("heading", level=1)).not_to_contain_text("Crear")
    assert read(program, "Invoices", invoice["DocEntry"])["PaidToDate"] == 100
    office.get_by_role("link", name=f"(interno {invoice['DocEntry']})").first.click()
    expect(office.get_by_role("heading", level=1)).to_contain_text(str(invoice["DocNum"]))


def test_an_order_is_cancelled_once_after_its_effect_is_explained(
    office: Page, program: Ask, order: int
) -> None:
    open_page(office, f"/erp/Orders/{order}")
    sent = sent_by(office)
    office.get_by_role("button", name="Anular", exact=True).click()
    dialog = office.get_by_role("dialog")
    expect(dialog).to_contain_text("El documento queda anulado y ya no se puede usar ni copiar.")
    assert violations(office) == []
    dialog.get_by_role("button", name="Anular", exact=True).click()
    expect(office.locator(".page-head")).to_contain_text("Anulado")
    assert sent == [f"POST sl/Orders/{order}/Cancel"]
    assert read(program, "Orders", order)["Cancelled"] == "tYES"
    for absent in ("Anular", "Cerrar", "Reabrir"):
        expect(office.locator(".page-head").get_by_role("button", name=absent, exact=True)).to_have_count(0)
    expect(office.get_by_role("group", name="Copiar a")).to_have_count(0)


def test_an_order_is_closed_and_opened_again(office: Page, program: Ask, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    for word, state in (("Cerrar", "Cerrado"), ("Reabrir", "Abierto")):
        office.locator(".page-head").get_by_role("button", name=word, exact=True).click()
        dialog = office.get_by_role("dialog")
        dialog.locator(".dialog-foot").get_by_role("button", name=word, exact=True).click()
        expect(office.locator(".page-head")).to_contain_text(state)
    assert read(program, "Orders", order)["DocumentStatus"] == "bost_Open"


def test_an_invoice_is_cancelled_by_a_document_of_its_own(office: Page, program: Ask, order: int) -> None:
    invoice = drawn(program, "Invoices", read(program, "Orders", order), 17)
    open_page(office, f"/erp/Invoices/{invoice['DocEntry']}")
    office.get_by_role("button", name="Anular con documento").click()
    dialog = office.get_by_role("dialog")
    expect(dialog).to_contain_text("crea un documento de anulación")
    dialog.get_by_role("button", name="Anular con documento").click()
    expect(office.get_by_text(re.compile(r"hecho\. Se creó Factura de venta \d+"))).to_be_visible()
    assert read(program, "Invoices", invoice["DocEntry"])["CancelStatus"] == "csYes"


def test_a_cancellation_whose_answer_breaks_off_is_repeated_under_the_same_key(
    office: Page, program: Ask, order: int, control: Ask, cut_off: Callable[[Page, str], None]
) -> None:
    invoice = drawn(program, "Invoices", read(program, "Orders", order), 17)
    open_page(office, f"/erp/Invoices/{invoice['DocEntry']}")
    keys: list[str | None] = []
    ending = "/CreateCancellationDocument"
    office.on(
        "request",
        lambda each: keys.append(each.header_value("idempotency-key")) if ending in each.url else None,
    )
    cut_off(office, ending)
    control("DELETE", "/calls")
    office.get_by_role("button", name="Anular con documento").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_role("button", name="Anular con documento").click()
    expect(dialog.get_by_role("alert")).to_contain_text("La respuesta no llegó completa")
    expect(dialog.get_by_role("link", name="Ver qué se sabe de sus operaciones")).to_be_visible()
    dialog.get_by_role("button", name="Anular con documento").click()
    expect(dialog).to_have_count(0)
    assert len(keys) == 2
    assert keys[0] == keys[1] is not None
    calls = [call for call in control("GET", "/calls").body["calls"] if call["path"].endswith(ending[1:])]
    assert len(calls) == 1


def test_a_purchase_order_is_received_invoiced_and_paid(office: Page, program: Ask, scenery: Scenery) -> None:
    lines = [{"ItemCode": scenery.items[0], "Quantity": 3, "UnitPrice": 100}]
    body = {"CardCode": "P00001", "DocDueDate": "2030-12-31", "DocumentLines": lines}
    order = make(program, "PurchaseOrders", body)
    open_page(office, f"/erp/PurchaseOrders/{order['DocEntry']}")
    targets = office.get_by_role("group", name="Copiar a")
    for word in ("Entrada", "Factura", "Pago"):
        targets.get_by_role("link", name=re.compile(word)).first.click()
        office.get_by_role("button", name="Crear", exact=True).click()
        expect(office.get_by_role("heading", level=1)).not_to_contain_text("Crear")
    flow(office).get_by_role("button", name="Ver el flujo").click()
    expect(stage(office, "Factura").get_by_role("link")).to_have_count(1)
    expect(stage(office, "Factura")).to_contain_text("Cerrado")


def test_documents_that_a_person_may_not_read_are_said_to_exist_without_more(
    person: OpenPerson, program: Ask, order: int
) -> None:
    base = read(program, "Orders", order)
    delivery = drawn(program, "DeliveryNotes", base, 17)
    assert program("PUT", "/api/permissions/luis", {"paths": ["/ventas/pedidos"]}).status == 200
    try:
        page = person()
        open_page(page)
        sign_in(page, "gateway", "luis", "luis-demo")
        open_page(page, f"/erp/Orders/{order}")
        flow(page).get_by_role("button", name="Ver el flujo").click()
        expect(flow(page)).to_contain_text("Hay otros documentos que sus permisos no alcanzan.")
        expect(flow(page)).not_to_contain_text(str(delivery["DocNum"]))
        top = page.locator(".page-head")
        expect(top).to_contain_text(base["CardName"])
        expect(top.get_by_role("link", name=base["CardName"])).to_have_count(0)
        expect(page.get_by_role("group", name="Copiar a")).to_have_count(0)
        for absent in ("Cambiar", "Cerrar", "Anular"):
            expect(top.get_by_role("button", name=absent, exact=True)).to_have_count(0)
    finally:
        assert program("DELETE", "/api/permissions/luis").status == 204


def test_hostile_texts_stay_texts_in_the_head_and_the_recent_records(
    office: Page, program: Ask, scenery: Scenery
) -> None:
    name = '<img src=x onerror=alert(1)> \u202eAna & Cía "SpA"'
    lines = [{"ItemCode": scenery.items[0], "Quantity": 1_000_000, "UnitPrice": 99_999}]
    body = {"CardCode": CUSTOMER, "CardName": name, "DocDueDate": "2030-12-31", "DocumentLines": lines}
    order = make(program, "Orders", body)
    open_page(office, f"/erp/Orders/{order['DocEntry']}")
    expect(office.locator(".page-head")).to_contain_text(order["CardName"])
    office.set_viewport_size({"width": PHONE, "height": 800})
    assert office.evaluate("document.documentElement.scrollWidth <= innerWidth")
    open_page(office)
    expect(office.get_by_role("listitem").filter(has_text="onerror=alert")).to_have_count(1)
    expect(office.locator("main img")).to_have_count(0)


def test_a_partner_shows_what_is_owed_by_age_once_somebody_asks(
    person: OpenPerson, program: Ask, order: int, control: Ask
) -> None:
    invoice = drawn(program, "Invoices", read(program, "Orders", order), 17)
    phone = person(PHONE)
    open_page(phone)
    sign_in(phone, "gateway", "ana", "ana-demo")
    open_page(phone, f"/erp/BusinessPartners/{CUSTOMER}")
    account = phone.get_by_role("region", name="Cuenta")
    expect(account).to_contain_text("Saldo")
    account.get_by_role("button", name="Ver facturas por antigüedad").click()
    expect(account).to_contain_text("Más de 90 días")
    expect(account.get_by_role("link", name=f"{invoice['DocNum']}")).to_be_visible()
    assert violations(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
