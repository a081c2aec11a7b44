"""One run: start everything, let users and faults act, calm down, and collect the evidence."""

import asyncio
import random
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from demo.company import TRACE_FIELD
from stack.addresses import Addresses, any_addresses
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from stack.exchange import exchange
from stack.processes import LOOPBACK, clean_environment
from stack.stack import PROGRAMS, erpsim_process, gateway_process, returns_process

from soak import company, watch
from soak.kept import Kept, KeptPair
from soak.people import Person
from soak.proxy import FaultProxy, Outage, proxying
from soak.returns_users import ReturnsUser
from soak.values import Document, Evidence, Planning, Record, Recovery, Row, Sample
from soak.weather import SERVICES, Event, Kind, mischief, plan_weather
from soak.web_users import WebUser

LOOKS = "2,8,30"
UNKNOWN_S = 30 + 60.0
"""Time within which an unknown create is resolved: the last lookup, and the turns of all that wait for it."""

SAMPLE_S = 2.0
ERP_READ = {"erp-gateway": "/api/sl/Orders?$top=1", "supplier-returns": "/api/planificaciones?tamano=1"}


@dataclass
class Run:
    """The running processes and the observations."""

    seed: int
    folder: Path
    traced: bool
    say: Callable[[str], None]
    addresses: Addresses
    kept: dict[str, Kept | KeptPair]
    store: "Store"
    proxies: dict[str, FaultProxy]
    people: list[Person] = field(default_factory=list)
    probes: dict[str, Person] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    sessions: list[int] = field(default_factory=list)
    recoveries: list[Recovery] = field(default_factory=list)
    happened: Counter[str] = field(default_factory=Counter)
    ends: list[str] = field(default_factory=list)

    async def prepare(self) -> None:
        """Prepare the company and sign all users in, before the first fault."""
        items = await asyncio.to_thread(company.prepare, self.addresses)
        web, desk = self.proxies["web users"].port, self.proxies["returns users"].port
        users = [WebUser(name, web, seed=self.seed) for name in company.WEB_USERS]
        makers = [ReturnsUser(name, desk, seed=self.seed, items=items) for name in company.ERP_USERS]
        self.people = [*users, *makers]
        self.probes = {
            "erp-gateway": WebUser("luis", self.addresses.gateway, seed=self.seed),
            "supplier-returns": ReturnsUser(ERP_USER, self.addresses.returns, seed=self.seed, items=items),
        }
        if not (await makers[0].rebuild() and await users[0].register_report()):
            raise OSError("the company or the report could not be prepared")
        await asyncio.gather(*(user.learn_report() for user in users))
        for probe in self.probes.values():
            probe.vanishes = 0.0
            await probe.sign_in()

    async def storm(self, seconds: float, rate: float) -> None:
        """Let users act during faults for this time."""
        for proxy in self.proxies.values():
            proxy.rate = rate
        began, done = time.monotonic(), asyncio.Event()
        working = [asyncio.create_task(person.work(done)) for person in self.people]
        watching = [
            asyncio.create_task(kept.health.watch()) for name, kept in self.kept.items() if name != "erpsim"
        ]
        watching.append(asyncio.create_task(self._sample(began + seconds / 2)))
        try:
            for event in plan_weather(self.seed, seconds):
                await _sleep_until(began + event.at_s, working)
                self.say(f"  {time.monotonic() - began:6.1f} s  {event.service or 'ERP'}: {event.kind.value}")
                await self._happen(event)
            await _sleep_until(began + seconds, working)
        finally:
            done.set()
            await asyncio.gather(*working)
            for task in watching:
                task.cancel()
            await asyncio.wait(watching)

    async def _sample(self, no_kills_from: float) -> None:
        while True:
            for name in SERVICES:
                kept = self.kept[name]
                observed = watch.sample(name, kept.life, kept.child.pid, kept.born)
                if observed is not None:
                    self.samples.append(observed)
            with suppress(OSError, ValueError, TypeError):
                answer = await asyncio.to_thread(exchange, self.addresses.control, "GET", "/", timeout_s=5)
                if time.monotonic() > no_kills_from:
                    self.sessions.append(answer.body["sessions"])
            await asyncio.sleep(SAMPLE_S)

    async def _happen(self, event: Event) -> None:
        self.happened[f"{event.service or 'ERP'}: {event.kind.value}"] += 1
        if event.service is not None:
            await self._happen_to_service(event, self.kept[event.service])
        else:
            await self._happen_to_erp(event)
        names = [event.service] if event.service is not None else list(SERVICES)
        checks = (watch.recovery(event.kind.value, name, self.probes[name], ERP_READ[name]) for name in names)
        self.recoveries += await asyncio.gather(*checks)

    async def _happen_to_service(self, event: Event, kept: Kept | KeptPair) -> None:
        if event.kind is Kind.FREEZE:
            await kept.freeze(event.lasts_s)
            return
        how = signal.SIGKILL if event.kind is Kind.KILL else signal.SIGTERM
        code = await kept.end(how)
        if how is signal.SIGTERM and code != 0:
            self.ends.append(f"{event.service} ended with {code} after SIGTERM")
        await kept.start()

    async def _happen_to_erp(self, event: Event) -> None:
        wires = [self.proxies["gateway to ERP"], self.proxies["returns to ERP"], self.proxies["reports"]]
        dice = random.Random(f"{self.seed}/{event.at_s}")
        match event.kind:
            case Kind.ERP_REFUSES | Kind.ERP_SILENT:
                outage = Outage.REFUSING if event.kind is Kind.ERP_REFUSES else Outage.SILENT
                for wire in wires:
                    await wire.begin(outage)
                await asyncio.sleep(event.lasts_s)
                for wire in wires:
                    await wire.end()
            case Kind.ERP_FROZEN:
                await self.kept["erpsim"].freeze(event.lasts_s)
            case Kind.ERP_KILLED | Kind.ERP_STOPPED:
                how = signal.SIGKILL if event.kind is Kind.ERP_KILLED else signal.SIGTERM
                await self.kept["erpsim"].end(how)
                await self.kept["erpsim"].start()
            case Kind.SESSIONS:
                await asyncio.to_thread(exchange, self.addresses.control, "DELETE", "/sessions")
            case _:
                for fault in mischief(dice):
                    await asyncio.to_thread(exchange, self.addresses.control, "POST", "/faults", fault)

    async def calm(self) -> None:
        """End all faults: users resolve unknown outcomes and finish their plannings."""
        for proxy in self.proxies.values():
            proxy.rate = 0.0
        for person in self.people:
            person.vanishes = 0.0
        await asyncio.to_thread(exchange, self.addresses.control, "DELETE", "/faults")
        await asyncio.gather(*(one.finish() for one in self.people if isinstance(one, WebUser)))
        until = time.monotonic() + UNKNOWN_S
        while self._unknown() and time.monotonic() < until:  # noqa: ASYNC110 - a store has no events
            await asyncio.sleep(1)

    def _unknown(self) -> int:
        rows = self.store.ask("SELECT kind, state FROM ledger_write WHERE state IN ('open', 'unknown')")
        return sum(state == "open" or (self.traced and kind == "create") for kind, state in rows)

    async def plannings(self) -> list[Planning]:
        """Bring every planning to its end, and read it."""
        makers = [one for one in self.people if isinstance(one, ReturnsUser)]
        rows = await makers[0].find()

        async def bring(maker: ReturnsUser, some: list[dict[str, Any]]) -> list[Planning]:
            return [_planning(await maker.bring_to_an_end(row["id"])) for row in some]

        shares = (bring(maker, rows[at :: len(makers)]) for at, maker in enumerate(makers))
        return [planning for share in await asyncio.gather(*shares) for planning in share]

    async def collect(self) -> Evidence:
        """Finish open work, stop the services, and collect the evidence."""
        await self.calm()
        plannings = await self.plannings()
        with company.erp_of(self.addresses.erpsim) as erp:
            orders, returns = company.orders(erp), company.returns(erp)
        for name in SERVICES:
            code = await self.kept[name].end(signal.SIGTERM)
            if code != 0:
                self.ends.append(f"{name} ended with {code} at the end")
        users = [one for one in self.people if isinstance(one, WebUser)]
        makers = [one for one in self.people if isinstance(one, ReturnsUser)]
        result: Counter[tuple[int, str]] = Counter()
        for name in ("web users", "returns users"):
            result += self.proxies[name].answers
        return Evidence(
            traced=self.traced,
            creates=[each for one in users for each in one.creates],
            changes=[each for one in users for each in one.changes],
            plans=[each for one in makers for each in one.plans],
            orders=orders,
            rows=[Row(*row) for row in self.store.ask(ROWS)],
            records=[Record(*row) for row in self.store.ask(RECORDS.format(self.store.write))],
            plannings=plannings,
            returns=returns,
            samples=self.samples,
            sessions=self.sessions,
            recoveries=self.recoveries,
            health_worst_s=max(self.kept[name].health.worst_s for name in SERVICES),
            answers=[(status, code, count) for (status, code), count in result.items()],
            log_lines=[
                line for name in SERVICES for line in watch.unexpected(name, self.folder / f"{name}.log")
            ],
            chain=await asyncio.to_thread(self._verify_chain),
            ends=self.ends,
        )

    def _verify_chain(self) -> str | None:
        environ = clean_environment(**gateway_settings(self.store, self.proxies, traced=self.traced))
        command = [str(PROGRAMS / "erp-gateway"), "audit", "verify"]
        process = subprocess.run(
            command, env=environ, cwd=self.folder, capture_output=True, text=True, check=False
        )
        return None if process.returncode == 0 else f"{process.stdout}{process.stderr}"


