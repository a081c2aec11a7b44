"""The console as people use it: the real processes behind nginx, and a real browser in front."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from demo import modules
from playwright.sync_api import Browser, Page
from tools.browser.launching import WIDE, launched, open_context
from tools.browser.watching import Watch, noted
from tools.stack.addresses import any_addresses
from tools.stack.company import ERP_PASSWORD, ERP_USER
from tools.stack.exchange import Answer, exchange
from tools.stack.processes import LOOPBACK
from tools.stack.stack import LocalStack, local_stack

ADMINISTRATOR = "ana"
CLERK = "luis"
Ask = Callable[..., Answer]


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
    login = ask("POST", "/devoluciones/api/auth/login", {"usuario": ERP_USER, "clave": ERP_PASSWORD})
    cookie = {"Cookie": login.headers["Set-Cookie"].split(";")[0]}
    rebuilt = ask("POST", "/devoluciones/api/metadata/rebuild", {"simular": False}, headers=cookie)
    assert rebuilt.status == 200, rebuilt.content
    ask("POST", "/devoluciones/api/auth/logout", headers=cookie)


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
