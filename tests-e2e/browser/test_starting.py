"""The console where a browser blocks something or a module is missing, and addresses of what is not there."""

import contextlib
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import Answer
from tools.browser.launching import WIDE, open_context
from tools.browser.people import CONSOLE, open_page, sign_in

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]

_BLOCKED = {
    "stores": """for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, { get() { throw new DOMException("", "SecurityError"); } });""",
    "stores that are missing": """for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, { get: () => null });""",
    "stores without room": """Storage.prototype.setItem = () => {
        throw new DOMException("", "QuotaExceededError"); };""",
    "channels": "delete window.BroadcastChannel;",
    "channels that are blocked": """window.BroadcastChannel = class {
        constructor() { throw new DOMException("", "SecurityError"); } };""",
}
LOST = "La consola no se pudo cargar"


@pytest.fixture
def failing(browser: Browser, origin: str) -> Iterator[Page]:
    """A page that may raise errors; other ones must not."""
    context = open_context(browser, origin, width=WIDE)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("what", _BLOCKED)
def test_it_works_with_blocked_storage(page: Page, what: str, order: int) -> None:
    page.add_init_script(_BLOCKED[what])
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_label("Aspecto").select_option("oscuro")
    page.evaluate(f"location.hash = '#/erp/Orders/{order}'")
    page.get_by_role("button", name="Cambiar").click()
    page.get_by_label("Comentarios").fill(f"sin {what}")
    page.get_by_role("button", name="Guardar cambios").click()
    expect(page.get_by_text(re.compile(r"^Pedido de venta \d+: cambio guardado\.$"))).to_be_visible()
    page.evaluate("location.hash = '#/erp/Orders'")
    page.get_by_role("button", name="Vistas").click()
    page.get_by_label("Nombre de la vista").fill("Mía")
    page.get_by_role("button", name="Guardar esta vista").click()
    expect(page.get_by_role("link", name="Mía")).to_be_visible()
    lost = page.get_by_text("Este navegador no guarda nada")
    expect(lost).to_have_count(1 if "stores" in what else 0)
    page.evaluate("location.hash = '#/devoluciones'")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_role("button", name="Salir de Pasarela del ERP").click()
    expect(page.get_by_text("Salió de Pasarela del ERP.")).to_be_visible()


def test_a_missing_script_is_reported_with_a_retry(page: Page) -> None:
    pattern = "**/assets/core-*.js"
    page.route(pattern, lambda route: route.fulfill(status=503, body="no"))
    page.goto(f"{CONSOLE}#/erp/Orders")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(LOST)
    page.unroute(pattern)
    alert.get_by_role("link", name="Intentar de nuevo").click()
    expect(page.locator("form.sign-in")).to_be_visible()
    expect(page.get_by_text(LOST)).to_be_hidden()
    expect(page).to_have_url(re.compile("#/erp/Orders$"))


def test_an_unreadable_script_is_reported(failing: Page) -> None:
    page = failing
    broken = {"content_type": "text/javascript", "body": "const = 1;"}
    page.route("**/assets/core-*.js", lambda route: route.fulfill(**broken))
    page.goto(CONSOLE)
    expect(page.get_by_role("alert")).to_contain_text(LOST)


def test_offline_a_page_that_was_not_loaded_says_so_and_comes_with_the_network(failing: Page) -> None:
    page = failing
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.context.set_offline(True)
    page.get_by_role("link", name="Sesiones").first.click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(
        "No hay conexión con el servidor, y esta parte de la consola todavía no se había cargado."
    )
    alert.get_by_role("button", name="Intentar de nuevo").click()
    expect(alert).to_contain_text("No hay conexión")
    page.get_by_role("button", name=re.compile("^Ir a")).click()
    expect(page.get_by_role("status").get_by_text("No hay conexión con el servidor, y")).to_be_visible()
    page.context.set_offline(False)
    # The page also tries again by itself, which may remove the button before the click.
    with contextlib.suppress(PlaywrightTimeoutError):
        alert.get_by_role("button", name="Intentar de nuevo").click(timeout=5000)
    expect(page.get_by_role("heading", name="Sesiones", level=1)).to_be_visible()


