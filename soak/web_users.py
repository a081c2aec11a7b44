"""Users of the gateway: they read, list, export, print, create, change and repeat."""

import asyncio
import uuid
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from soak.company import CUSTOMER, ITEM
from soak.people import Person
from soak.values import Change, Create, Outcome

REPORT = "RCRI0002"
READS = (
    "/api/auth/me",
    "/api/sl/Orders?$top=5&$orderby=DocEntry%20desc",
    "/api/sl/Items?$top=3&$select=ItemCode,ItemName",
    "/api/sl/BusinessPartners?$top=3&$filter=CardType%20eq%20%27cCustomer%27",
    "/api/sl/Warehouses?$top=20",
    "/api/writes?pageSize=5",
    "/api/writes?resultado=unknown",
    "/api/audit?pageSize=5",
    "/api/health/erp",
)
EXPORTS = (
    "/api/sl/Orders?$select=DocEntry,CardCode,DocTotal&$top=300&formato=csv",
    "/api/sl/Items?$select=ItemCode,ItemName&$top=100&formato=xlsx",
)


class WebUser(Person):
    """A user with the gateway's console or a program; each has its own orders."""

    def __init__(self, name: str, port: int, *, seed: int) -> None:
        super().__init__(name, port, seed=seed)
        self.creates: list[Create] = []
        self.changes: list[Change] = []
        self._open: list[tuple[Create, dict[str, Any], dict[str, str]]] = []
        self._mine: list[int] = []
        self._parameters: dict[str, str] | None = None

    @override
    async def sign_in(self) -> bool:
        person = {"username": self.name, "password": f"{self.name}-demo"}
        answer = await self._once("POST", "/api/auth/login", person, None)
        if answer.status == 200 and answer.body:
            self.use({"Authorization": f"Bearer {answer.body['token']}"})
            return True
        return False

    @override
    async def act(self) -> None:
        chosen = self.dice.choices(
            (self._read, self._create, self._change, self._export, self._report, self._repeat),
            (30, 30, 15, 3, 3, 10),
        )
        await chosen[0]()

    async def _read(self) -> None:
        path = self.dice.choice(READS)
        if self._mine and self.dice.random() < 0.3:
            path = f"/api/sl/Orders/{self.dice.choice(self._mine)}"
        await self.ask("GET", path)

    async def _export(self) -> None:
        await self.ask("GET", self.dice.choice(EXPORTS))

    async def _report(self) -> None:
        if self._parameters is not None:
            await self.ask("POST", f"/api/gateway/reports/{REPORT}/export", {"values": self._parameters})

    async def _create(self) -> None:
        keyed = self.dice.random() < 0.6
        wanted = Create(self.name, self.reference(), keyed)
        body = {
            "CardCode": CUSTOMER,
            "NumAtCard": wanted.reference,
            "Comments": wanted.reference,
            "DocDueDate": "2030-12-31",
            "DocumentLines": [{"ItemCode": ITEM, "Quantity": self.dice.randint(1, 9), "UnitPrice": 10}],
        }
        if self.dice.random() < 0.05:
            body["CardCode"] = "NO-EXISTE"
        self.creates.append(wanted)
        await self._try(wanted, body, {"Idempotency-Key": str(uuid.UUID(int=self.dice.getrandbits(128)))})

    async def _try(self, wanted: Create, body: dict[str, Any], key: dict[str, str]) -> None:
        answer = await self.ask("POST", "/api/sl/Orders", body, key if wanted.keyed else None)
        if wanted.keyed and answer.code == "upstream_rejected":
            wanted.tries.clear()  # It was sent again, so the earlier unknown attempts were not done.
        wanted.tries.append(answer.outcome)
        if answer.ok and answer.headers is not None:
            wanted.entry = int(answer.headers["location"].rsplit("/", 1)[1])
            self._mine.append(wanted.entry)
        if wanted.keyed and not answer.ok:
            self._open.append((wanted, body, key))

    async def _repeat(self) -> None:
        """Repeat a request with its key, whatever the response was."""
        if self._open:
            await self._try(*self._open.pop(self.dice.randrange(len(self._open))))

    async def _change(self) -> None:
        if not self._mine:
            return
        entry, value = self.dice.choice(self._mine[-20:]), self.reference()
        headers: dict[str, str] = {}
        if self.dice.random() < 0.5:
            headers["Idempotency-Key"] = value
        if self.dice.random() < 0.3:
            read = await self.ask("GET", f"/api/sl/Orders/{entry}?$select=DocEntry")
            if read.ok and read.headers and "etag" in read.headers:
                headers["If-Match"] = read.headers["etag"]
        for _ in range(self.dice.choice((1, 1, 2))):
            outcome = await self._write(entry, value, headers)
            if outcome is not Outcome.UNKNOWN:
                break

    async def _write(self, entry: int, value: str, headers: Mapping[str, str]) -> Outcome:
        answer = await self.ask("PATCH", f"/api/sl/Orders/{entry}", {"Comments": value}, headers)
        self.changes.append(Change(self.name, entry, value, answer.outcome))
        return answer.outcome

    async def register_report(self) -> bool:
        """Make a report available to all users, as an administrator."""
        path = f"/api/gateway/authorized/{REPORT}/parameters"
        suggested = await self.until(lambda seen: seen.ok, "GET", path)
        report = {"title": "Existencias", "category": "", "enabled": True}
        report["parameters"] = suggested.body["parameters"] if suggested.body else []
        return (await self.until(lambda seen: seen.ok, "PUT", f"/api/gateway/registry/{REPORT}", report)).ok

    async def learn_report(self) -> None:
        """Load the parameters of the report."""
        seen = await self.until(lambda seen: seen.ok, "GET", "/api/gateway/reports")
        values = {"Minimo": "300", "warehouse": "01", "Fecha": "2025-12-30"}
        for report in seen.body["items"] if seen.body else ():
            names = {each["name"].partition("@")[0]: each["name"] for each in report["parameters"]}
            self._parameters = {names[each]: value for each, value in values.items()}

    async def finish(self) -> None:
        """Resolve all unknown outcomes within a time limit."""
        for _ in range(90):
            pending, self._open = self._open, []
            for each in pending:
                if each[0].outcome is Outcome.UNKNOWN:
                    await self._try(*each)
            if not any(each[0].outcome is Outcome.UNKNOWN for each in self._open):
                return
            await asyncio.sleep(1)
