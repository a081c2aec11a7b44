"""The ledger against a model that remembers the request, outcome and answer of each key."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import define, evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from store_insides import NewStore
from typing_extensions import override
from uncounted_writes import ledger_on

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.store.database import open_database
from erp_gateway.store.places import StorePlace
from erp_gateway.values.audit_event import Actor
from erp_gateway.web.upstream_errors import MaybeInApproval, OutcomeUnknown
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.errors import FirstOutcomeUnknown, IdempotencyKeyReused
from erp_gateway.writes.items import WriteFilter, WriteItem
from erp_gateway.writes.outcome import WriteAnswer, WriteOutcome
from erp_gateway.writes.resolution import WriteResolution
from erp_gateway.writes.rules import NEXT, WriteState
from erp_gateway.writes.store import MAX_KEPT_BODY_BYTES, LedgerStore
from erp_gateway.writes.write import Write, WriteKind, WriteSet
from servicekit.clock import ManualClock
from servicekit.erp.errors import QueueIsFull, UpstreamRejected
from servicekit.errors import ServiceError

KEEP = timedelta(hours=24)
DONE = WriteAnswer(status=201, body=b'{"DocEntry":7}', headers={"Location": "/api/sl/Orders/7"})
ENDS = {
    "done": WriteOutcome(state=WriteState.DONE, answer=DONE, keys=("7",)),
    "refused": WriteOutcome(state=WriteState.REFUSED, refusal=UpstreamRejected()),
    "approval": WriteOutcome(state=WriteState.REFUSED, refusal=MaybeInApproval()),
    "not_sent": WriteOutcome(state=WriteState.NOT_SENT, refusal=QueueIsFull()),
    "unknown": WriteOutcome(state=WriteState.UNKNOWN, refusal=OutcomeUnknown()),
}


class Desk:
    """A ledger on a store of its own, and an ERP that does what it is told."""

    def __init__(self, new_store: NewStore) -> None:
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.sent = 0
        self.run(self._open(self.stack.enter_context(new_store())))

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    async def _open(self, place: StorePlace) -> None:
        self.database = await self.stack.enter_async_context(open_database(place))
        self.store = LedgerStore(self.database)
        self.recorder = AuditRecorder(AuditStore(self.database), self.clock)
        await self.restart()

    async def restart(self) -> None:
        """Begin anew with what the store knows."""
        self.ledger = await ledger_on(self.store, self.recorder, self.clock, keep=KEEP)
        await self.ledger.close_open()

    async def ask(
        self, key: str, body: bytes, ended: WriteOutcome | None, size: int = 0
    ) -> WriteAnswer | str:
        """Request a write, or a change set of this size; return the code of a refusal.

        Without an end the process dies while the ERP works.
        """
        write = Write(
            kind=WriteKind.CREATE,
            actor=Actor(web_user="ana", request_id="r"),
            resource="Orders",
            body=body,
            idempotency_key=None if size else key,
        )
        requested = WriteSet(writes=(write,) * size, body=body, idempotency_key=key) if size else write
        try:
            opened = await self.ledger.open(requested)
            if isinstance(opened, WriteAnswer):
                return opened
            async with opened:
                await self.send(opened, ended)
            return opened.answer()
        except ServiceError as refusal:
            return refusal.code
        except asyncio.CancelledError:
            return "died"

    async def send(self, entry: Entry, ended: WriteOutcome | None) -> None:
        await entry.wait_for_row()
        self.sent += 1
        if ended is None:
            raise asyncio.CancelledError
        if ended.answer is not None:
            entry.all_done(ended.answer, ended.keys * len(entry.bodies))
        elif ended.refusal is not None:
            entry.failed(ended.state, ended.refusal)

    def close(self) -> None:
        self.run(self.stack.aclose())
        self.runner.close()


@define
class Remembered:
    """What the model knows of a key."""

    request: tuple[bytes, int]
    state: str
    until: datetime
    answered: bool = True


class LedgerMachine(RuleBasedStateMachine):
    """The model: for each key the body that came first, how it ended, and how long that counts."""

    def __init__(self, new_store: NewStore) -> None:
        super().__init__()
        self.desk = Desk(new_store)
        self.keys: dict[str, Remembered] = {}
        self.states: dict[str, WriteState] = {}

    @override
    def teardown(self) -> None:
        self.desk.close()

    @rule(
        key=st.sampled_from(["k1", "k2"]),
        body=st.sampled_from([b"{}", b'{"A":1}']),
        end=st.sampled_from([*ENDS, "died"]),
        size=st.sampled_from([0, 1, 3]),
    )
    def ask(self, key: str, body: bytes, end: str, size: int) -> None:
        now, known, sent = self.desk.clock.now(), self.keys.get(key), self.desk.sent
        lost = known is not None and known.state in ("unknown", "died")
        if known is not None and now >= known.until and not lost:
            known = None
        got = self.desk.run(self.desk.ask(key, body, ENDS.get(end), size))
        if known is not None and known.request != (body, size > 0):
            assert got == IdempotencyKeyReused.code
        elif lost:
            assert got == FirstOutcomeUnknown.code
        elif known is not None and known.state == "done":
            assert isinstance(got, WriteAnswer)
            if known.answered:
                assert got == evolve(DONE, replayed=True)
            else:
                assert (got.status, got.replayed) == (200 if size else 201, True)
        elif known is not None and known.state == "approval":
            assert isinstance(got, WriteAnswer)
            assert (got.status, got.replayed) == (400, True)
        else:
            assert self.desk.sent == sent + 1
            self.keys[key] = Remembered((body, size > 0), end, now + KEEP)
            expected_end = ENDS.get(end)
            refusal = None if expected_end is None else expected_end.refusal
            assert got == (end if expected_end is None else DONE if refusal is None else refusal.code)
            return
        assert self.desk.sent == sent

    @rule()
    def restart(self) -> None:
        self.desk.run(self.desk.restart())

    @rule(hours=st.sampled_from([1, 23, 25]))
    def wait(self, hours: int) -> None:
        self.desk.clock.advance(hours * 3600)
        self.desk.run(self.desk.ledger.tidy())

    @precondition(lambda self: any(known.state in ("unknown", "died") for known in self.keys.values()))
    @rule(done=st.booleans())
    def settle_all(self, done: bool) -> None:
        state = WriteState.DONE if done else WriteState.NOT_DONE
        self.desk.run(self.desk.restart())  # notes what a dead process left
        resolution = WriteResolution(self.desk.store, self.desk.recorder, lambda *_: None, self.desk.clock)
        for group in {record.group for record in self.records() if record.state is WriteState.UNKNOWN}:
            last = self.desk.run(self.desk.store.find_group(group))[-1]
            self.desk.run(resolution.resolve(last, state, None, Actor(web_user="ana")))
        for known in self.keys.values():
            if known.state in ("unknown", "died"):
                known.state, known.answered = state.value, False
                known.until = self.desk.clock.now() + KEEP

    @invariant()
    def what_is_known_stays_known(self) -> None:
        for record in self.records():
            before = self.states.get(record.id, WriteState.OPEN)
            assert record.state is before or record.state in NEXT[before] | {
                after for step in NEXT[before] for after in NEXT[step]
            }
            self.states[record.id] = record.state

    @invariant()
    def the_writes_of_a_set_are_in_one_state(self) -> None:
        sets: dict[str, list[WriteItem]] = {}
        for record in self.records():
            if record.change_set is not None:
                sets.setdefault(record.change_set, []).append(record)
        for number, records in sets.items():
            assert {each.position for each in records} == set(range(len(records)))
            assert len({(each.state, each.ended_at, each.ended_by) for each in records}) == 1
            assert min(each.id for each in records) == number

    def records(self) -> Any:
        return self.desk.run(self.desk.store.find_page(WriteFilter(), page=1, page_size=200))[0]


def machine_on(new_store: NewStore) -> type[LedgerMachine]:
    """Return the machine with each of its runs on a store of its own."""

    class OnItsStore(LedgerMachine):
        def __init__(self) -> None:
            super().__init__(new_store)

    return OnItsStore


@pytest.mark.parametrize("examples", [15, pytest.param(300, marks=pytest.mark.proof)])
def test_the_ledger_follows_its_model(examples: int, new_store: NewStore) -> None:
    run_state_machine_as_test(
        machine_on(new_store),
        settings=settings(max_examples=examples, stateful_step_count=20, deadline=None),
    )


TEXT = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
ANSWERS = st.builds(
    WriteAnswer,
    status=st.sampled_from([200, 201, 204]),
    body=st.binary(max_size=100)
    | st.just(b"x" * MAX_KEPT_BODY_BYTES)
    | st.just(b"x" * (MAX_KEPT_BODY_BYTES + 1)),
    headers=st.fixed_dictionaries({}, optional={"Location": TEXT, "ETag": TEXT}),
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=ANSWERS, restarted=st.booleans())
def test_a_replay_equals_the_first_answer(new_store: NewStore, answer: WriteAnswer, restarted: bool) -> None:
    desk = Desk(new_store)
    try:
        ended = WriteOutcome(state=WriteState.DONE, answer=answer)
        assert desk.run(desk.ask("k", b"{}", ended)) == answer
        if restarted:
            desk.run(desk.restart())
        kept = answer if len(answer.body) <= MAX_KEPT_BODY_BYTES else evolve(answer, body=b"")
        assert desk.run(desk.ask("k", b"{}", ended)) == evolve(kept, replayed=True)
        assert desk.sent == 1
    finally:
        desk.close()
