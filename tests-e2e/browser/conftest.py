"""The console as people use it: the real processes behind nginx, and a real browser in front."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from demo import modules
from playwright.sync_api import Browser, Page
from tools.browser.launching import WIDE, launched, open_context
from tools.browser.watching import Watch, noted
from tools.stack.addresses import any_addresses
from tools.stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from tools.stack.exchange import Answer, exchange
from tools.stack.processes import LOOPBACK
from tools.stack.stack import LocalStack, local_stack

ADMINISTRATOR = "ana"
CLERK = "luis"
Ask = Callable[..., Answer]
MANY = 100
"""More pieces than all tests together give back of an item."""


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """Everything, with the sample extension; the ERP is prepared for plannings."""
    folder: Path = tmp_path_factory.mktemp("stack")
    settings = {
        "ADMIN_WEB_USERS": ADMINISTRATOR,
        **modules.EXTENSION_SETTINGS,
        **modules.database_settings(folder),
    }
    with local_stack(folder, addresses=any_addresses(), gateway_settings=settings) as running:
        prepare_plannings(partial(exchange, running.addresses.origin))
        yield running


def prepare_plannings(ask: Ask) -> None:
    """Make what plannings are kept in, as the ERP's superuser."""
    cookie = sign_in_superuser(ask)
    rebuilt = ask("POST", "/devoluciones/api/metadata/rebuild", {"simular": False}, headers=cookie)
    assert rebuilt.status == 200, rebuilt.content


def sign_in_superuser(ask: Ask) -> dict[str, str]:
    """Return the cookie of the ERP's superuser."""
    login = ask("POST", "/devoluciones/api/auth/login", {"usuario": ERP_USER, "clave": ERP_PASSWORD})
    return {"Cookie": login.headers["Set-Cookie"].split(";")[0]}


@pytest.fixture(scope="session")
def origin(stack: LocalStack) -> str:
    """Scheme and authority that the browser sees."""
    return f"http://{LOOPBACK}:{stack.addresses.origin}"


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

    def person(width: int = WIDE, *, dark: bool = False) -> Page:
        context = open_context(browser, origin, width=width, dark=dark)
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


@pytest.fixture(scope="session")
def ask(stack: LocalStack) -> Ask:
    """Send a request through nginx; see `tools.stack.exchange.exchange`."""
    return partial(exchange, stack.addresses.origin)


@pytest.fixture(scope="session")
def previewed(stack: LocalStack, ask: Ask) -> list[dict[str, Any]]:
    """Lines of a preview of everything that came into the warehouse 01 lately, one piece each."""
    codes = "\n".join(f"{code}\t1" for code in received(partial(exchange, stack.addresses.erpsim)))
    cookie = sign_in_superuser(ask)
    body = {"whsCode": "01", "texto": f"Código\tCantidad\n{codes}"}
    preview = ask("POST", "/devoluciones/api/planificaciones/pegar", body, headers=cookie)
    assert preview.status == 200, preview.content
    lines: list[dict[str, Any]] = preview.body["lineas"]
    return lines


def received(erp: Ask) -> list[str]:
    """Return items of the newest open receipts."""
    login = {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": ERP_PASSWORD}
    session = erp("POST", "/b1s/v1/Login", login).body["SessionId"]
    query = "$select=DocumentLines&$filter=DocumentStatus%20eq%20%27bost_Open%27&$orderby=DocEntry%20desc"
    headers = {"Cookie": f"B1SESSION={session}", "Prefer": "odata.maxpagesize=80", "B1S-PageSize": "80"}
    found = erp("GET", f"/b1s/v1/PurchaseDeliveryNotes?{query}&$top=80", headers=headers).body["value"]
    lines = [line for receipt in found for line in receipt["DocumentLines"]]
    return list(dict.fromkeys(each["ItemCode"] for each in lines if each["WarehouseCode"] == "01"))


@pytest.fixture(scope="session")
def items(previewed: list[dict[str, Any]]) -> list[str]:
    """Items without batches or serial numbers that can go back from the warehouse 01."""
    return [
        line["itemCode"]
        for line in previewed
        if line["gestion"] == "ninguna" and line["estado"] == "planificada" and line["stock"] > MANY
    ]


@pytest.fixture
def slow_returns(stack: LocalStack) -> Iterator[None]:
    """Let the ERP take its time over each return."""
    control = partial(exchange, stack.addresses.control)
    fault = {"method": "POST", "path": "$batch", "action": {"kind": "delay", "seconds": 0.4}, "times": None}
    control("POST", "/faults", fault)
    control("POST", "/faults", {**fault, "path": "PurchaseReturns"})
    yield
    control("DELETE", "/faults")
