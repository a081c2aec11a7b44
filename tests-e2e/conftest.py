"""The stack of real processes, started once for all tests, and people who use it."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from stack.addresses import Addresses, any_addresses
from stack.exchange import Answer, exchange
from stack.existing import WHY_NOT, existing_addresses
from stack.stack import local_stack

ADMINISTRATOR = "ana"
CLERK = "luis"
PASSWORDS = {ADMINISTRATOR: "ana-demo", CLERK: "luis-demo"}

Ask = Callable[..., Answer]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what does not go through the origin where the environment names a running stack."""
    if existing_addresses(os.environ) is None:
        return
    for item in items:
        if isinstance(item, pytest.Function) and "addresses" not in item.fixturenames:
            item.add_marker(pytest.mark.skip(reason=WHY_NOT))


@pytest.fixture(scope="session")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Addresses]:
    """Simulated ERP, both services and nginx; nothing in them is changed by a test that another relies on."""
    given = existing_addresses(os.environ)
    if given is not None:
        yield given
        return
    folder: Path = tmp_path_factory.mktemp("stack")
    settings = {"ADMIN_WEB_USERS": ADMINISTRATOR, "DOCS_ENABLED": "true"}
    docs = {"DOCS_ENABLED": "true"}
    ports = any_addresses()
    with local_stack(folder, addresses=ports, gateway_settings=settings, returns_settings=docs):
        yield ports


@pytest.fixture(scope="session")
def own_ports(addresses: Addresses) -> Addresses:
    """The addresses of the services themselves, without nginx."""
    if not addresses.gateway:
        pytest.skip(WHY_NOT)
    return addresses


@pytest.fixture(scope="session")
def ask(addresses: Addresses) -> Ask:
    """Send a request through nginx; see `stack.exchange.exchange`."""
    return partial(exchange, addresses.origin)


@pytest.fixture(scope="session")
def control(addresses: Addresses) -> Ask:
    """Send a request to the simulated ERP's control port."""
    return partial(exchange, addresses.control)


@pytest.fixture(scope="session")
def log_in(ask: Ask) -> Callable[[str], str]:
    """Log a web user in and return the token."""

    def log_in(web_user: str) -> str:
        answer = ask("POST", "/api/auth/login", {"username": web_user, "password": PASSWORDS[web_user]})
        assert answer.status == 200, answer.content
        token: str = answer.body["token"]
        return token

    return log_in


@pytest.fixture(scope="session")
def administrator(log_in: Callable[[str], str]) -> str:
    """Token of an administrator."""
    return log_in(ADMINISTRATOR)


@pytest.fixture(scope="session")
def clerk(ask: Ask, log_in: Callable[[str], str], administrator: str) -> str:
    """Token of a clerk who may write sales orders and read partners."""
    paths = {"paths": ["/ventas/pedidos/*", "/socios"]}
    granted = ask("PUT", f"/api/permissions/{CLERK}", paths, token=administrator)
    assert granted.status == 200, granted.content
    return log_in(CLERK)


@pytest.fixture(scope="session")
def customer(ask: Ask, clerk: str) -> str:
    """Code of a customer."""
    path = "/api/sl/BusinessPartners?$select=CardCode&$filter=CardType%20eq%20%27cCustomer%27&$top=1"
    code: str = ask("GET", path, token=clerk).body["value"][0]["CardCode"]
    return code


@pytest.fixture(scope="session")
def item(ask: Ask, clerk: str) -> str:
    """Code of an item that is sold."""
    path = "/api/sl/Items?$select=ItemCode&$filter=SalesItem%20eq%20%27tYES%27&$orderby=ItemCode&$top=1"
    code: str = ask("GET", path, token=clerk).body["value"][0]["ItemCode"]
    return code


@pytest.fixture
def order(ask: Ask, clerk: str, customer: str, item: str) -> int:
    """Number of a new sales order."""
    answer = ask("POST", "/api/sl/Orders", new_order(customer, item), token=clerk)
    assert answer.status == 201, answer.content
    number: int = answer.body["DocEntry"]
    return number


@pytest.fixture(scope="session")
def make_order(customer: str, item: str) -> Callable[[], dict[str, object]]:
    """Return the body of a new sales order."""
    return partial(new_order, customer, item)


def new_order(customer: str, item: str) -> dict[str, object]:
    """Return the body of a sales order with one line."""
    return {
        "CardCode": customer,
        "DocDueDate": "2030-12-31",
        "DocumentLines": [{"ItemCode": item, "Quantity": 2, "UnitPrice": 1250.5}],
    }
