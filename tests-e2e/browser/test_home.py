"""The first page: one sign-in for both services, then today's work, which asks the ERP nothing by itself."""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Page, Request, Route, expect
from stack.addresses import Addresses
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer, exchange
from stack.existing import erp_tls
from tools.browser.accessibility import violations
from tools.browser.launching import PHONE, WIDE
from tools.browser.people import open_page, resolve, sign_in, sign_in_panel
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
SECOND = "Entrar con lo mismo en Devoluciones a proveedores"
PING = "GET ping/"
PLANS = "Sus planificaciones por hacer"


@pytest.fixture
def one_password(addresses: Addresses) -> None:
    """Let the warehouse's ERP user be a web user of the same name and password, too."""
    erp = partial(exchange, addresses.erpsim, tls=erp_tls(os.environ))
    login = {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": ERP_PASSWORD}
    headers = {"Cookie": f"B1SESSION={erp('POST', '/b1s/v1/Login', login).body['SessionId']}"}
    path = "/b1s/v1/EmployeesInfo?$select=EmployeeID&$filter=U_WEB_USER%20eq%20%27bodega%27"
    if erp("GET", path, headers=headers).body["value"]:
        return
    person = {"FirstName": "Bo", "LastName": "Dega", "U_WEB_USER": WAREHOUSE_USER, "U_WEB_PASS": ERP_PASSWORD}
    assert erp("POST", "/b1s/v1/EmployeesInfo", person, headers=headers).status == 201


def logins_of(page: Page) -> list[str]:
    """Collect to which service names and passwords are sent from now on."""
    found: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/auth/login"):
            found.append("returns" if "/devoluciones/" in request.url else "gateway")

    page.on("request", note)
    return found


def enter(page: Page, user: str, password: str, *, with_both: bool) -> None:
    """Fill in the sign-in of the gateway and send it."""
    form, label = sign_in_panel(page, "gateway")
    form.get_by_label(label).fill(user)
    form.get_by_label("Contraseña").fill(password)
    both = form.get_by_role("checkbox")
    expect(both).not_to_be_checked()
    if with_both:
        both.check()
    form.get_by_role("button", name="Entrar").click()


def test_one_sign_in_opens_both_services_with_consent(page: Page, one_password: None) -> None:
    open_page(page)
    sent = logins_of(page)
    enter(page, WAREHOUSE_USER, ERP_PASSWORD, with_both=True)
    expect(page.locator(".person")).to_have_count(2)
    assert sent == ["gateway", "returns"]
    assert ERP_PASSWORD not in page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")


def test_signing_in_to_both_services_requires_consent(page: Page, one_password: None) -> None:
    open_page(page)
    sent = logins_of(page)
    enter(page, WAREHOUSE_USER, ERP_PASSWORD, with_both=False)
    expect(page.get_by_role("heading", name="Inicio")).to_be_visible()
    resolve(page)
    assert sent == ["gateway"]


def test_the_second_service_is_tried_once_and_its_refusal_shown_separately(page: Page) -> None:
    open_page(page, "/trabajos")
    sent = logins_of(page)
    enter(page, "ana", "ana-demo", with_both=True)
    expect(page.get_by_role("heading", name="Trabajos")).to_be_visible()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("En Devoluciones a proveedores no se entró")
    open_page(page)
    resolve(page)
    assert sent == ["gateway", "returns"]
    form, label = sign_in_panel(page, "returns")
    expect(form.get_by_label(label)).to_have_value("")
    expect(form.get_by_role("checkbox")).to_have_count(0)  # the gateway is entered already


def test_leaving_during_the_second_sign_in_signs_in_to_neither(page: Page, one_password: None) -> None:
    under_way: list[Route] = []

    def hold(route: Route) -> None:
        under_way.append(route)

    page.route("**/devoluciones/api/auth/login", hold)
    open_page(page)
    enter(page, WAREHOUSE_USER, ERP_PASSWORD, with_both=True)
    page.get_by_role("button", name="Salir de Pasarela del ERP").click()
    expect(page.get_by_role("heading", name="Entrar")).to_be_visible()
    (login,) = under_way
    with page.expect_response("**/devoluciones/api/auth/logout"):
        login.continue_()
    expect(page.locator(".person")).to_have_count(0)
    open_page(page)
    expect(page.get_by_role("heading", name="Entrar")).to_be_visible()


def test_credentials_refused_by_the_gateway_are_not_sent_to_the_other_service(page: Page) -> None:
    open_page(page, "/devoluciones")
    sent = logins_of(page)
    form, label = sign_in_panel(page, "returns")
    form.get_by_label(label).fill(WAREHOUSE_USER)
    form.get_by_label("Contraseña").fill("no es esta")
    form.get_by_role("checkbox").check()
    form.get_by_role("button", name="Entrar").click()
    expect(form.get_by_role("alert")).to_contain_text("En Devoluciones a proveedores no se probó.")
    assert sent == ["gateway"]
    expect(form.get_by_role("checkbox")).not_to_be_checked()


def calls_of(control: Ask) -> list[str]:
    """Return what the ERP was asked for, without the pings that all who look share."""
    calls = [f"{call['method']} {call['path']}" for call in control("GET", "/calls").body["calls"]]
    return [call for call in calls if call != PING]


def test_the_home_page_makes_no_erp_call_until_a_part_is_opened(page: Page, control: Ask) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    control("DELETE", "/calls")
    open_page(page)
    resolve(page)
    expect(page.get_by_role("heading", name="Permisos negados hoy")).to_be_visible()
    assert calls_of(control) == []
    page.get_by_text(PLANS).click()
    expect(page.get_by_role("link", name="Planificación").first).to_be_visible()
    assert calls_of(control) == ["GET LIB_ODEV"]


def test_open_plannings_show_their_next_step_and_stay_expanded(page: Page, scenery: Scenery) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_text(PLANS).click()
    row = page.get_by_role("listitem").filter(has=page.locator(f"a[href='#/devoluciones/{scenery.planned}']"))
    expect(row).to_contain_text("Espera que la ejecute.")
    expect(page.locator(f"a[href='#/devoluciones/{scenery.executed}']")).to_have_count(0)
    open_page(page)
    expect(row).to_be_visible()
    page.get_by_text(PLANS).click()
    open_page(page)
    resolve(page)
    expect(row).to_have_count(0)


def test_the_only_content_of_the_first_page_is_open(page: Page, scenery: Scenery) -> None:
    open_page(page)
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    expect(page.locator(f"a[href='#/devoluciones/{scenery.planned}']")).to_be_visible()


@pytest.fixture
def refused_return(ask: Ask, control: Ask, items: list[str]) -> Iterator[int]:
    """Execute a planning whose return the ERP refuses; return the planning's number."""
    login = ask("POST", "/devoluciones/api/auth/login", {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD})
    headers = {"Cookie": login.headers["Set-Cookie"].split(";")[0]}
    body = {
        "cabecera": {"whsCode": "01"},
        "lineas": [{"itemCode": items[8], "cantidad": 1}],
        "permitirOtra": True,
    }
    plan = ask("POST", "/devoluciones/api/planificaciones", body, headers=headers).body
    refusal = {"kind": "refuse", "status": 400, "code": -5002, "text": "Período bloqueado"}
    for path in ("$batch", "PurchaseReturns"):
        control("POST", "/faults", {"method": "POST", "path": path, "action": refusal, "times": None})
    ask(
        "POST",
        f"/devoluciones/api/planificaciones/{plan['id']}/devoluciones",
        {"version": plan["version"]},
        headers=headers,
    )
    control("DELETE", "/faults")
    yield plan["id"]
    ask(
        "POST",
        f"/devoluciones/api/planificaciones/{plan['id']}/cerrar",
        {"motivo": "prueba"},
        headers=headers,
    )


def test_failed_documents_are_listed_on_request(page: Page, refused_return: int) -> None:
    open_page(page)
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    row = page.get_by_role("listitem").filter(has=page.locator(f"a[href='#/devoluciones/{refused_return}']"))
    expect(row).to_contain_text("Espera que la reprocese.")
    row.get_by_text("Documentos con error o sin respuesta").click()
    expect(row.get_by_role("listitem")).to_contain_text("Error")


def test_recent_records_are_listed_until_sign_out(page: Page, order: int) -> None:
    open_page(page, f"/erp/Orders/{order}")
    sign_in(page, "gateway", "ana", "ana-demo")
    title = page.locator("main h1")
    expect(title).to_contain_text("Pedido de venta")
    name = title.inner_text()
    page.get_by_role("navigation", name="Principal").get_by_role("link", name="Inicio").click()
    opened = page.get_by_role("listitem").filter(has=page.get_by_role("link", name=name))
    expect(opened.get_by_role("link")).to_have_attribute("href", f"#/erp/Orders/{order}")
    expect(opened).to_contain_text(re.compile(r"\S · 4\.760 CLP"))
    kept = [each for each in page.evaluate("Object.entries({...sessionStorage})") if "abiertos" in each[0]]
    assert [sorted(each) for each in json.loads(kept[0][1])] == [["at", "href", "note", "title"]]
    page.get_by_role("button", name="Salir de Pasarela del ERP").click()
    expect(page.get_by_role("heading", name="Entrar")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_missing_record_is_not_listed_as_opened(page: Page) -> None:
    open_page(page, "/erp/Orders/987654")
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_role("alert")).to_be_visible()
    open_page(page)
    resolve(page)
    expect(page.get_by_role("heading", name="Lo último que abrió")).to_have_count(0)


def test_administrators_see_the_state_of_the_erp_and_denied_requests(
    page: Page, ask: Ask, control: Ask
) -> None:
    token = ask("POST", "/api/auth/login", {"username": "luis", "password": "luis-demo"}).body["token"]
    assert ask("GET", "/api/audit", token=token).status == 403
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    refused = page.locator("section").filter(has=page.get_by_role("heading", name="Permisos negados hoy"))
    expect(refused).to_contain_text("luis no pudo ver")
    state = page.locator("section").filter(has=page.get_by_role("heading", name="El ERP", exact=True))
    expect(state).to_contain_text("Responde")


def test_users_see_only_their_own_work(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "luis", "luis-demo")
    expect(page.get_by_role("heading", name="Operaciones por aclarar")).to_be_visible()
    expect(page.get_by_role("heading", name="Trabajos")).to_be_visible()
    expect(page.get_by_role("heading", name="El ERP", exact=True)).to_have_count(0)
    expect(page.get_by_role("heading", name="Permisos negados hoy")).to_have_count(0)


CARDS = [
    {
        "name": "orders_due",
        "state": "read",
        "readAt": "2026-11-28T13:31:00.000Z",
        "count": 7,
        "sums": [{"currency": "CLP", "amount": 1190000}, {"currency": "USD", "amount": 10.5}],
        "isPartial": False,
        "resource": "Orders",
        "filter": "DocumentStatus eq 'bost_Open' and DocDueDate le '2026-11-28'",
    },
    {
        "name": "invoices_overdue",
        "state": "unavailable",
        "readAt": None,
        "count": None,
        "sums": [],
        "isPartial": False,
        "resource": "Invoices",
        "filter": None,
    },
]


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_figures_lead_to_what_they_count_and_say_when_they_were_read(person: OpenPerson, width: int) -> None:
    page = person(width)
    page.route("**/api/home", lambda route: route.fulfill(json={"cards": CARDS}))
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    card = page.get_by_role("article").filter(has_text="Pedidos que vencen")
    expect(card).to_contain_text("7")
    expect(card).to_contain_text("1.190.000\u00a0CLP · 10,50\u00a0USD")
    expect(card).to_contain_text("leído 10:31")
    expect(page.get_by_role("article").filter(has_text="vencidas por cobrar")).to_contain_text(
        "El ERP no lo dice ahora."
    )
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    card.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pedidos de venta")
    expect(page.get_by_text("Estado es Abierto")).to_be_visible()


def test_two_large_actions_are_what_the_person_may_do(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    most = page.get_by_role("navigation", name="Lo más usado").get_by_role("link")
    expect(most).to_have_text(["Crear: Pedido de venta", "Buscar registros"])
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    expect(most).to_have_text(["Crear: Pedido de venta", "Nueva devolución"])
    most.first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Crear: Pedido de venta")
