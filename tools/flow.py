"""Profile how requests pass through our own code, and print one table.

Run as: python tools/flow.py [--calls REQUEST]

Each request runs twice in process, on the real applications and a simulated ERP behind real sockets. The
second run is the profiled one, so that logins and imports do not count.

modules    files of ours with at least one function that ran
functions  functions and methods of ours that ran
calls      calls that go from one of our files to another
changes    how often the next function that starts or resumes lies in another file than the one before
depth      most of our functions on the stack at once

Only the event loop's thread counts, and of its tasks those that the request starts. Third-party code between
two of our functions is left out: the outer function counts as the caller.

The script imports only names that version 0.1.0 also has. To profile another commit, run this file with that
commit's Python: `OTHER/.venv/bin/python tools/flow.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import inspect
import io
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import ContextVar
from itertools import pairwise
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import attrs
import httpx2

import erp_gateway.app
import supplier_returns.app
from erp_gateway.components import open_components as open_gateway
from erp_gateway.settings.root import load_settings as load_gateway_settings
from erpsim.company.switches import Switches
from erpsim.process.ports import Listening
from erpsim.simulator import Simulator, run_sim
from servicekit.logs import LogSettings, configure_logging
from supplier_returns.components import open_components as open_returns
from supplier_returns.settings.root import load_settings as load_returns_settings

PACKAGES = ("erp_gateway", "supplier_returns", "servicekit", "erpclient")
COMPANY = "SBO_DEMO"
ADMINISTRATOR = "ana"
ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}
PLANNINGS = "/api/planificaciones"
QUERIES = ("DP_Stock", "DP_EntradasAbiertas", "DP_Lotes", "DP_Series")
DOCUMENTS = 4
SUSPENDABLE = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
# Tasks begin with a copy of the context of the code that starts them.
_RECORDED = ContextVar("_RECORDED", default=False)

LEFT_OUT = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<module>")
"""Comprehensions belong to the function around them."""


@attrs.frozen
class Figures:
    """Figures of one request."""

    modules: int
    functions: int
    calls: int
    changes: int
    depth: int


class Flow:
    """Counts calls between our own functions."""

    def __init__(self) -> None:
        self.entered: list[tuple[int, CodeType]] = []
        self.resumed_or_entered: list[str] = []
        self.calls_to_other_files = 0
        self._started: dict[int, FrameType] = {}
        self._is_ours: dict[CodeType, bool] = {}

    @property
    def figures(self) -> Figures:
        """Return the counts so far."""
        functions = {code for _, code in self.entered}
        return Figures(
            modules=len({code.co_filename for code in functions}),
            functions=len(functions),
            calls=self.calls_to_other_files,
            changes=sum(first != second for first, second in pairwise(self.resumed_or_entered)),
            depth=max(depth for depth, _ in self.entered),
        )

    @property
    def lines(self) -> list[str]:
        """Return the tree of calls as text."""
        return [f"{'  ' * (depth - 1)}{title(code)}" for depth, code in self.entered]

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Profile this task, and those it starts, until the end of the block."""
        token = _RECORDED.set(True)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            _RECORDED.reset(token)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not _RECORDED.get() or not self._counts(frame.f_code):
            return
        path = frame.f_code.co_filename
        self.resumed_or_entered.append(path)
        if not self._begins(frame):
            return
        callers = list(self._callers(frame))
        self.entered.append((len(callers) + 1, frame.f_code))
        if callers and callers[0].f_code.co_filename != path:
            self.calls_to_other_files += 1

    def _counts(self, code: CodeType) -> bool:
        if code not in self._is_ours:
            ours = any(f"/src/{package}/" in code.co_filename for package in PACKAGES)
            self._is_ours[code] = ours and code.co_name not in LEFT_OUT
        return self._is_ours[code]

    def _begins(self, frame: FrameType) -> bool:
        """Return whether a frame is new. The profiler also reports a resumed coroutine as a call."""
        if not frame.f_code.co_flags & SUSPENDABLE:
            return True
        is_new = id(frame) not in self._started
        self._started[id(frame)] = frame  # Keep the frame, so that no other one gets this id.
        return is_new

    def _callers(self, frame: FrameType) -> Iterator[FrameType]:
        """Yield our own frames below this one, nearest first."""
        caller = frame.f_back
        while caller is not None:
            if self._counts(caller.f_code):
                yield caller
            caller = caller.f_back