def test_a_failing_module_is_reported_and_can_be_retried(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.route("**/assets/admin-*.js", lambda route: route.fulfill(status=503))
    page.get_by_role("link", name="Sesiones").first.click()
    expect(page.get_by_role("alert")).to_contain_text("Esta parte de la consola no se pudo cargar.")
    page.unroute("**/assets/admin-*.js")
    page.get_by_role("button", name="Intentar de nuevo").click()
    expect(page.get_by_role("heading", name="Sesiones", level=1)).to_be_visible()


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/crear/PurchaseOrders", "no existe, o sus permisos no lo alcanzan"),
        ("/crear/Nada", "«Nada» no existe"),
        ("/crear/__proto__", "«__proto__» no existe"),
        ("/crear/Nada?de=1", "«Nada» no existe"),
        ("/crear/Orders", "Sus permisos no alcanzan para crear en «Pedidos de venta»"),
        ("/crear/Orders?de=1", "Sus permisos no alcanzan para crear en «Pedidos de venta»"),
        ("/crear", "Esta página no existe"),
        ("/erp/Nada", "«Nada» no existe"),
        ("/erp/Orders/99999999", "El ERP"),
        ("/informes/zzz/x", "No existe, o sus permisos no lo alcanzan"),
        ("/informes/__proto__/x", "No existe, o sus permisos no lo alcanzan"),
        ("/informes/consulta/nada", "No existe, o sus permisos no lo alcanzan"),
    ],
)
def test_missing_and_forbidden_records_are_reported(page: Page, program: Ask, path: str, told: str) -> None:
    assert program("PUT", "/api/permissions/luis", {"paths": ["/ventas/pedidos", "/socios"]}).status == 200
    open_page(page)
    sign_in(page, "gateway", "luis", "luis-demo")
    open_page(page, path)
    expect(page.get_by_role("main")).to_contain_text(told)
    expect(page.get_by_role("navigation", name="Principal")).to_be_visible()


def test_a_page_that_fails_leaves_the_rest_of_the_console(failing: Page) -> None:
    page = failing

    def crooked(route: Route) -> None:
        route.fulfill(json={"items": [None], "total": 1, "page": 1, "pageSize": 50})

    page.route("**/api/sessions", crooked)
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_role("link", name="Sesiones").first.click()
    expect(page.get_by_role("alert")).to_contain_text("La consola falló al mostrar esta página.")
    page.get_by_role("link", name="Trabajos").first.click()
    expect(page.get_by_role("heading", name="Trabajos", level=1)).to_be_visible()


def test_a_message_names_its_record_and_ends_with_the_page_or_a_failure(failing: Page, order: int) -> None:
    page = failing
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    open_page(page, f"/erp/Orders/{order}")
    page.clock.install()
    page.get_by_role("button", name="Cambiar").click()
    page.get_by_label("Comentarios").fill("uno")
    page.get_by_role("button", name="Guardar cambios").click()
    said = page.get_by_text(re.compile(r"^Pedido de venta \d+: cambio guardado\.$"))
    expect(said).to_be_visible()
    page.get_by_role("button", name="Cambiar").click()
    save = page.get_by_role("button", name="Guardar cambios")
    page.get_by_label("Comentarios").fill("dos")
    toast, button = said.bounding_box(), save.bounding_box()
    assert toast
    assert button
    assert toast["y"] + toast["height"] <= button["y"]
    page.route("**/api/sl/Orders(*", lambda route: route.abort())
    page.route(f"**/api/sl/Orders/{order}", lambda route: route.abort())
    save.click()
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(said).to_have_count(0)
    page.unroute_all()
    save.click()
    expect(said).to_be_visible()
    page.evaluate("location.hash = '#/erp/Orders'")
    expect(page.get_by_role("heading", name="Pedidos de venta", level=1)).to_be_visible()
    expect(said).to_have_count(0)
