"""Turns: so many at a time, users one after another, and no wait without an end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from supplier_returns.planning.errors import PlanningBusy
from supplier_returns.planning.turns import TurnLimits, Turns

pytestmark = pytest.mark.asyncio


class Counter:
    """Who was served, in order; whoever comes waits until the counter opens."""

    def __init__(self, limits: TurnLimits | None = None) -> None:
        self.turns = Turns(limits or TurnLimits())
        self.served: list[str] = []
        self.at_the_counter = 0
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str) -> None:
        """Let them line up; a name begins with its user."""
        for name in names:
            self.tasks[name] = asyncio.create_task(self._visit(name))
            await asyncio.sleep(0)

    async def _visit(self, name: str) -> None:
        async with self.turns.take(name[0]):
            self.at_the_counter += 1
            assert self.at_the_counter == 1
            await asyncio.sleep(0)
            self.served.append(name)
            self.at_the_counter -= 1


@asynccontextmanager
async def closed(counter: Counter) -> AsyncIterator[None]:
    """Hold the turn, and serve everybody afterwards."""
    async with counter.turns.take("z"):
        yield
    await asyncio.gather(*counter.tasks.values(), return_exceptions=True)


async def test_users_take_turns_and_keep_their_own_order() -> None:
    counter = Counter()
    async with closed(counter):
        await counter.come("a1", "a2", "a3", "b1", "a4", "c1", "b2")
        assert counter.turns.waiting == 7
    assert counter.served == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]
    assert counter.turns.waiting == 0


async def test_one_who_asks_once_waits_for_one_of_anothers_many() -> None:
    counter = Counter()
    async with closed(counter):
        await counter.come(*(f"a{number}" for number in range(100)), "b")
    assert counter.served[:3] == ["a0", "b", "a1"]
    await counter.come("c")
    await counter.tasks["c"]
    assert counter.served[-1] == "c", "an idle counter serves at once"


async def test_too_many_are_refused_at_once() -> None:
    counter = Counter(TurnLimits(waiting=2))
    async with closed(counter):
        await counter.come("a1", "a2")
        with pytest.raises(PlanningBusy):
            async with counter.turns.take("b"):
                pass
    assert counter.served == ["a1", "a2"]


async def test_a_wait_ends_with_a_clear_refusal() -> None:
    counter = Counter(TurnLimits(wait_s=0.02))
    async with closed(counter):
        await counter.come("a1", "a2")
        done, _ = await asyncio.wait(counter.tasks.values())
        assert {type(task.exception()) for task in done} == {PlanningBusy}
        assert counter.turns.waiting == 0
    async with counter.turns.take("a"):
        pass


async def test_who_leaves_loses_the_turn_to_the_next() -> None:
    counter = Counter()
    async with closed(counter):
        await counter.come("a1", "a2", "b1")
        counter.tasks["a1"].cancel()
        await asyncio.sleep(0)
    assert counter.served == ["a2", "b1"]


async def test_who_leaves_at_the_moment_of_being_called_hands_the_turn_on() -> None:
    counter = Counter()
    held = counter.turns.take("z")
    await held.__aenter__()
    await counter.come("a1", "b1")
    await held.__aexit__(None, None, None)  # a1 is called, and has not noticed yet
    counter.tasks["a1"].cancel()
    await asyncio.gather(*counter.tasks.values(), return_exceptions=True)
    assert counter.served == ["b1"]


async def test_work_that_fails_gives_its_turn_back() -> None:
    counter = Counter()
    with pytest.raises(ZeroDivisionError):
        async with counter.turns.take("a"):
            raise ZeroDivisionError
    async with asyncio.timeout(1):
        async with counter.turns.take("b"):
            pass


class Held:
    """Turns that are held until given back, by name: a user, a number, and a size where it is not 1."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._visits: dict[str, tuple[asyncio.Task[None], asyncio.Event]] = {}
        self.holding: list[str] = []

    async def come(self, *names: str) -> None:
        for name in names:
            leaves = asyncio.Event()
            self._visits[name] = (asyncio.create_task(self._visit(name, leaves)), leaves)
            await asyncio.sleep(0)

    async def leave(self, name: str) -> None:
        visit, leaves = self._visits[name]
        leaves.set()
        await visit
        await asyncio.sleep(0)

    def give_up(self, name: str) -> None:
        self._visits[name][0].cancel()

    async def _visit(self, name: str, leaves: asyncio.Event) -> None:
        async with self._turns.take(name[0], size=int(name[2:] or 1)):
            self.holding.append(name)
            await leaves.wait()
            self.holding.remove(name)


async def test_of_several_places_one_user_holds_half() -> None:
    held = Held(Turns(TurnLimits(), room=4))
    await held.come("a1", "a2", "a3", "b1")
    assert held.holding == ["a1", "a2", "b1"], "one stays for others, although a third one waits"
    await held.come("c1", "d1")
    assert held.holding == ["a1", "a2", "b1", "c1"]
    await held.leave("b1")
    assert held.holding == ["a1", "a2", "c1", "d1"], "a3 came before, and a has its half"
    await held.leave("a1")
    assert held.holding == ["a2", "c1", "d1", "a3"]
    for name in ("a2", "c1", "d1", "a3"):
        await held.leave(name)
    await held.come("e1", "e2")
    assert held.holding == ["e1", "e2"], "nothing is held for ever"


async def test_what_fits_is_let_in_and_nobody_overtakes_their_own() -> None:
    held = Held(Turns(TurnLimits(), room=10))
    await held.come("a15", "b14", "c14", "c21", "d11")
    assert held.holding == ["a15", "b14", "d11"], "there is no room for 4, and c21 stands behind it"
    await held.leave("b14")
    assert held.holding == ["a15", "d11", "c14"]
    await held.leave("d11")
    assert held.holding == ["a15", "c14", "c21"]


async def test_who_stood_behind_a_large_one_that_left_is_let_in() -> None:
    held = Held(Turns(TurnLimits(), room=10))
    await held.come("a15", "b14", "c14")
    await held.come("c21")
    assert held.holding == ["a15", "b14"]
    held.give_up("c14")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert held.holding == ["a15", "b14", "c21"]