def title(code: CodeType) -> str:
    """Return module and name of a function."""
    module = code.co_filename.rpartition("/src/")[2].removesuffix(".py").replace("/", ".")
    return f"{module}:{code.co_qualname}"


Work = Callable[[], Awaitable[httpx2.Response]]


async def profile(work: Work, expected: int = 200) -> Flow:
    """Run a request twice and profile the second run."""
    check(await work(), expected)
    await asyncio.sleep(0.5)  # let background work of the first run finish
    flow = Flow()
    with flow.recording():
        answer = await work()
    check(answer, expected)
    return flow


def check(answer: httpx2.Response, expected: int) -> None:
    """Fail on an unexpected response."""
    if answer.status_code != expected:
        raise RuntimeError(f"{answer.request.url}: {answer.status_code} {answer.text[:500]}")


@contextlib.asynccontextmanager
async def gateway(sim: Simulator) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of the gateway."""
    assert sim.report_gateway is not None
    with TemporaryDirectory() as folder:
        settings = load_gateway_settings(
            {
                "CONFIG_FILE": os.devnull,
                "ENVIRONMENT": "test",
                "ERP_SL_URL": sim.url,
                "ERP_SL_COMPANY_DB": COMPANY,
                "ERP_SL_USER": "manager",
                "ERP_SL_PASSWORD": "erpsim",
                "SQLITE_PATH": f"{folder}/app.sqlite",
                "ADMIN_WEB_USERS": ADMINISTRATOR,
                "APIGATEWAY_URL": f"{sim.report_gateway.url}/",
                "APIGATEWAY_COMPANY_DB": COMPANY,
                "APIGATEWAY_USER": "manager",
                "APIGATEWAY_PASSWORD": "erpsim",
            }
        )
        async with (
            open_gateway(settings) as components,
            client_of(erp_gateway.app.create_app(components)) as client,
        ):
            yield client


@contextlib.asynccontextmanager
async def returns(sim: Simulator) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of supplier-returns."""
    settings = load_returns_settings(
        {
            "CONFIG_FILE": os.devnull,
            "ENVIRONMENT": "test",
            "SL_URL": sim.url,
            "SL_COMPANY_DB": COMPANY,
            "DB_TYPE": "HANA",
        }
    )
    async with (
        open_returns(settings) as components,
        client_of(supplier_returns.app.create_app(components)) as client,
    ):
        yield client


def client_of(app: Any) -> httpx2.AsyncClient:
    """Return a client that calls an application without a socket."""
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://service", timeout=60)


async def profile_gateway() -> dict[str, Flow]:
    """Profile the gateway's requests."""
    found: dict[str, Flow] = {}
    async with run_sim(listening=Listening(report_gateway_port=0)) as sim, gateway(sim) as client:
        login = {"username": ADMINISTRATOR, "password": f"{ADMINISTRATOR}-demo"}

        def sign_in() -> Awaitable[httpx2.Response]:
            return client.post("/api/auth/login", json=login)

        found["sign-in"] = await profile(sign_in)
        client.headers["Authorization"] = f"Bearer {(await sign_in()).json()['token']}"
        filters = iter(("CardType eq 'C'", "CardType eq 'S'"))  # another filter, so that no cache answers it
        found["list"] = await profile(
            lambda: client.get("/api/sl/BusinessPartners", params={"$top": "50", "$filter": next(filters)})
        )
        keys = iter(("first", "second"))
        found["create with key"] = await profile(
            lambda: client.post("/api/sl/Orders", json=ORDER, headers={"Idempotency-Key": next(keys)}), 201
        )
        report = "/api/gateway/registry/RDR20001"
        suggested = await client.get("/api/gateway/authorized/RDR20001/parameters")
        body = {
            "title": "Pedido",
            "category": "",
            "enabled": True,
            "documents": [{"screen": "/ventas/pedidos", "default": True}],
            "parameters": suggested.json()["parameters"],
        }
        check(await client.put(report, json=body), 200)
        entries = iter((1, 3))
        found["Crystal PDF"] = await profile(
            lambda: client.post(
                "/api/gateway/documents/export",
                json={"screen": "/ventas/pedidos", "code": "RDR20001", "docEntry": next(entries)},
            )
        )
    return found