ROWS = "SELECT id, kind, web_user, resource, state, key FROM ledger_write"
RECORDS = "SELECT web_user, action, resource, key, result, {} FROM audit_log"


async def _sleep_until(moment: float, working: list["asyncio.Task[None]"]) -> None:
    """Sleep; raise the error of a user's task that fails meanwhile."""
    ended, _ = await asyncio.wait(
        working, timeout=max(0.0, moment - time.monotonic()), return_when=asyncio.FIRST_EXCEPTION
    )
    for task in ended:
        task.result()


def _planning(told: dict[str, Any]) -> Planning:
    pieces: dict[int, list[tuple[int, int, Decimal]]] = {}
    for line in told["lineas"]:
        for part in line["asignaciones"] if not line["excluida"] else ():
            piece = (part["baseEntry"], part["baseLine"], Decimal(str(part["cantidadDocumento"])))
            pieces.setdefault(part["docId"], []).append(piece)
    documents = [
        Document(
            one["docId"],
            one["estado"],
            one["docEntry"],
            tuple(pieces.get(one["docId"], ())),
            one["mensaje"] or "",
        )
        for one in told["documentos"]
    ]
    reference = told["cabecera"]["comentario"] or ""
    return Planning(told["id"], reference, told["estado"], told["usuario"], tuple(documents))


