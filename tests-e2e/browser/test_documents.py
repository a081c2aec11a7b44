"""Documents of the ERP: where they come from, what they come to, one made like another, and on paper."""

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from demo.pdf import read_pdf
from playwright.sync_api import Page, expect
from stack.exchange import Answer
from tools.browser.people import open_page, sign_in
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def asked_of(page: Page) -> list[str]:
    """Collect what the page asks of the ERP from now on, by method and address."""
    requests: list[str] = []

    def note(method: str, url: str) -> None:
        if "/api/sl/" in url:
            requests.append(f"{method} {unquote(url).partition('/api/sl/')[2]}")

    page.on("request", lambda each: note(each.method, each.url))
    return requests


def test_a_partner_has_its_name_as_title_and_links_to_open_documents(office: Page) -> None:
    requests = asked_of(office)
    open_page(office, "/erp/BusinessPartners/C00001")
    heading = office.get_by_role("heading", level=1)
    expect(office.get_by_text("Socio de negocios C00001")).to_be_visible()
    expect(heading).not_to_contain_text("C00001")
    lists = office.get_by_role("navigation", name="Abierto con este socio")
    expect(lists.get_by_role("link", name="Facturas de venta")).to_be_visible()
    expect(lists.get_by_role("link", name="Facturas de compra")).to_have_count(0)
    assert requests == ["GET BusinessPartners/C00001"]
    lists.get_by_role("link", name="Pedidos de venta").click()
    expect(office.get_by_role("heading", level=1)).to_have_text("Pedidos de venta")
    expect(office.get_by_role("cell", name="C00001").first).to_be_visible()
    expect(office.get_by_role("cell", name="Cerrado")).to_have_count(0)
    assert "CardCode eq 'C00001' and DocumentStatus eq 'bost_Open'" in requests[-1].replace("+", " ")
    open_page(office, "/erp/BusinessPartners/P00001")
    expect(lists.get_by_role("link", name="Facturas de compra")).to_be_visible()
    expect(lists.get_by_role("link", name="Facturas de venta")).to_have_count(0)


