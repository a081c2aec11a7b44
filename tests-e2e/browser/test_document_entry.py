"""A document typed as in a spreadsheet: by keyboard, by a paste, with names, stock, prices and amounts."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Request, expect
from stack.exchange import Answer
from tools.browser.launching import PHONE, WIDE
from tools.browser.people import open_page, paste, sign_in
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
LINES = 20


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator before a new order for a customer."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    open_page(page, "/crear/Orders")
    page.get_by_label("Código del socio").fill("C00001")
    page.get_by_label("Vencimiento").fill("2030-12-31")
    return page


def line(page: Page, number: int) -> Locator:
    """Return a line by its number."""
    return page.get_by_role("group", name=f"Línea nueva {number}", exact=True)


def reads_of(page: Page, resource: str) -> list[str]:
    """Collect the lists of a resource that the page reads from now on."""
    addresses: list[str] = []

    def note(request: Request) -> None:
        if f"/api/sl/{resource}?" in request.url:
            addresses.append(request.url)

    page.on("request", note)
    return addresses


def created(page: Page) -> list[dict[str, object]]:
    """Create the order; return its lines as they were sent."""
    with page.expect_request(lambda each: each.method == "POST" and "/sl/Orders" in each.url) as sent:
        page.get_by_role("button", name="Crear").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))
    body = sent.value.post_data_json
    assert body is not None
    lines: list[dict[str, object]] = body["DocumentLines"]
    return lines


def test_twenty_lines_are_entered_with_the_keyboard_only(office: Page, scenery: Scenery) -> None:
    items = scenery.items[:LINES]
    line(office, 1).get_by_label("Artículo").focus()
    for number, item in enumerate(items, start=1):
        office.keyboard.insert_text(item)
        office.keyboard.press("Tab")
        office.keyboard.insert_text(str(number))
        if number < len(items):
            office.keyboard.press("Enter")
            expect(line(office, number + 1).get_by_label("Artículo")).to_be_focused()
    lines = created(office)
    assert lines == [{"ItemCode": item, "Quantity": at} for at, item in enumerate(items, start=1)]


def test_enter_goes_down_the_column_and_with_shift_up(office: Page, scenery: Scenery) -> None:
    rows = "".join(f"{item}\t1\n" for item in scenery.items[:3])
    paste(office, line(office, 1).get_by_label("Artículo"), rows)
    line(office, 1).get_by_label("Cantidad").focus()
    for number in (2, 3):
        office.keyboard.press("Enter")
        expect(line(office, number).get_by_label("Cantidad")).to_be_focused()
    office.keyboard.press("Shift+Enter")
    expect(line(office, 2).get_by_label("Cantidad")).to_be_focused()
    office.keyboard.insert_text("7")
    expect(line(office, 2).get_by_label("Cantidad")).to_have_value("7")  # what was there was selected


def test_twenty_pasted_lines_get_their_names_in_one_read(office: Page, scenery: Scenery) -> None:
    read = reads_of(office, "Items")
    items = scenery.items[:LINES]
    rows = "".join(f"{item}\t{at}\t1.500\n" for at, item in enumerate(items, start=1))
    paste(office, line(office, 1).get_by_label("Artículo"), rows)
    expect(line(office, LINES).get_by_label("Cantidad")).to_have_value(str(LINES))
    for number in (1, LINES):
        expect(line(office, number).locator(".about")).to_contain_text("en existencia")
    expect(line(office, 2).locator(".amount")).to_have_text("3.000")
    assert len(read) == 1
    lines = created(office)
    assert [each["Quantity"] for each in lines] == list(range(1, LINES + 1))
    assert {each["UnitPrice"] for each in lines} == {1500}


def test_a_paste_with_a_heading_and_a_description_finds_its_columns(office: Page, scenery: Scenery) -> None:
    one, two = scenery.items[:2]
    text = f"Cantidad\tDescripción\tCódigo\n2\tUno\t{one}\n3\tDos\t{two}\n"
    paste(office, line(office, 1).get_by_label("Artículo"), text)
    assert created(office) == [{"ItemCode": one, "Quantity": 2}, {"ItemCode": two, "Quantity": 3}]


def test_one_pasted_value_goes_into_its_field(office: Page, scenery: Scenery) -> None:
    paste(office, line(office, 1).get_by_label("Artículo"), scenery.items[0])
    expect(line(office, 1).get_by_label("Artículo")).to_have_value(scenery.items[0])
    expect(line(office, 2)).to_have_count(0)


def test_the_price_of_the_list_counts_until_another_is_typed(office: Page, scenery: Scenery) -> None:
    office.get_by_label("Código del socio").press("Tab")
    first = line(office, 1)
    first.get_by_label("Artículo").fill(scenery.items[0])
    first.get_by_label("Artículo").press("Tab")
    office.keyboard.insert_text("2")
    price = first.get_by_label("Precio unitario")
    expect(price).to_have_attribute("placeholder", re.compile(r"\d+ CLP$"))
    listed = int(str(price.get_attribute("placeholder")).partition(" ")[0].replace(".", ""))
    amount = first.locator(".amount")
    shown = f"{2 * listed:,}".replace(",", ".")
    expect(amount).to_have_text(f"{shown} CLP")
    expect(office.locator(".edit-bar dd").first).to_contain_text(shown)
    price.fill("1000")
    first.get_by_label("Descuento %").fill("10")
    expect(amount).to_have_text("1.800")
    [sent] = created(office)
    assert sent == {"ItemCode": scenery.items[0], "Quantity": 2, "UnitPrice": 1000, "DiscountPercent": 10}


def test_an_unknown_code_is_reported_before_the_document_is_sent(office: Page, scenery: Scenery) -> None:
    paste(office, line(office, 1).get_by_label("Artículo"), f"{scenery.items[0]}\t1\nNO-EXISTE\t1\n")
    expect(line(office, 2).locator(".fault")).to_have_text("«NO-EXISTE» no existe.")
    expect(line(office, 1).locator(".fault")).to_have_count(0)


def test_a_field_is_browsed_without_typing_and_items_show_their_stock(office: Page) -> None:
    item = line(office, 1).get_by_label("Artículo")
    item.press("ArrowDown")
    options = office.get_by_role("listbox", name="Lo que se puede elegir").get_by_role("option")
    expect(options).to_have_count(50)
    expect(options.first).to_contain_text("en existencia")
    item.press("ArrowDown")
    item.press("Enter")
    expect(item).not_to_have_value("")
    expect(line(office, 1).locator(".about")).to_contain_text("en existencia")
    line(office, 1).locator("[data-column=WarehouseCode] .browse").click()
    expect(options.first).to_contain_text("01")


def test_a_line_is_taken_out_and_the_others_stay(office: Page, scenery: Scenery) -> None:
    rows = "".join(f"{item}\t{at}\n" for at, item in enumerate(scenery.items[:3], start=1))
    paste(office, line(office, 1).get_by_label("Artículo"), rows)
    office.get_by_role("button", name="Quitar: Línea nueva 2").click()
    expect(line(office, 3)).to_have_count(0)
    expect(line(office, 2).get_by_label("Artículo")).to_be_focused()
    assert [each["Quantity"] for each in created(office)] == [1, 3]


def test_terms_addresses_and_seller_come_with_the_document(
    office: Page, program: Ask, scenery: Scenery
) -> None:
    panel = office.get_by_role("region", name="Condiciones y entrega")
    terms = panel.get_by_label(re.compile("pago", re.IGNORECASE)).first
    terms.press("ArrowDown")
    office.get_by_role("listbox", name="Lo que se puede elegir").get_by_role("option").first.click()
    expect(terms).not_to_have_value("")
    panel.get_by_label("Comentarios").fill("con cuidado")
    line(office, 1).get_by_label("Artículo").fill(scenery.items[0])
    line(office, 1).get_by_label("Cantidad").fill("1")
    with office.expect_request(lambda each: each.method == "POST" and "/sl/Orders" in each.url) as sent:
        office.get_by_role("button", name="Crear").click()
    body = sent.value.post_data_json
    assert body is not None
    assert isinstance(body["PaymentGroupCode"], int)
    assert body["Comments"] == "con cuidado"


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_lines_are_36_pixels_high_and_fit_their_page(
    person: OpenPerson, scenery: Scenery, width: int
) -> None:
    page = person(width)
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    open_page(page, "/crear/Orders")
    paste(page, line(page, 1).get_by_label("Artículo"), "".join(f"{item}\t1\n" for item in scenery.items[:3]))
    expect(line(page, 2).locator(".about")).to_contain_text("en existencia")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    if width == WIDE:
        heights = [page.get_by_role("group").nth(at).bounding_box() for at in range(3)]
        assert [round(each["height"]) for each in heights if each] == [36, 36, 36]
