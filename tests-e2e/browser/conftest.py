"""The console as people use it: the real processes behind nginx, and a real browser in front."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from demo import modules
from playwright.sync_api import Browser, Page, expect
from stack.addresses import Addresses, any_addresses
from stack.exchange import Answer, exchange
from stack.existing import erp_tls, existing_addresses
from stack.processes import LOOPBACK
from stack.stack import local_stack
from tools.browser.launching import WIDE, launched, open_context
from tools.browser.scenery import Scenery, build
from tools.browser.watching import Watch, noted

PROGRAM = ("carmen", "carmen-demo")
"""An administrator who works by program while `ana` sits in the browser: a user has one valid token."""

FORMATS = {"RDR20001": "Pedido", "RDR20002": "Pedido (carta)"}
_CUT_OFF = """
(ending) => {
  const whole = window.fetch;
  window.fetch = async (address, options) => {
    const answer = await whole(address, options);
    if (options.method === "GET" || !address.endsWith(ending)) return answer;
    window.fetch = whole;
    const reader = answer.body.getReader();
    const { value } = await reader.read();
    reader.cancel();
    const pieces = [value.slice(0, value.length / 2)];
    const broken = new TypeError("network error");
    const pull = (line) => pieces.length ? line.enqueue(pieces.pop()) : line.error(broken);
    return new Response(new ReadableStream({ pull }), { status: answer.status, headers: answer.headers });
  };
}
"""
Ask = Callable[..., Answer]
expect.set_options(timeout=30_000)  # hangs only: on a quiet machine everything comes within a second


@pytest.fixture(scope="session")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Addresses]:
    """Everything, with the sample extension; or what runs already, where the environment names it."""
    given = existing_addresses(os.environ)
    if given is not None:
        yield given
        return
    folder: Path = tmp_path_factory.mktemp("stack")
    settings = {"ADMIN_WEB_USERS": "ana,carmen", **modules.EXTENSION_SETTINGS}
    settings |= modules.database_settings(folder)
    ports = any_addresses()
    with local_stack(folder, addresses=ports, gateway_settings=settings):
        yield ports


@pytest.fixture(scope="session")
def ask(addresses: Addresses) -> Ask:
    """Send a request through nginx; see `stack.exchange.exchange`."""
    return partial(exchange, addresses.origin)


@pytest.fixture(scope="session")
def control(addresses: Addresses) -> Ask:
    """Send a request to the simulated ERP's control port."""
    return partial(exchange, addresses.control)


@pytest.fixture(scope="session", autouse=True)
def scenery(addresses: Addresses, ask: Ask) -> Scenery:
    """Create the records that pages show."""
    return build(ask, partial(exchange, addresses.erpsim, tls=erp_tls(os.environ)), program=PROGRAM)


@pytest.fixture(scope="session")
def items(scenery: Scenery) -> list[str]:
    """Items without batches or serial numbers that can go back from the warehouse 01."""
    return scenery.items


@pytest.fixture
def program(ask: Ask) -> Ask:
    """Send a request as an administrator who is a program."""
    body = dict(zip(("username", "password"), PROGRAM, strict=True))
    token = ask("POST", "/api/auth/login", body).body["token"]
    return partial(ask, token=token)


@pytest.fixture
def order(program: Ask, scenery: Scenery) -> int:
    """A sales order of its own for a test that changes one."""
    lines = [{"ItemCode": each, "Quantity": 2, "UnitPrice": 1000} for each in scenery.items[:2]]
    body = {"CardCode": "C00001", "DocDueDate": "2030-12-31", "DocumentLines": lines}
    number: int = program("POST", "/api/sl/Orders", body).body["DocEntry"]
    return number


@pytest.fixture
def register(program: Ask) -> Callable[..., None]:
    """Register a report of the ERP's report gateway, with the parameters that it suggests."""

    def register(code: str, **definition: object) -> None:
        path = f"/api/gateway/authorized/{code}/parameters"
        body = {"enabled": True, "parameters": program("GET", path).body["parameters"], **definition}
        assert program("PUT", f"/api/gateway/registry/{code}", body).status == 200

    return register


@pytest.fixture
def formats(program: Ask, register: Callable[..., None]) -> Iterator[None]:
    """Two print formats of the screen of orders; the second one is its default."""
    for code, title in FORMATS.items():
        screens = [{"screen": "/ventas/pedidos", "default": code == "RDR20002"}]
        register(code, title=title, documents=screens)
    yield
    for code in FORMATS:
        program("DELETE", f"/api/gateway/registry/{code}")


@pytest.fixture(scope="session")
def origin(addresses: Addresses) -> str:
    """Scheme and authority that the browser sees."""
    return f"http://{LOOPBACK}:{addresses.origin}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; each has a profile of its own."""
    with launched() as running:
        yield running


OpenPerson = Callable[..., Page]


@pytest.fixture
def person(browser: Browser, origin: str) -> Iterator[OpenPerson]:
    """Open a page in a profile of its own; afterwards it must have kept to its origin and its policy."""
    watches: list[Watch] = []
    contexts = []

    def person(width: int = WIDE, *, dark: bool = False, zone: str = "America/Santiago") -> Page:
        context = open_context(browser, origin, width=width, dark=dark, zone=zone)
        contexts.append(context)
        watch = Watch(origin)
        watch.start(context)
        watches.append(watch)
        return context.new_page()

    yield person
    violations = [each for context in contexts for page in context.pages for each in noted(page)["policy"]]
    for context in contexts:
        context.close()
    assert [each.outside for each in watches] == [[]] * len(watches)
    assert [each.faults for each in watches] == [[]] * len(watches)
    assert violations == []


@pytest.fixture
def page(person: OpenPerson) -> Page:
    """A page on a wide screen."""
    return person()


@pytest.fixture
def slow_returns(control: Ask) -> Iterator[None]:
    """Let the ERP take its time over each return."""
    fault = {"method": "POST", "path": "$batch", "action": {"kind": "delay", "seconds": 1.0}, "times": None}
    control("POST", "/faults", fault)
    control("POST", "/faults", {**fault, "path": "PurchaseReturns"})
    yield
    control("DELETE", "/faults")


@pytest.fixture
def cut_off() -> Callable[[Page, str], None]:
    """Break the line in the middle of the answer to the next write to an address that ends so."""

    def cut_off(page: Page, ending: str) -> None:
        page.evaluate(_CUT_OFF, ending)

    return cut_off