def test_totals_follow_the_input_and_stay_visible_with_the_customer(office: Page, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    said = office.get_by_role("region", name="Totales").locator("dd")
    expect(said).to_have_text(["4.000 CLP", "760 CLP", "4.760 CLP"])
    office.get_by_role("button", name="Cambiar").click()
    expect(office.get_by_label("Vencimiento")).to_be_focused()
    bar = office.locator(".edit-bar")
    expect(bar.locator("dd")).to_have_text(["4.000 CLP", "760 CLP", "4.760 CLP"])
    expect(bar).not_to_contain_text("Estimación")
    office.get_by_label(re.compile(r"^Cantidad de .*línea 1$")).fill("5")
    expect(bar.locator("dd")).to_have_text(["7.000 CLP", "1.330 CLP", "8.330 CLP"])
    expect(bar).to_contain_text("Estimación de la consola")
    name = bar.locator("strong").inner_text()
    assert name
    requests = asked_of(office)
    for height in (300, 900):  # wherever the page stands
        office.set_viewport_size({"width": 1280, "height": height})
        expect(bar).to_be_in_viewport(ratio=0.9)
    office.get_by_role("button", name="Otra línea").click()
    office.get_by_label("Cantidad", exact=True).fill("1")
    expect(bar).to_contain_text("sin 1 línea cuyo precio pone el ERP")
    office.get_by_label("Precio unitario", exact=True).fill("1000")
    expect(bar.locator("dd")).to_have_text(["8.000 CLP", "1.520 CLP", "9.520 CLP"])
    assert requests == []
    office.get_by_role("button", name="Quitar: Línea nueva 1").click()
    office.get_by_role("button", name="Guardar cambios").click()
    expect(said).to_have_text(["7.000 CLP", "1.330 CLP", "8.330 CLP"])  # as the ERP has them


def test_a_new_document_begins_with_the_field_that_is_needed(office: Page, scenery: Scenery) -> None:
    open_page(office, "/crear/Orders")
    expect(office.get_by_label("Código del socio")).to_be_focused()
    office.keyboard.type("C00001")
    office.get_by_label("Artículo").fill(scenery.items[0])
    office.get_by_label("Cantidad").fill("3")
    office.get_by_label("Precio unitario").fill("1000")
    bar = office.locator(".edit-bar")
    expect(bar.locator("dd")).to_have_text(["3.000", "lo calcula el ERP", "lo calcula el ERP"])
    expect(bar).to_contain_text("C00001")


def test_copying_a_document_sends_no_write_before_saving(office: Page, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    expect(office.get_by_role("region", name="Totales")).to_be_visible()
    title = office.get_by_role("heading", level=1).inner_text()
    requests = asked_of(office)
    office.get_by_role("link", name="Duplicar").click()
    expect(office.get_by_text(f"Copia de {title}. No se ha enviado nada.")).to_be_visible()
    expect(office.get_by_label("Código del socio")).to_have_value("C00001")
    expect(office.get_by_label("Artículo")).to_have_count(2)
    assert [each.input_value() for each in office.get_by_label("Cantidad").all()] == ["2", "2"]
    assert [each for each in requests if not each.startswith("GET")] == []
    assert requests == [f"GET Orders/{order}"]  # what is taken over is not looked for again
    office.get_by_label("Vencimiento").fill("2030-12-31")
    office.get_by_role("button", name="Crear").click()
    heading = office.get_by_role("heading", level=1)
    expect(heading).to_have_text(re.compile(r"^Pedido de venta \d+"))
    expect(heading).not_to_have_text(title)
    expect(office.get_by_role("region", name="Totales").locator("dd").last).to_have_text("4.760 CLP")


def test_a_copy_costs_what_its_original_costs(office: Page, program: Ask, scenery: Scenery) -> None:
    first = {"ItemCode": scenery.items[0], "Quantity": 5, "UnitPrice": 1000, "DiscountPercent": 50}
    second = {"ItemCode": scenery.items[1], "Quantity": 2, "UnitPrice": 10, "Currency": "USD", "UoMEntry": 1}
    sent = {"CardCode": "C00001", "DocDueDate": "2030-12-31", "DiscountPercent": 10}
    made = program("POST", "/api/sl/Orders", {**sent, "DocumentLines": [first, second]})
    assert made.status == 201, made.body
    open_page(office, f"/crear/Orders?de={made.body['DocEntry']}")
    expect(office.get_by_role("region", name="Datos").get_by_label("Descuento %")).to_have_value("10")
    expect(office.get_by_role("group").first.get_by_label("Descuento %")).to_have_value("50")
    expect(office.get_by_role("group").last.get_by_label("Moneda")).to_have_value("USD")
    expect(office.locator(".edit-bar")).to_contain_text("monedas distintas")
    office.get_by_label("Vencimiento").fill("2030-12-31")
    with office.expect_response(lambda each: each.request.method == "POST" and each.ok) as answer:
        office.get_by_role("button", name="Crear").click()
    copy = answer.value.json()
    assert copy["DocTotal"] == made.body["DocTotal"]
    fields = ("Quantity", "UnitPrice", "DiscountPercent", "Currency", "UoMEntry")
    of = [[[line[name] for name in fields] for line in each["DocumentLines"]] for each in (made.body, copy)]
    assert of[0] == of[1]
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))


