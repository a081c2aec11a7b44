"""Plan, change, execute, fail, reprocess and close in any order, compared with a simple model.

The model stores whether each document was created. Created documents never change, the ERP has exactly these
returns, and the service never refuses an action of `acciones` because of the planning's state.
"""

import asyncio
import os
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from typing_extensions import override

from erpsim.company.switches import Switches
from erpsim.faults import Action, BadGateway, CommitLate, Drop, Fault, Refuse, When
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock
from supplier_returns.app import create_app
from supplier_returns.components import open_components
from supplier_returns.settings.root import load_settings

pytestmark = pytest.mark.check

PLANNINGS = "/api/planificaciones"
WAIT_S = 200
TROUBLE: tuple[Action | None, ...] = (
    None,
    Refuse(status=400, code=-10, text="Quantity falls into negative inventory"),
    Refuse(status=400, code=-4013, text="Posting period locked"),
    Drop(when=When.AFTER_WORK),
    Drop(when=When.BEFORE_WORK),
    BadGateway(when=When.AFTER_WORK),
    BadGateway(when=When.BEFORE_WORK),
    CommitLate(seconds=0.02),
)
POSTS = ("$batch", "LIB_ODEV(*)")


class Executions(RuleBasedStateMachine):
    """Every action of users on plannings, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.clock = ManualClock(datetime(2026, 3, 2, 14, 5, 9, tzinfo=UTC))
        self.seen: dict[int, dict[str, Any]] = {}
        self.made: dict[int, dict[int, dict[str, Any]]] = {}
        self.closed: set[int] = set()
        self.runner.run(self.open())

    async def open(self) -> None:
        self.sim: Simulator = await self.stack.enter_async_context(
            run_sim(seed="returns", switches=Switches())
        )
        configured = load_settings(
            {
                "CONFIG_FILE": os.devnull,
                "ENVIRONMENT": "test",
                "SL_URL": self.sim.url,
                "SL_COMPANY_DB": "SBO_DEMO",
                "DB_TYPE": "HANA",
            }
        )
        components = await self.stack.enter_async_context(open_components(configured, clock=self.clock))
        transport = httpx2.ASGITransport(app=create_app(components))
        self.browser = await self.stack.enter_async_context(
            httpx2.AsyncClient(transport=transport, base_url="http://returns", timeout=30)
        )
        await self.ask("POST", "/api/auth/login", {"usuario": "manager", "clave": "erpsim"}, good=(200,))
        await self.ask("POST", "/api/metadata/rebuild", {}, good=(200,))
        items: Any = self.sim.world.company.rows("Items")
        managed = {
            row["ItemCode"]
            for row in items
            if "tYES" in (row.get("ManageBatchNumbers"), row.get("ManageSerialNumbers"))
        }
        receipts: Any = self.sim.world.company.rows("PurchaseDeliveryNotes")
        self.items = sorted(
            {
                line["ItemCode"]
                for row in receipts
                if row.get("DocumentStatus") == "bost_Open"
                for line in row["DocumentLines"]
                if line.get("WarehouseCode") == "01" and line.get("LineStatus") == "bost_Open"
            }
            - managed
        )[:6]

    @override
    def teardown(self) -> None:
        self.runner.run(self.stack.aclose())
        self.runner.close()

    async def ask(self, method: str, path: str, body: object, *, good: tuple[int, ...]) -> httpx2.Response:
        answer = await self.browser.request(method, path, json=body)
        assert answer.status_code in good, (method, path, answer.status_code, answer.text)
        return answer

    def do(self, planning_id: int, method: str, path: str, body: object, *, good: tuple[int, ...]) -> None:
        """Send a request and read the planning afterwards."""

        async def work() -> None:
            await self.ask(method, f"{PLANNINGS}/{planning_id}{path}", body, good=good)
            await self.sim.late_commits()
            self.sim.faults.clear()
            found = await self.ask("GET", f"{PLANNINGS}/{planning_id}", None, good=(200,))
            self.seen[planning_id] = found.json()

        self.runner.run(work())

    def offered(self, action: str) -> list[int]:
        return [number for number, detail in self.seen.items() if action in detail["acciones"]]

    def trouble(self, data: st.DataObject) -> tuple[int, ...]:
        """Inject a fault or none. Return the statuses that are acceptable then."""
        action = data.draw(st.sampled_from(TROUBLE))
        if action is None:
            return (200,)
        path = data.draw(st.sampled_from(POSTS))
        self.sim.faults.add(Fault(action=action, path=path, nth=data.draw(st.integers(1, 3))))
        return (200, 400, 502, 504)

    @precondition(lambda self: len(self.seen) - len(self.closed) < 4)
    @rule(data=st.data())
    def plan(self, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from(self.items), min_size=1, max_size=3, unique=True))
        quantity = data.draw(st.integers(1, 4))
        body = {
            "cabecera": {"whsCode": "01"},
            "lineas": [{"itemCode": item, "cantidad": quantity} for item in chosen],
            "permitirOtra": True,
        }
        answer = self.runner.run(self.ask("POST", PLANNINGS, body, good=(201,)))
        self.seen[answer.json()["id"]] = answer.json()

    @precondition(lambda self: self.offered("editar"))
    @rule(data=st.data())
    def change(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.offered("editar")))
        line = data.draw(st.sampled_from(self.seen[number]["lineas"]))
        body = {"version": self.seen[number]["version"], "cantidad": data.draw(st.integers(1, 5))}
        self.do(number, "PATCH", f"/lineas/{line['lineId']}", body, good=(200, 409))

    @precondition(lambda self: self.offered("lineas"))
    @rule(data=st.data())
    def add(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.offered("lineas")))
        more = {"itemCode": data.draw(st.sampled_from(self.items)), "cantidad": data.draw(st.integers(1, 4))}
        body = {"version": self.seen[number]["version"], "lineas": [more]}
        self.do(number, "POST", "/lineas", body, good=(200,))

    @precondition(lambda self: self.offered("replanificar"))
    @rule(data=st.data())
    def plan_again(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.offered("replanificar")))
        body = {"version": self.seen[number]["version"]}
        self.do(number, "POST", "/replanificar", body, good=(200,))

    @precondition(lambda self: self.offered("devoluciones"))
    @rule(data=st.data())
    def execute(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.offered("devoluciones")))
        good = self.trouble(data)
        self.do(number, "POST", "/devoluciones", {"version": self.seen[number]["version"]}, good=good)

    @precondition(lambda self: self.offered("reprocesar"))
    @rule(data=st.data(), replan=st.booleans(), later=st.booleans())
    def reprocess(self, data: st.DataObject, replan: bool, later: bool) -> None:
        number = data.draw(st.sampled_from(self.offered("reprocesar")))
        if later:
            self.clock.advance(WAIT_S)
        good = self.trouble(data)
        self.do(number, "POST", "/reprocesar", {"replanificar": replan}, good=good)

    @precondition(lambda self: self.offered("cerrar"))
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.offered("cerrar")))
        self.do(number, "POST", "/cerrar", {}, good=(200,))
        self.closed.add(number)
        assert self.seen[number]["estado"] == "cerrada"
        assert self.seen[number]["acciones"] == []

    @invariant()
    def what_was_made_stays_as_it_is(self) -> None:
        for number, detail in self.seen.items():
            documents = {each["docId"]: each for each in detail["documentos"]}
            before = self.made.setdefault(number, {})
            for doc_id, document in before.items():
                assert documents[doc_id] == document
            before |= {doc_id: each for doc_id, each in documents.items() if each["estado"] == "creado"}

    @invariant()
    def the_erp_holds_what_the_record_says_and_what_nobody_knows_of_yet(self) -> None:
        rows: Any = list(self.sim.world.company.rows("PurchaseReturns"))
        for number, detail in self.seen.items():
            returns = {row["DocEntry"]: row for row in rows if row.get("U_LIB_Odev") == number}
            made = {
                each["docEntry"]: each["docId"] for each in detail["documentos"] if each["estado"] == "creado"
            }
            open_ended = sum(each["estado"] in ("en_proceso", "incierto") for each in detail["documentos"])
            assert made.keys() <= returns.keys()
            assert len(returns) <= len(made) + open_ended
            assert len({row["U_LIB_Clave"] for row in returns.values()}) == len(returns)
            for doc_entry, doc_id in made.items():
                returned = sum(Decimal(str(line["Quantity"])) for line in returns[doc_entry]["DocumentLines"])
                planned = sum(
                    Decimal(str(part["cantidadDocumento"]))
                    for line in detail["lineas"]
                    for part in line["asignaciones"]
                    if part["docId"] == doc_id
                )
                assert returned == planned

    @invariant()
    def nothing_goes_back_twice(self) -> None:
        for detail in self.seen.values():
            for line in detail["lineas"]:
                assert line["asignada"] <= line["cantidad"]


CALM = settings(
    max_examples=4,
    stateful_step_count=10,
    deadline=None,
    phases=(
        Phase.explicit,
        Phase.reuse,
        Phase.generate,
    ),  # no shrinking: a failing sequence is short enough to read
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.timeout(600)
def test_the_erp_matches_the_record_after_any_order_of_actions() -> None:
    run_state_machine_as_test(Executions, settings=CALM)


@pytest.mark.proof
@pytest.mark.timeout(3600)
def test_the_erp_matches_the_record_after_very_many_orders_of_actions() -> None:
    many = settings(CALM, max_examples=150, stateful_step_count=25)
    run_state_machine_as_test(Executions, settings=many)