async def profile_returns() -> dict[str, Flow]:
    """Profile the requests of supplier-returns."""
    found: dict[str, Flow] = {}
    switches = Switches(sql_grants=frozenset(f"bodega:{query}" for query in QUERIES))
    async with run_sim(seed="returns", switches=switches) as sim, returns(sim) as client:
        await sign_in_to_returns(client, "manager")
        check(await client.post("/api/metadata/rebuild"), 200)
        await sign_in_to_returns(client, "bodega")
        items = items_of_different_suppliers(sim)[:DOCUMENTS]
        text = "".join(f"{item}\t2\n" for item in items)
        found["paste"] = await profile(
            lambda: client.post(f"{PLANNINGS}/pegar", json={"whsCode": "01", "texto": text})
        )
        planned: list[dict[str, Any]] = []

        async def plan() -> httpx2.Response:
            lines = [{"itemCode": item, "cantidad": 2} for item in items]
            body = {"cabecera": {"whsCode": "01"}, "lineas": lines, "permitirOtra": True}
            answer = await client.post(PLANNINGS, json=body)
            planned.append(answer.json())
            return answer

        found["plan"] = await profile(plan, 201)
        if [len(each["documentos"]) for each in planned] != [DOCUMENTS, DOCUMENTS]:
            raise RuntimeError(f"the plans have not {DOCUMENTS} documents")
        waiting = iter(planned)

        async def execute() -> httpx2.Response:
            detail = next(waiting)
            path = f"{PLANNINGS}/{detail['id']}/devoluciones"
            return await client.post(path, json={"version": detail["version"]})

        found[f"execute {DOCUMENTS} documents"] = await profile(execute)
    return found


async def sign_in_to_returns(client: httpx2.AsyncClient, user: str) -> None:
    """Sign a user in; the client keeps the cookie."""
    check(await client.post("/api/auth/login", json={"usuario": user, "clave": "erpsim"}), 200)


def items_of_different_suppliers(sim: Simulator) -> list[str]:
    """Return items without batches whose oldest open receipts are of different suppliers."""
    company: Any = sim.world.company
    managed = {
        row["ItemCode"]
        for row in company.rows("Items")
        if "tYES" in (row.get("ManageBatchNumbers"), row.get("ManageSerialNumbers"))
    }
    receipts = sorted(
        company.rows("PurchaseDeliveryNotes"), key=lambda row: (row["DocDate"], row["DocEntry"])
    )
    oldest: dict[str, str] = {}
    for receipt in receipts:
        for line in receipt["DocumentLines"] if receipt.get("DocumentStatus") == "bost_Open" else ():
            if line.get("WarehouseCode") == "01" and line.get("LineStatus") == "bost_Open":
                oldest.setdefault(line["ItemCode"], receipt["CardCode"])
    chosen: dict[str, str] = {}
    for item, supplier in sorted(oldest.items()):
        if item not in managed:
            chosen.setdefault(supplier, item)
    return list(chosen.values())


def table(found: dict[str, Flow]) -> list[str]:
    """Return the table of all requests."""
    rows = [
        f"{name:<22}{each.modules:>9}{each.functions:>11}{each.calls:>7}{each.changes:>9}{each.depth:>7}"
        for name, each in ((name, flow.figures) for name, flow in found.items())
    ]
    return [f"{'':<22}{'modules':>9}{'functions':>11}{'calls':>7}{'changes':>9}{'depth':>7}", *rows]


async def main() -> None:
    """Profile everything and print the table, or the calls of one request."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--calls", metavar="REQUEST", help="print the tree of calls of this request instead")
    wanted_calls = parser.parse_args().calls
    configure_logging(LogSettings(level="INFO"), stream=io.StringIO())
    found = {**await profile_gateway(), **await profile_returns()}
    print(*(found[wanted_calls].lines if wanted_calls else table(found)), sep="\n")


if __name__ == "__main__":
    asyncio.run(main())
