"""The stack of real processes, started once for all tests, and people who use it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tools.stack.addresses import any_addresses
from tools.stack.exchange import Answer, exchange
from tools.stack.stack import LocalStack, local_stack

ADMINISTRATOR = "ana"
CLERK = "luis"
PASSWORDS = {ADMINISTRATOR: "ana-demo", CLERK: "luis-demo"}

Ask = Callable[..., Answer]


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """Simulated ERP, both services and nginx; nothing in them is changed by a test that another relies on."""
    folder: Path = tmp_path_factory.mktemp("stack")
    settings = {"ADMIN_WEB_USERS": ADMINISTRATOR, "DOCS_ENABLED": "true"}
    docs = {"DOCS_ENABLED": "true"}
    with local_stack(
        folder, addresses=any_addresses(), gateway_settings=settings, returns_settings=docs
    ) as running:
        yield running


@pytest.fixture(scope="session")
def ask(stack: LocalStack) -> Ask:
    """Send a request through nginx; see `tools.stack.exchange.exchange`."""
    return partial(exchange, stack.addresses.origin)


@pytest.fixture(scope="session")
def control(stack: LocalStack) -> Ask:
    """Send a request to the simulated ERP's control port."""
    return partial(exchange, stack.addresses.control)


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
