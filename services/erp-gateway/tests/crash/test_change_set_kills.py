"""A process is killed while it sends a change set, and responses are lost: all or nothing, once.

After each kill the client sends the same request with the same key, unknown sets are looked up or settled,
and the request is sent until it is answered. Then the simulated ERP holds the set exactly once, and every
row of the ledger and of the audit agrees.
"""

import asyncio
import json
import random
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import define, field

from erpclient import Caller, Credentials, ErpClient, ErpSettings
from erpsim.faults import Action, BadGateway, CommitLate, Drop, Fault, Truncate, When
from erpsim.simulator import Simulator, run_sim
from servicekit.testing.killing import KilledProcesses

pytestmark = pytest.mark.asyncio

CHILD: Final = Path(__file__).with_name("child.py")
FIELD: Final = "U_GW_Clave"
LINES: Final = [{"ItemCode": "A/1", "Quantity": 1}]
AHEAD_S: Final = 5_000.0
MOST_REPEATS: Final = 4
LONGEST_ANSWER: Final = 4 * 1024 * 1024
TRACED = pytest.mark.parametrize("is_traced", [True, False], ids=["with a trace field", "without"])


@define
class Scene:
    """A company, processes that send change sets to it, and their store."""

    sim: Simulator
    processes: KilledProcesses
    store: Path
    is_traced: bool
    counts: dict[str, int]
    sets: int = 0
    marks: list[str] = field(factory=list)

    def operations(self, size: int) -> list[dict[str, Any]]:
        """Return the operations of a new set: creates of two kinds, and changes of different records."""
        self.sets += 1
        mark = f"S{self.sets}"
        self.marks.append(mark)
        operations: list[dict[str, Any]] = []
        for place in range(size):
            if place % 3 == 1:
                change = {"Comments": mark}
                operations.append({"method": "PATCH", "resource": "Orders", "key": place + 1, "body": change})
                continue
            resource = "Orders" if place % 3 == 0 else "Quotations"
            body = {"CardCode": "C00001", "NumAtCard": f"{mark}-{place}", "DocDueDate": "2026-12-31"}
            operations.append(
                {"method": "POST", "resource": resource, "body": {**body, "DocumentLines": LINES}}
            )
        return operations

    def times_made(self, mark: str, operations: list[dict[str, Any]]) -> int:
        """Return how often the ERP has made the set; check that it made all of it or nothing."""
        company = self.sim.world.company
        times = set()
        for place, operation in enumerate(operations):
            rows: Any = company.rows(operation["resource"])
            if operation["method"] == "POST":
                made = [row for row in rows if row.get("NumAtCard") == f"{mark}-{place}"]
                times.add(len(made))
            else:
                (row,) = (row for row in rows if row["DocEntry"] == operation["key"])
                times.add(row.get("Comments") == mark)
        is_made = {bool(count) for count in times}
        assert len(is_made) == 1, f"{mark} was made by half: {times}"
        return max(times)

    async def run(self, size: int, *, faults: list[Fault], **kill: Any) -> dict[str, Any]:
        """Send a set in a process that may be killed, see it through, and compare."""
        operations = self.operations(size)
        mark, key = self.marks[-1], f"k{self.sets}"
        for fault in faults:
            self.sim.faults.add(fault)
        request = {"operations": operations, "key": key}
        first = await self.processes.run("send", **request, **kill)
        self.counts["killed"] += "killed" in first
        last = await self.processes.run("send", **request) if "killed" in first else first
        for _ in range(MOST_REPEATS):
            if last.get("status") == 200:
                break
            assert "error" not in last, last
            await self.sim.late_commits()
            made = self.times_made(mark, operations)
            resolved = await self.processes.run(
                "resolve", ahead_s=AHEAD_S, result="done" if made else "not_done"
            )
            self.counts["resolved"] += 1
            assert resolved.get("left") == 0, resolved
            last = await self.processes.run("send", **request)
        self.sim.faults.clear()
        await self.sim.late_commits()
        assert last.get("status") == 200, last
        assert self.times_made(mark, operations) == 1, "made twice"
        self.check_answer(last["body"], operations)
        return first

    def check_answer(self, body: dict[str, Any], operations: list[dict[str, Any]]) -> None:
        assert [each["status"] for each in body["operations"]] == [
            201 if operation["method"] == "POST" else 204 for operation in operations
        ]
        self.check_ledger(body["changeSet"], len(operations))

    def check_ledger(self, done: str, size: int) -> None:
        """Check that the rows of every set agree, and that one set of the last request was done."""
        with closing(sqlite3.connect(self.store)) as store:
            rows = store.execute(
                "SELECT set_id, position, state, ended_at FROM ledger_write ORDER BY set_id, position"
            ).fetchall()
            audited = store.execute(
                "SELECT result, action, detail FROM audit_log WHERE json_extract(detail, '$.changeSet') = ?",
                (done,),
            ).fetchall()
        sets: dict[str, list[tuple[Any, ...]]] = {}
        for set_id, *row in rows:
            sets.setdefault(set_id, []).append(tuple(row))
        for set_id, found in sets.items():
            assert [row[0] for row in found] == list(range(len(found))), set_id
            assert len({row[1:] for row in found}) == 1, f"{set_id} is recorded by half: {found}"
        assert sum(found[0][1] == "done" for found in sets.values()) == self.sets
        assert [row[1] for row in sets[done]] == ["done"] * size
        final = [(result, action) for result, action, _ in audited if result == "ok"]
        assert len(final) == size, audited


