"""A template folder, real engines with a printer before them, and a canary that nobody may touch."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path

import pytest
import pytest_asyncio

from erp_gateway.reports.html.opening import open_executor
from erp_gateway.reports.html.printing.browser import BrowserEngine, find_browser
from erp_gateway.reports.html.printing.engine import PdfEngine
from erp_gateway.reports.html.printing.printer import PdfPrinter
from erp_gateway.reports.html.printing.weasyprint_engine import WeasyPrintEngine
from servicekit.child_process import orphans_adopted

ENGINES = ("browser", "weasyprint")


class Canary:
    """A web server of this machine that counts connections, and a file with a word of its own."""

    WORD = "CANARYWORD"

    def __init__(self, port: int, file: Path) -> None:
        self.port = port
        self.file = file
        self.connections = 0

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self.port}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Count whoever comes, and answer with the word."""
        self.connections += 1
        await reader.read(1000)
        writer.write(f"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n{self.WORD}".encode())
        await writer.drain()
        writer.close()


@pytest_asyncio.fixture
async def canary(tmp_path: Path) -> AsyncIterator[Canary]:
    file = tmp_path / "canary.txt"
    file.write_text(Canary.WORD)
    canary = Canary(0, file)
    server = await asyncio.start_server(canary.answer, "127.0.0.1", 0)
    canary.port = server.sockets[0].getsockname()[1]
    async with server:
        yield canary


@pytest.fixture
def make_engine() -> Callable[[str], PdfEngine]:
    """Return what makes an engine by name; skips where this machine has no browser."""

    def make(name: str) -> PdfEngine:
        if name == "weasyprint":
            return WeasyPrintEngine(30)
        if find_browser(None, os.environ) is None:
            pytest.skip("no headless browser on this machine")
        return BrowserEngine(None, sandbox=False, environ=os.environ)

    return make


@pytest.fixture
def executor() -> Iterator[Executor]:
    with open_executor() as opened, orphans_adopted():
        yield opened


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """The folder that the printer's jobs make their own in."""
    folder = tmp_path / "jobs"
    folder.mkdir()
    return folder


MakePrinter = Callable[..., PdfPrinter]


@pytest.fixture
def make_printer(executor: Executor, jobs: Path) -> MakePrinter:
    """Return what puts a printer before an engine."""

    def make(engine: PdfEngine, *, places: int = 1, timeout_s: float = 30.0) -> PdfPrinter:
        return PdfPrinter(
            engine,
            places=places,
            timeout_s=timeout_s,
            executor=executor,
            temporary=jobs,
        )

    return make


@pytest.fixture(params=ENGINES)
def printer(
    request: pytest.FixtureRequest, make_engine: Callable[[str], PdfEngine], make_printer: MakePrinter
) -> PdfPrinter:
    """A printer of each kind."""
    return make_printer(make_engine(request.param))


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    folder = tmp_path / "templates"
    folder.mkdir()
    return folder