@dataclass(frozen=True)
class Store:
    """The gateway's store.

    Attributes:
        settings: settings that select it.
        ask: runs a query.
        write: the expression for the ledger's number in the detail of an audit record.
    """

    settings: dict[str, str]
    ask: Callable[[str], list[tuple[Any, ...]]]
    write: str = "json_extract(detail, '$.write')"


def _in_file(file: Path) -> Store:
    def ask(sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
            return store.execute(sql).fetchall()

    return Store({"SQLITE_PATH": str(file)}, ask)


def _in_postgresql(url: str) -> Store:
    def ask(sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(url, autocommit=True) as connection:
            return connection.execute(sql.encode()).fetchall()

    settings = {"STORE_URL": url, "STANDBY": "true", "SESSIONS_IN_STORE": "true"}
    return Store(settings, ask, "detail::json->>'write'")


def gateway_settings(store: Store, proxies: dict[str, FaultProxy], *, traced: bool) -> dict[str, str]:
    """Return the settings of a run's gateway besides those of every local stack."""
    further = {"LEDGER_REQUIRED": "true", "WRITE_TRACE_FIELD": TRACE_FIELD, "WRITE_TRACE_LOOKS": LOOKS}
    return {
        **store.settings,
        "ERP_SL_URL": f"http://{LOOPBACK}:{proxies['gateway to ERP'].port}{company.ROOT}",
        "ERP_SL_COMPANY_DB": COMPANY,
        "ERP_SL_USER": ERP_USER,
        "ERP_SL_PASSWORD": ERP_PASSWORD,
        "ADMIN_WEB_USERS": ",".join((*company.WEB_USERS, "luis")),
        "ERP_SL_TIMEOUT": "5",
        "ERP_SL_LOGIN_TIMEOUT": "5",
        "ERP_SL_QUEUE_TIMEOUT": "10",
        "APIGATEWAY_URL": f"http://{LOOPBACK}:{proxies['reports'].port}",
        "APIGATEWAY_COMPANY_DB": COMPANY,
        "APIGATEWAY_USER": ERP_USER,
        "APIGATEWAY_PASSWORD": ERP_PASSWORD,
        "APIGATEWAY_TIMEOUT": "8",
        **(further if traced else {}),
    }


@asynccontextmanager
async def running(
    folder: Path, *, seed: int, traced: bool, say: Callable[[str], None], store_url: str | None = None
) -> AsyncIterator[Run]:
    """Start everything on loopback; stop it on exit in reverse order.

    Args:
        folder: an empty folder for stores and logs.
        seed: of all decisions.
        traced: whether to use the settings that resolve every unknown create, instead of the defaults.
        say: receives progress messages.
        store_url: of an empty PostgreSQL database, on which two gateways run.
    """
    at = replace(any_addresses(), hana=0)
    store = _in_file(folder / "app.sqlite") if store_url is None else _in_postgresql(store_url)
    pair = at, replace(any_addresses(), hana=0)
    async with AsyncExitStack() as stack:
        front = await stack.enter_async_context(
            proxying("front", *(each.gateway for each in pair), seed=seed, rate=0.0)
        )
        if store_url is not None:
            at = replace(at, gateway=front.port)
        targets = {
            "gateway to ERP": at.erpsim,
            "returns to ERP": at.erpsim,
            "reports": at.report_gateway,
            "web users": at.gateway,
            "returns users": at.returns,
        }
        proxies = {
            name: await stack.enter_async_context(proxying(name, target, seed=seed, rate=0.0))
            for name, target in targets.items()
        }
        returns_settings = {
            "SL_URL": f"http://{LOOPBACK}:{proxies['returns to ERP'].port}{company.ROOT}",
            "SL_TIMEOUT": "5",
            "UNCERTAIN_WAIT": "25",
            "MAX_SESSIONS_PER_USER": "3",
        }
        settings = gateway_settings(store, proxies, traced=traced)
        further = ["--store", str(folder / "erp.sqlite"), "--switch", "call_delay_s=0.005"]
        path = "/api/health"
        gateway: Kept | KeptPair = Kept(partial(gateway_process, folder, at, settings), at.gateway, path)
        if store_url is not None:
            members = [
                Kept(partial(gateway_process, folder, each, settings), each.metrics, "/ready")
                for each in pair
            ]
            gateway = KeptPair(members, [each.gateway for each in pair], front, path)
        kept: dict[str, Kept | KeptPair] = {
            "erpsim": Kept(
                partial(erpsim_process, folder, at, penalty_s=0, seed="returns", further=further),
                at.erpsim,
                "/ping/",
            ),
            "erp-gateway": gateway,
            "supplier-returns": Kept(
                partial(returns_process, folder, at, returns_settings), at.returns, path
            ),
        }
        for each in kept.values():
            stack.callback(each.close)
            await each.start()
        run = Run(seed, folder, traced, say, at, kept, store, proxies)
        stack.push_async_callback(_leave, run)
        await run.prepare()
        yield run


async def _leave(run: Run) -> None:
    for person in (*run.people, *run.probes.values()):
        await person.leave()
