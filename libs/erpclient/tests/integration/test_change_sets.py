"""Change sets against the simulated Service Layer, v1 and v2: all or nothing, whatever goes wrong."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from http import HTTPStatus
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpclient import Caller, Credentials, ErpClient, ErpRefused, ErpSettings
from erpclient.batch import (
    ChangeSetDone,
    ChangeSetRefused,
    ChangeSetUnknown,
    Operation,
    action_on,
    batch_call,
    creation_of,
    modification_of,
)
from erpclient.odata import IntKey, ListQuery, RecordQuery, StrKey
from erpsim.faults import Action, BadGateway, Delay, Drop, ExpireSession, Fault, When
from erpsim.service_layer.batch.text import ChangeSet, parse_batch
from erpsim.simulator import Simulator, run_sim

ANA = Caller("ana")
BOTH = pytest.mark.parametrize("version", ["v1", "v2"])
ITEM, ENTRY = StrKey("ItemCode"), IntKey("DocEntry")


@contextlib.asynccontextmanager
async def open_both(
    *, version: str = "v1", max_concurrency: int = 1
) -> AsyncIterator[tuple[Simulator, ErpClient]]:
    async with run_sim() as sim:
        settings = ErpSettings(
            sim.url if version == "v1" else sim.url_v2, max_concurrency=max_concurrency, slow_call_s=1e9
        )
        async with ErpClient(settings, Credentials("SBO_DEMO", "manager", "erpsim")) as client:
            yield sim, client


def new_item(code: str) -> Operation:
    return creation_of("Items", json.dumps({"ItemCode": code, "ItemName": f"Item {code}"}).encode())


def renaming(code: str, name: str) -> Operation:
    return modification_of("Items", ITEM.predicate(code), json.dumps({"ItemName": name}).encode())


async def stored(client: ErpClient, *codes: str) -> list[bool]:
    async def exists(code: str) -> bool:
        try:
            await client.get("Items", ITEM.predicate(code), RecordQuery(select=("ItemCode",)), caller=ANA)
        except ErpRefused as refused:
            return refused.status != HTTPStatus.NOT_FOUND
        return True

    return [await exists(code) for code in codes]


@BOTH
@pytest.mark.asyncio
async def test_a_change_set_executes_every_write_in_order(version: str) -> None:
    async with open_both(version=version) as (sim, client):
        result = await client.run_change_set(
            [new_item("T1"), renaming("T1", "Ñandú \r\n--x"), new_item("A/1 %"), new_item("T3")], caller=ANA
        )
        assert isinstance(result, ChangeSetDone)
        assert [operation.status for operation in result.operations] == [201, 204, 201, 201]
        assert [operation.location for operation in result.operations][::3] == ["Items('T1')", "Items('T3')"]
        assert [bool(operation.etag) for operation in result.operations] == [True, False, True, True]
        record = await client.get("Items", ITEM.predicate("T1"), RecordQuery(), caller=ANA)
        assert json.loads(record.body)["ItemName"] == "Ñandú \r\n--x"
        assert b"odata.metadata" not in result.operations[0].body
        assert sim.calls[-2].path == "$batch"


@BOTH
@pytest.mark.asyncio
async def test_a_refusal_in_the_middle_undoes_earlier_operations(version: str) -> None:
    async with open_both(version=version) as (_, client):
        result = await client.run_change_set(
            [new_item("T1"), renaming("NOPE", "x"), new_item("T2")], caller=ANA
        )
        assert isinstance(result, ChangeSetRefused)
        assert result.operation == (1 if version == "v2" else None)
        assert (result.error.status, result.error.code) == (404, -2028)
        assert await stored(client, "T1", "T2") == [False, False]


@BOTH
@pytest.mark.asyncio
async def test_an_existing_key_rolls_back_the_whole_change_set(version: str) -> None:
    async with open_both(version=version) as (_, client):
        first = await client.run_change_set([new_item("KEY"), new_item("T1")], caller=ANA)
        second = await client.run_change_set([new_item("KEY"), new_item("T2")], caller=ANA)
        assert isinstance(first, ChangeSetDone)
        assert isinstance(second, ChangeSetRefused)
        assert second.error.status == 400
        assert await stored(client, "T1", "T2") == [True, False]


@BOTH
@pytest.mark.asyncio
async def test_a_change_set_may_contain_an_action(version: str) -> None:
    async with open_both(version=version) as (_, client):
        orders = await client.list(
            "Orders", ListQuery(filter="DocumentStatus eq 'bost_Open'", top=1), caller=ANA
        )
        entry = json.loads(orders.rows)[0]["DocEntry"]
        result = await client.run_change_set(
            [action_on("Orders", ENTRY.predicate(str(entry)), "Close"), new_item("T1")], caller=ANA
        )
        assert isinstance(result, ChangeSetDone), result
        assert [operation.status for operation in result.operations] == [204, 201]


@pytest.mark.asyncio
async def test_of_two_simultaneous_change_sets_with_one_key_one_is_done() -> None:
    async with open_both(max_concurrency=2) as (_, client):
        results = await asyncio.gather(
            *(
                client.run_change_set([new_item("KEY"), new_item(f"T{number}")], caller=ANA)
                for number in range(2)
            )
        )
        assert sorted(type(result).__name__ for result in results) == ["ChangeSetDone", "ChangeSetRefused"]
        assert sorted(await stored(client, "T0", "T1")) == [False, True]


@BOTH
@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fault", "kept"),
    [
        (Drop(when=When.BEFORE_WORK), False),
        (Drop(when=When.AFTER_WORK), True),
        (BadGateway(), False),
        (BadGateway(when=When.AFTER_WORK), True),
    ],
    ids=["dropped before", "dropped after", "502 before", "502 after"],
)
async def test_a_lost_answer_is_unknown_and_not_repeated(version: str, fault: Action, kept: bool) -> None:
    async with open_both(version=version) as (sim, client):
        await stored(client, "T1")
        sim.faults.add(Fault(action=fault, path="$batch"))
        result = await client.run_change_set([new_item("T1"), new_item("T2")], caller=ANA)
        assert isinstance(result, ChangeSetUnknown)
        assert sum(call.path == "$batch" for call in sim.calls) == 1
        assert await stored(client, "T1", "T2") == [kept, kept]


@BOTH
@pytest.mark.asyncio
async def test_a_change_set_with_an_expired_session_is_sent_again_and_done_once(version: str) -> None:
    async with open_both(version=version) as (sim, client):
        await stored(client, "T1")
        sim.faults.add(Fault(action=ExpireSession(), path="$batch"))
        result = await client.run_change_set([new_item("T1")], caller=ANA)
        assert isinstance(result, ChangeSetDone)
        assert await stored(client, "T1") == [True]


PATHS = st.sampled_from(["Items", "LIB_ODEV", "U_LIB_CLAVE"])
BODIES = st.dictionaries(st.text(max_size=8), st.text() | st.integers(), max_size=4).map(
    lambda value: json.dumps(value, ensure_ascii=False).encode()
)
OPERATIONS = st.one_of(
    st.builds(creation_of, PATHS, BODIES),
    st.builds(
        modification_of,
        PATHS,
        st.text(min_size=1, max_size=9).filter(str.isprintable).map(ITEM.predicate),
        BODIES,
        replace_collections=st.booleans(),
    ),
    st.builds(
        action_on, PATHS, st.integers(1).map(lambda key: f"({key})"), st.just("Close"), st.just(b"") | BODIES
    ),
)


@given(st.lists(OPERATIONS, min_size=1, max_size=6))
def test_the_simulator_parses_every_operation_as_written(operations: Sequence[Operation]) -> None:
    call = batch_call(operations, root_path="/b1s/v1", guid="0c2f4c5e-0000")
    assert call.body is not None
    [found] = parse_batch(call.body, call.headers["Content-Type"])
    assert isinstance(found, ChangeSet)
    as_sent: list[Any] = [
        (operation.method, f"/b1s/v1{operation.path}", operation.body or b"", str(number))
        for number, operation in enumerate(operations, 1)
    ]
    assert [(r.method, r.target, r.body, r.content_id) for r in found.requests] == as_sent


@pytest.mark.asyncio
async def test_a_change_set_costs_its_user_the_time_that_it_took() -> None:
    async with open_both() as (sim, client):
        sim.faults.add(Fault(action=Delay(seconds=1.0), method="POST", path="$batch"))
        await client.run_change_set([new_item("A"), new_item("B")], caller=ANA)
        sim.faults.add(Fault(action=Delay(seconds=0.5), method="GET", path="Orders"))
        running = asyncio.create_task(client.list("Orders", ListQuery(top=1), caller=Caller("leo")))
        waiting: list[asyncio.Task[object]] = []
        for user in ("ana", "eva"):
            await asyncio.sleep(0.05)
            read = client.list("Items", ListQuery(top=1, skip=len(waiting)), caller=Caller(user))
            waiting.append(asyncio.create_task(read))
        await asyncio.sleep(0.05)
        assert [wait.user for wait in client.queue_waits] == ["eva", "ana"]
        await asyncio.gather(running, *waiting)


@pytest.mark.asyncio
@BOTH
async def test_hidden_properties_are_those_of_each_operation(version: str) -> None:
    async with open_both(version=version) as (_, client):
        hidden = [frozenset({"ItemName"}), frozenset({"itemcode"})]
        result = await client.run_change_set([new_item("A"), new_item("B")], caller=ANA, hidden=hidden)
    assert isinstance(result, ChangeSetDone)
    first, second = (json.loads(each.body) for each in result.operations)
    assert ("ItemCode" in first, "ItemName" in first) == (True, False)
    assert ("ItemCode" in second, "ItemName" in second) == (False, True)
