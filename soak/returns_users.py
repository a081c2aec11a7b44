"""Users of supplier-returns: they paste, plan, change, execute, reprocess, close, read and print."""

import asyncio
from http.cookies import SimpleCookie
from typing import Any

from stack.company import ERP_PASSWORD
from typing_extensions import override

from soak.company import WAREHOUSE
from soak.people import Person, Seen
from soak.values import Plan

PLANNINGS = "/api/planificaciones"
READS = (
    "/api/auth/me",
    "/api/catalogos",
    f"{PLANNINGS}?tamano=5",
    f"{PLANNINGS}?status=O&tamano=10",
    f"{PLANNINGS}/abierta?whsCode={WAREHOUSE}",
    "/api/health/erp",
)
TRIES = 12
WAIT_S = 5.0
"""Pause between the last attempts of a planning; together longer than UNCERTAIN_WAIT."""


class ReturnsUser(Person):
    """A user in the warehouse.

    Args:
        name: of the ERP user.
        port: of the proxy.
        seed: of the user's choices.
        items: returnable items.
    """

    def __init__(self, name: str, port: int, *, seed: int, items: list[str]) -> None:
        super().__init__(name, port, seed=seed)
        self.plans: list[Plan] = []
        self._items = items
        self._open: list[Plan] = []

    @override
    async def sign_in(self) -> bool:
        person = {"usuario": self.name, "clave": ERP_PASSWORD}
        answer = await self._once("POST", "/api/auth/login", person, None)
        if answer.status == 200 and answer.headers is not None:
            cookie = SimpleCookie(answer.headers["set-cookie"])["dp_sid"]
            self.use({"Cookie": f"dp_sid={cookie.value}"})
            return True
        return False

    @override
    async def act(self) -> None:
        chosen = self.dice.choices(
            (self._read, self._paste, self._plan, self._go_on, self._close, self._print),
            (25, 12, 15, 35, 2, 3),
        )
        await chosen[0]()

    async def _read(self) -> None:
        path = self.dice.choice(READS)
        if self._open and self.dice.random() < 0.3:
            path = f"{PLANNINGS}/{self.dice.choice(self._open).number}"
        await self.ask("GET", path)

    async def _paste(self) -> None:
        rows = "".join(f"{item}\t{self.dice.randint(1, 5)}\n" for item in self._choose())
        text = f"Código\tCantidad\n{rows}NO-EXISTE\t1\nTotal\t9\n"
        await self.ask("POST", f"{PLANNINGS}/pegar", {"whsCode": WAREHOUSE, "texto": text})

    def _choose(self) -> list[str]:
        return self.dice.sample(self._items, self.dice.randint(1, min(4, len(self._items))))

    async def _plan(self) -> None:
        reference = self.reference()
        lines = [{"itemCode": item, "cantidad": self.dice.randint(1, 3)} for item in self._choose()]
        new = {
            "cabecera": {"whsCode": WAREHOUSE, "comentario": reference},
            "lineas": lines,
            "permitirOtra": True,
        }
        answer = await self.ask("POST", PLANNINGS, new)
        plan = Plan(self.name, reference, answer.outcome)
        self.plans.append(plan)
        if answer.ok and answer.body:
            plan.number = answer.body["id"]
            self._open.append(plan)

    async def _go_on(self) -> None:
        """Continue with one of the open plannings as its state allows."""
        if not self._open:
            return
        plan = self.dice.choice(self._open)
        read = await self._ask_for(plan, "GET", "")
        if read.ok and read.body:
            await self._next(plan, read.body)

    async def _next(self, plan: Plan, planning: dict[str, Any]) -> None:
        state, version = planning["estado"], planning["version"]
        if state in {"ejecutada", "cerrada"}:
            self._open.remove(plan)
        elif "reprocesar" in planning["acciones"]:
            await self._ask_for(plan, "POST", "/reprocesar", {"replanificar": self.dice.random() < 0.2})
        elif state == "planificada" and self.dice.random() < 0.3:
            line = self.dice.choice(planning["lineas"])["lineId"]
            change = {"version": version, "cantidad": self.dice.randint(1, 3)}
            await self._ask_for(plan, "PATCH", f"/lineas/{line}", change)
        elif state == "planificada":
            for _ in range(self.dice.choice((1, 1, 2))):  # some click twice
                await self._ask_for(plan, "POST", "/devoluciones", {"version": version})

    async def _ask_for(self, plan: Plan, method: str, way: str, body: object = None) -> Seen:
        answer = await self.ask(method, f"{PLANNINGS}/{plan.number}{way}", body)
        if answer.ok and isinstance(answer.body, dict):
            plan.seen_made |= {
                each["docEntry"] for each in answer.body.get("documentos", ()) if each["estado"] == "creado"
            }
        return answer

    async def _close(self) -> None:
        if self._open:
            plan = self.dice.choice(self._open)
            plan.closing = (await self._ask_for(plan, "POST", "/cerrar", {"motivo": "Fin"})).outcome

    async def _print(self) -> None:
        if self.plans:
            plan = self.dice.choice(self.plans)
            await self.ask("POST", f"{PLANNINGS}/{plan.number or 1}/pdf", {"parcial": True})

    async def find(self) -> list[dict[str, Any]]:
        """Read all plannings."""
        rows: list[dict[str, Any]] = []
        page = 1
        while True:
            path = f"{PLANNINGS}?tamano=100&pagina={page}"
            seen = await self.until(lambda seen: seen.ok, "GET", path)
            rows += seen.body["datos"]
            if page >= seen.body["paginas"]:
                return rows
            page += 1

    async def bring_to_an_end(self, number: int) -> dict[str, Any]:
        """Execute or reprocess a planning until nothing is left to do; close an empty one."""
        way = f"{PLANNINGS}/{number}"
        planning: dict[str, Any] = {}
        for _ in range(TRIES):
            planning = (await self.until(lambda seen: seen.ok, "GET", way)).body
            if planning["estado"] in {"ejecutada", "cerrada"}:
                break
            if "reprocesar" in planning["acciones"]:
                seen = await self.ask("POST", f"{way}/reprocesar", {})
            elif any(each["estado"] == "pendiente" for each in planning["documentos"]):
                seen = await self.ask("POST", f"{way}/devoluciones", {"version": planning["version"]})
            else:
                seen = await self.ask("POST", f"{way}/cerrar", {"motivo": "Nada que devolver"})
            states = [each["estado"] for each in seen.body["documentos"]] if seen.ok else ["incierto"]
            if {"incierto", "en_proceso"} & set(states):
                await asyncio.sleep(WAIT_S)
        return planning

    async def rebuild(self) -> bool:
        """Create the tables of plannings in the company, as its superuser."""
        path = "/api/metadata/rebuild"
        return (await self.until(lambda seen: seen.ok, "POST", path, {"simular": False})).ok
