"""Two processes under load, and the comparison of all that the ERP, the store and the people have seen."""

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
from attrs import define
from crowd import NOTE, READERS, WRITERS, Crowd, open_crowd
from postgresql_server import PostgresServer
from standby_pair import TAKEOVER_S, CallBook, Member, Pair, open_pair, prepare_erp

from erpsim.company.switches import Switches
from erpsim.simulator import Simulator, run_sim

if TYPE_CHECKING:
    from tests.process.conftest import Server

FIELD = "U_GW_Clave"
SETTINGS = {
    "ADMIN_WEB_USERS": ",".join((*WRITERS, *READERS)),
    "ERP_SL_TIMEOUT": "5",
    "ERP_SL_LOGIN_TIMEOUT": "5",
    "ERP_SL_QUEUE_TIMEOUT": "10",
    "WRITE_TRACE_FIELD": FIELD,
    "WRITE_TRACE_LOOKS": "0.2,0.5,1.5",
}
ERP_TAKES_S = 0.01
PAGE = 50


@define
class Scene:
    """Two processes, the crowd that uses them, and what the ERP and the store have seen."""

    sim: Simulator
    pair: Pair
    crowd: Crowd
    book: CallBook
    names: Iterator[str]
    serving: Member
    waiting: Member
    postgresql: PostgresServer
    database: str

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        return self.postgresql.ask(sql, self.database)

    async def settle_in(self) -> None:
        """Wait until one waits, and the crowd works with the other one."""
        await self.waiting.is_("standby")
        before = len(self.crowd.made)
        async with asyncio.timeout(TAKEOVER_S):
            while len(self.crowd.made) < before + 10:  # noqa: ASYNC110 - the list signals nothing
                await asyncio.sleep(0.01)
        self.book.take()

    async def serves(self, member: Member, *, since: float) -> float:
        """Wait until a process answers a read of the ERP to somebody who signed in before."""
        async with (
            asyncio.timeout(TAKEOVER_S),
            httpx2.AsyncClient(trust_env=False, timeout=TAKEOVER_S) as client,
        ):
            proof = self.crowd.proof(READERS[0])
            while True:
                try:
                    url = f"http://127.0.0.1:{member.port}/api/sl/Items?$top=1"
                    answer = await client.get(url, headers=proof)
                except httpx2.TransportError:
                    await asyncio.sleep(0.01)
                    continue
                assert answer.status_code == 200, answer.text
                return time.monotonic() - since

    async def move_on(self) -> None:
        """The one that waited serves now; start another one that waits."""
        self.serving = self.waiting
        self.waiting = await self.pair.start(erp_user=next(self.names), **SETTINGS)
        self.crowd.ports[:] = [self.serving.port, self.waiting.port]


@asynccontextmanager
async def scene(
    start_server: "Callable[..., AbstractAsyncContextManager[Server]]",
    postgresql: PostgresServer,
    processes: int,
    database: str,
) -> AsyncIterator[Scene]:
    """Open it, with the crowd at work."""
    async with run_sim(switches=Switches(call_delay_s=ERP_TAKES_S)) as sim:
        names = iter(
            await prepare_erp(sim, people=(*WRITERS, *READERS), processes=processes, trace_field=FIELD)
        )
        async with open_pair(start_server, postgresql.url(database), sim) as pair:
            serving = await pair.start(erp_user=next(names), **SETTINGS)
            await serving.is_("serving")
            async with open_crowd(serving.port) as crowd:
                waiting = await pair.start(erp_user=next(names), **SETTINGS)
                crowd.ports.append(waiting.port)
                try:
                    yield Scene(
                        sim, pair, crowd, CallBook(sim), names, serving, waiting, postgresql, database
                    )
                except BaseException:
                    sys.stdout.write(told(pair))
                    raise


def told(pair: Pair) -> str:
    """Return what the latest processes said of themselves last."""
    lines = [
        f"{member.erp_user} {member.server.process.returncode}: {line}"
        for member in pair.started[-3:]
        for line in member.server.lines[-400:]
        if line.get("level") != "info" or "lock" in line["event"]
    ]
    return "\n".join(lines[-120:])


async def documents(scene: Scene) -> list[tuple[str, str, str]]:
    """Return number, key and reference of every order that was written here."""
    found: list[tuple[str, str, str]] = []
    read = 0
    proof = scene.crowd.proof(READERS[0])
    async with scene.serving.server.client() as client:
        while True:
            options = {
                "$select": f"DocEntry,Comments,NumAtCard,{FIELD}",
                "$orderby": "DocEntry",
                "$top": str(PAGE),
            }
            answer = await client.get("/api/sl/Orders", params={**options, "$skip": str(read)}, headers=proof)
            page = answer.json()["value"]
            found += [
                (row[FIELD], str(row["DocEntry"]), row["NumAtCard"])
                for row in page
                if row["Comments"] == NOTE
            ]
            read += len(page)
            if len(page) < PAGE:
                return found


async def assert_nothing_lost_and_nothing_twice(scene: Scene) -> str:
    """Compare documents, rows, answers and the ERP's calls with each other, once nothing is open any more."""
    await scene.crowd.stop()
    unsettled = "SELECT 1 FROM ledger_write WHERE state IN ('open', 'unknown')"
    async with asyncio.timeout(120):
        while scene.ask(unsettled):  # noqa: ASYNC110 - another process' store signals nothing
            await asyncio.sleep(0.2)
    made = await documents(scene)
    await scene.book.close()
    assert len({reference for *_, reference in made}) == len(made), "made twice"
    rows = {row: (state, key) for row, state, key in scene.ask("SELECT id, state, key FROM ledger_write")}
    assert {row: key for row, (state, key) in rows.items() if state == "done"} == {
        number: key for number, key, _ in made
    }
    assert set(scene.crowd.made) <= {reference for *_, reference in made}
    sent = [call for call in scene.book.calls if (call.method, call.path) == ("POST", "Orders")]
    assert {json.loads(call.body)[FIELD] for call in sent} <= rows.keys(), "sent without a row"
    states = dict(Counter(state for state, _ in rows.values()))
    return f"{len(made)} documents, {len(sent)} writes sent, rows {states}"