def test_a_copy_has_a_draft_of_its_own_and_only_once_it_is_changed(
    office: Page, control: Ask, order: int, scenery: Scenery
) -> None:
    open_page(office, "/crear/Orders")
    office.get_by_label("Código del socio").fill("C00001")
    office.get_by_label("Artículo").fill(scenery.items[0])
    office.get_by_label("Vencimiento").fill("2030-12-31")
    fault = {"method": "POST", "path": "Orders", "action": {"kind": "drop", "when": "after-work"}}
    control("POST", "/faults", fault)
    office.get_by_role("button", name="Crear").click()
    expect(office.get_by_role("alert")).to_contain_text("outcome_unknown")
    drafts = "Object.entries({...sessionStorage}).filter(([name]) => name.includes('borrador')).sort()"
    kept = office.evaluate(drafts)
    open_page(office, f"/crear/Orders?de={order}")
    expect(office.get_by_label("Código del socio")).to_have_value("C00001")
    assert office.evaluate(drafts) == kept  # with the key under which it was sent
    open_page(office, f"/erp/Orders/{order}")  # nothing is held
    expect(office.get_by_role("region", name="Totales")).to_be_visible()
    open_page(office, f"/crear/Orders?de={order}")
    office.get_by_label("Comentarios").fill("otra vez")
    both = office.evaluate(drafts)
    assert kept[0] in both
    assert len(both) == len(kept) + 1
    office.get_by_label("Comentarios").fill("")
    assert office.evaluate(drafts) == kept


def test_a_printed_record_contains_only_the_record(office: Page, order: int, scenery: Scenery) -> None:
    open_page(office, f"/erp/Orders/{order}")
    expect(office.get_by_role("region", name="Totales")).to_be_visible()
    title = office.get_by_role("heading", level=1).inner_text()
    for look in ("light", "dark"):
        office.emulate_media(color_scheme=look)
        office.evaluate("look => { document.documentElement.style.colorScheme = look }", look)
        pages = read_pdf(office.pdf(format="A4", print_background=True))
        text = " ".join(page.text for page in pages)
        for said in (title, "C00001", "4.760", "Artículo", "Cantidad", *scenery.items[:2]):
            assert said in text
        for control in ("Cambiar", "Historia", "Registros", "Administración", "Elegir", "Ir a"):
            assert control not in text
        office.emulate_media(media="print")
        expect(office.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
        assert office.evaluate("document.body.scrollWidth - innerWidth") == 0
        office.emulate_media(media="null")


def test_value_help_offers_valid_partners_and_items_with_price_and_stock(
    office: Page, program: Ask, scenery: Scenery
) -> None:
    requests = asked_of(office)
    item, partner = scenery.items[0], "C00001"
    open_page(office, "/crear/Orders")
    office.get_by_label("Código del socio").press_sequentially(partner)
    name = program("GET", f"/api/sl/BusinessPartners/{partner}?$select=CardName").body["CardName"]
    bar = office.locator(".edit-bar")
    expect(bar).to_contain_text(f"{name} · {partner}")
    office.get_by_label("Artículo").press_sequentially(item)
    line = office.get_by_role("group", name="Línea nueva 1")
    expect(line.locator(".about")).to_have_text(re.compile(r"-?[\d.,]+ \S+ en existencia$"))
    expect(line.get_by_label("Precio unitario")).to_have_attribute("placeholder", re.compile(r"^[\d.]+ CLP$"))
    read = [each.replace("+", " ") for each in requests]
    assert any("CardType eq 'cCustomer'" in each for each in read if "BusinessPartners" in each)
    assert any("SalesItem eq 'tYES'" in each for each in read if "Items" in each)
    for field, text in (("Código del socio", "P0000"), ("Artículo", item)):
        requests.clear()
        open_page(office, "/crear/PurchaseOrders")
        office.get_by_label(field).fill(text)
        option = office.get_by_role("listbox", name="Lo que se puede elegir").get_by_role("option").first
        expect(option).to_be_visible()
        assert not option.inner_text().startswith("C00")
        (read_once,) = requests
        kind = "PurchaseItem eq 'tYES'" if field == "Artículo" else "CardType eq 'cSupplier'"
        assert kind in read_once.replace("+", " ")
        office.get_by_label(field).fill("")  # nothing is held
