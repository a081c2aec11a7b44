"""The process that serves is killed or stopped under load: another one serves, nothing is lost or twice."""

import asyncio
import json
import random
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from attrs import define
from crowd import NOTE, READERS, WRITERS, Crowd, open_crowd
from postgresql_server import PostgresServer
from standby_pair import TAKEOVER_S, CallBook, Member, Pair, open_pair, prepare_erp, seconds_until_port

from erp_gateway.main import HANDOVER_S
from erpsim.company.switches import Switches
from erpsim.simulator import Simulator, run_sim

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

FIELD = "U_GW_Clave"
SETTINGS = {
    "ADMIN_WEB_USERS": ",".join((*WRITERS, *READERS)),
    "ERP_SL_TIMEOUT": "5",
    "ERP_SL_LOGIN_TIMEOUT": "5",
    "ERP_SL_QUEUE_TIMEOUT": "5",
    "WRITE_TRACE_FIELD": FIELD,
    "WRITE_TRACE_LOOKS": "0.2,0.5,1.5",
}
ERP_TAKES_S = 0.01
PAGE = 50
PROMISED_S = 3.0
PROMISED_GAP_S = 1.0


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
    start_server: "StartServer", postgresql: PostgresServer, processes: int, database: str
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
                yield Scene(sim, pair, crowd, CallBook(sim), names, serving, waiting, postgresql, database)


@pytest.fixture
def database(postgresql: PostgresServer) -> Iterator[str]:
    name = postgresql.new_database()
    yield name
    postgresql.drop_database(name)


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


def in_words(seconds: Sequence[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s, at most {max(seconds):.2f} s"


@pytest.mark.asyncio
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.proof)])
async def test_whoever_is_killed_under_load_the_other_serves_and_nothing_is_lost_or_done_twice(
    start_server: "StartServer",
    postgresql: PostgresServer,
    database: str,
    capsys: pytest.CaptureFixture[str],
    kills: int,
) -> None:
    chance, took_s, open_rows = random.Random(kills), list[float](), list[int]()
    async with scene(start_server, postgresql, kills + 2, database) as seen:
        for _ in range(kills):
            await seen.settle_in()
            await asyncio.sleep(chance.uniform(0.0, 0.5))
            killed = seen.serving
            killed.server.process.kill()
            began = time.monotonic()
            left = {row for (row,) in seen.ask("SELECT id FROM ledger_write WHERE state = 'open'")}
            took_s.append(await seen.serves(seen.waiting, since=began))
            await killed.server.ended()
            known = {row for (row,) in seen.ask("SELECT id FROM ledger_write")}
            assert left <= known
            open_rows.append(len(left))
            await seen.move_on()
        await seen.settle_in()
        counts = await assert_nothing_lost_and_nothing_twice(seen)
    fates = seen.crowd.fates()
    assert not any(fate.startswith("401") for fate in fates), "somebody had to sign in again"
    assert seen.book.never_two() == kills + 1
    late = sum(each > PROMISED_S for each in took_s)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{kills} kills: served after {in_words(took_s)}, {late} later than {PROMISED_S:.0f} s; "
            f"writes open at a kill {sum(open_rows)}; {counts}; {len(seen.book.calls)} calls at the ERP\n"
            f"  {seen.crowd.per_s:.0f} requests a second: {fates}\n"
        )


@pytest.mark.asyncio
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("handovers", [2, pytest.param(20, marks=pytest.mark.proof)])
async def test_a_stop_under_load_cuts_nothing_off_and_fails_connections_of_the_gap_alone(
    start_server: "StartServer",
    postgresql: PostgresServer,
    database: str,
    capsys: pytest.CaptureFixture[str],
    handovers: int,
) -> None:
    gaps_s, spans = list[float](), list[tuple[float, float]]()
    async with scene(start_server, postgresql, handovers + 2, database) as seen:
        for _ in range(handovers):
            await seen.settle_in()
            stopped = seen.serving
            stopped.server.process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            await seconds_until_port(stopped.port, is_open=False, since=began)
            closed = time.monotonic()
            gaps_s.append(await seconds_until_port(seen.waiting.port, is_open=True, since=closed))
            spans.append((began, time.monotonic()))
            assert await stopped.server.ended() == 0
            await seen.move_on()
        await seen.settle_in()
        counts = await assert_nothing_lost_and_nothing_twice(seen)
    failed = [one for one in seen.crowd.asked if one.fate not in (200, 201)]
    outside = [
        one for one in failed if not any(begin <= one.ended and one.began <= end for begin, end in spans)
    ]
    late = sum(each > PROMISED_GAP_S for each in gaps_s)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{handovers} stops: no port for {in_words(gaps_s)}, "
            f"{late} longer than {PROMISED_GAP_S:.0f} s; {counts}\n"
            f"  {seen.crowd.per_s:.0f} requests a second: {seen.crowd.fates()}\n"
        )
    assert {one.fate for one in failed} <= {"refused", "broken", 503}
    assert not outside
    for one in failed:
        if one.fate == 503:  # it came on a connection that was about to be closed, or had its half second
            assert one.code == "shutting_down"
            assert any(begin <= max(one.began, one.ended - HANDOVER_S) <= end for begin, end in spans)
    assert seen.book.never_two() == handovers + 1