@asynccontextmanager
async def scene(folder: Path, *, is_traced: bool, version: str = "v1") -> AsyncIterator[Scene]:
    """Open a company, and the process that forks."""
    async with run_sim() as sim:
        store = folder / "app.sqlite"
        environment = {
            "ERP_SL_URL": sim.url if version == "v1" else sim.url_v2,
            "ERP_SL_COMPANY_DB": "SBO_DEMO",
            "ERP_SL_USER": "manager",
            "ERP_SL_PASSWORD": "erpsim",
            "ERP_SL_TIMEOUT": "20",
            "SQLITE_PATH": str(store),
            "ADMIN_WEB_USERS": "ana",
        }
        if is_traced:
            await add_field(sim)
            environment |= {"WRITE_TRACE_FIELD": FIELD, "WRITE_TRACE_LOOKS": "1"}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(CHILD),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_ANSWER,
        )
        try:
            counts = {"killed": 0, "resolved": 0}
            at = Scene(sim, KilledProcesses(process, environment), store, is_traced, counts)
            yield at
            print(f"traced {is_traced}: {at.sets} sets, {counts}")  # noqa: T201 - what was tried
        finally:
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()


async def add_field(sim: Simulator) -> None:
    body = {"Name": FIELD[2:], "TableName": "ORDR", "Type": "db_Alpha", "Size": 32, "Description": "Clave"}
    async with ErpClient(ErpSettings(sim.url), Credentials("SBO_DEMO", "manager", "erpsim")) as erp:
        await erp.create("UserFieldsMD", json.dumps(body).encode(), caller=Caller("test"))


TROUBLE: Final[tuple[Action, ...]] = (
    Drop(when=When.AFTER_WORK),
    Drop(when=When.BEFORE_WORK),
    BadGateway(when=When.AFTER_WORK),
    BadGateway(when=When.BEFORE_WORK),
    Truncate(keep_bytes=200),
    CommitLate(seconds=0.1),
    CommitLate(seconds=0.6),
)


def trouble(dice: random.Random) -> list[Fault]:
    """Return none to two faults of the calls that send a set."""
    return [
        Fault(action=dice.choice(TROUBLE), method="POST", path="$batch", nth=nth)
        for nth in dice.sample((1, 2, 3), dice.randint(0, 2))
    ]


async def steps_of_a_set(at: Scene, size: int) -> int:
    answer = await at.run(size, faults=[])
    assert answer["status"] == 200, answer
    steps: int = answer["steps"]
    return steps


@pytest.mark.timeout(300)
@TRACED
async def test_killed_at_some_moments_each_set_is_made_once_and_whole(
    tmp_path: Path, is_traced: bool
) -> None:
    dice = random.Random(7)
    async with scene(tmp_path, is_traced=is_traced, version="v2" if is_traced else "v1") as at:
        steps = await steps_of_a_set(at, 4)
        for kill_at in sorted(dice.sample(range(steps), 6)):
            await at.run(4, faults=[], kill_at=kill_at)
        for size in (1, 20, 7):
            await at.run(size, faults=trouble(dice), kill_at=dice.randrange(steps))
        for fault in TROUBLE:
            await at.run(3, faults=[Fault(action=fault, method="POST", path="$batch")])
        assert at.counts["killed"] >= 6
        assert at.counts["resolved"] >= len(TROUBLE)


@pytest.mark.proof
@pytest.mark.timeout(3600)
@TRACED
async def test_killed_at_every_await_each_set_is_made_once_and_whole(tmp_path: Path, is_traced: bool) -> None:
    async with scene(tmp_path, is_traced=is_traced) as at:
        steps = await steps_of_a_set(at, 4)
        for kill_at in range(steps):
            await at.run(4, faults=[], kill_at=kill_at)
        assert at.counts["killed"] >= steps - 10, "the last steps are the end of the request"


@pytest.mark.proof
@pytest.mark.timeout(3600)
@TRACED
@pytest.mark.parametrize("version", ["v1", "v2"])
async def test_200_kills_at_random_moments_with_lost_responses_and_late_commits(
    tmp_path: Path, is_traced: bool, version: str
) -> None:
    dice = random.Random(11)
    async with scene(tmp_path, is_traced=is_traced, version=version) as at:
        for _ in range(200):
            await at.run(dice.randint(1, 20), faults=trouble(dice), kill_after_s=dice.uniform(0.0, 0.5))
