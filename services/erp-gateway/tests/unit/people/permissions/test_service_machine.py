"""Any sequence of changes, from two processes, against a simple model: there is never no administrator."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from store_insides import NewStore
from typing_extensions import override

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.people.permissions.errors import LastAdministrator, PermissionsNotFound
from erp_gateway.people.permissions.patterns import parse_patterns
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.store.database import open_database
from erp_gateway.values.audit_event import Actor
from servicekit.clock import ManualClock

ACTOR = Actor(web_user="root")
USERS = st.sampled_from(["ana", "bea", "carla"])
PATHS = st.lists(st.sampled_from(["*", "/x", "/y/*"]), max_size=3)
PROCESS = st.sampled_from([0, 1])


class PermissionsMachine(RuleBasedStateMachine):
    """Two services on one store; the model is a dict that obeys the rule by counting administrators."""

    def __init__(self, new_store: NewStore) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.place = self.stack.enter_context(new_store())
        self.model: dict[str, tuple[str, ...]] = {}
        self.services = [self.runner.run(self.open()) for _ in range(2)]

    async def open(self) -> PermissionService:
        clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        database = await self.stack.enter_async_context(open_database(self.place))
        service = PermissionService(database, AuditRecorder(AuditStore(database), clock), clock)
        await service.reload()
        return service

    def allowed(self, after: dict[str, tuple[str, ...]]) -> bool:
        return self.administrators(after) > 0 or self.administrators(self.model) == 0

    @staticmethod
    def administrators(state: dict[str, tuple[str, ...]]) -> int:
        return sum("*" in paths for paths in state.values())

    @rule(process=PROCESS, user=USERS, paths=PATHS)
    def replace(self, process: int, user: str, paths: list[str]) -> None:
        after = {**self.model, user: tuple(dict.fromkeys(paths))}
        change = self.services[process].replace(user, parse_patterns(paths), actor=ACTOR)
        if self.allowed(after):
            self.runner.run(change)
            self.model = after
        else:
            with pytest.raises(LastAdministrator):
                self.runner.run(change)

    @rule(process=PROCESS, user=USERS)
    def remove(self, process: int, user: str) -> None:
        change = self.services[process].remove(user, actor=ACTOR)
        after = {name: paths for name, paths in self.model.items() if name != user}
        if user not in self.model:
            with pytest.raises(PermissionsNotFound):
                self.runner.run(change)
        elif self.allowed(after):
            self.runner.run(change)
            self.model = after
        else:
            with pytest.raises(LastAdministrator):
                self.runner.run(change)

    @rule(first=USERS, second=USERS)
    def remove_two_at_once(self, first: str, second: str) -> None:
        async def both() -> tuple[object, object]:
            return await asyncio.gather(
                self.services[0].remove(first, actor=ACTOR),
                self.services[1].remove(second, actor=ACTOR),
                return_exceptions=True,
            )

        results = self.runner.run(both())
        assert not [
            result
            for result in results
            if not isinstance(result, LastAdministrator | PermissionsNotFound | None)
        ]
        before = self.administrators(self.model)
        for user, result in zip((first, second), results, strict=True):
            if result is None:
                del self.model[user]
        assert before == 0 or self.administrators(self.model) > 0

    @invariant()
    def both_processes_agree_with_the_model(self) -> None:
        for service in self.services:
            self.runner.run(service.reload_if_changed())
            assert {permission.web_user: permission.paths for permission in service.list_all()} == self.model
            for user in ("ana", "bea", "carla"):
                assert service.is_admin(user) == ("*" in self.model.get(user, ()))

    @override
    def teardown(self) -> None:
        self.runner.run(self.stack.aclose())
        self.runner.close()


def machine_on(new_store: NewStore) -> type[PermissionsMachine]:
    """Return the machine with each of its runs on a store of its own."""

    class OnItsStore(PermissionsMachine):
        def __init__(self) -> None:
            super().__init__(new_store)

    return OnItsStore


def test_an_administrator_always_remains(new_store: NewStore) -> None:
    run_state_machine_as_test(
        machine_on(new_store),
        settings=settings(max_examples=15, stateful_step_count=15, deadline=None),
    )


@pytest.mark.proof
@pytest.mark.timeout(1200)
def test_an_administrator_always_remains_in_many_sequences(new_store: NewStore) -> None:
    run_state_machine_as_test(
        machine_on(new_store),
        settings=settings(max_examples=500, stateful_step_count=30, deadline=None),
    )
