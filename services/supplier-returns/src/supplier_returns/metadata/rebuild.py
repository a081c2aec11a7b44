"""Bringing the ERP's tables, fields, object and stored queries to what we need.

One step after another, each of which may be the last: what was done stays, and the next run does the rest.
Nothing is ever deleted or made smaller.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec
import structlog
from attrs import evolve, field, frozen

from erpclient import Caller, ErpClient, ErpError, ErpRefused, Outcome
from supplier_returns.metadata.bodies import (
    field_body,
    field_change,
    object_body,
    object_change,
    table_body,
)
from supplier_returns.metadata.comparison import (
    ChangedField,
    ChangedObject,
    Installed,
    NewField,
    State,
    Step,
    compare_fields,
    compare_object,
    compare_tables,
    find_unmendable,
    plan_steps,
)
from supplier_returns.metadata.definitions import Definitions, ObjectDefinition, TableDefinition
from supplier_returns.metadata.inspection import (
    FIELDS,
    OBJECT_KEY,
    OBJECTS,
    TABLES,
    find_invisible,
    inspect,
)
from supplier_returns.saved_queries.errors import StoredQueryNewer, StoredQueryRejected
from supplier_returns.saved_queries.installer import QueryInstaller, QueryState
from supplier_returns.web.error_map import upstream_of, upstream_service_error

ALREADY_EXISTS: Final = -2035
OBJECTS_ALIVE: Final = -1120
"""Of a metadata change while the ERP still has other objects of the connection open; it passes."""

ATTEMPTS: Final = 3
_FORBIDDEN: Final = 403

_log = structlog.get_logger(__name__)


@frozen
class Failure:
    """A thing that could not be brought in order: its name, and why, in Spanish."""

    name: str
    message: str


@frozen(kw_only=True)
class Progress:
    """What became of one step, and how many there are."""

    done: int
    total: int
    name: str
    outcome: str


@frozen(kw_only=True)
class RebuildResult:
    """What a rebuild did.

    Attributes:
        unchanged: how many things were in order before.
        pending_restart: what exists and the Service Layer does not show yet.
    """

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: int = 0
    failures: tuple[Failure, ...] = field(factory=tuple)
    pending_restart: tuple[str, ...] = ()


Tell = Callable[[Progress], None]
Sleep = Callable[[float], Awaitable[None]]


class Rebuild:
    """Does the steps in one person's ERP session.

    Args:
        needed: what there should be.
        queries: keeps the stored queries.
        prove_fence: proves that a key can't be used twice, where that is wanted; tells whether it can't.
        timeout_s: longest time of one step: the ERP changes its database.
        pauses_s: pauses between looks at whether new things have become visible.
        sleep: how to wait.
    """

    def __init__(
        self,
        needed: Definitions,
        queries: QueryInstaller,
        prove_fence: Callable[[ErpClient, Caller], Awaitable[bool]],
        *,
        timeout_s: float,
        pauses_s: Sequence[float] = (0.5, 1.0, 2.0),
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._needed = needed
        self._queries = queries
        self._prove_fence = prove_fence
        self._timeout_s = timeout_s
        self._pauses_s = pauses_s
        self._sleep = sleep

    async def run(self, erp: ErpClient, caller: Caller, tell: Tell, *, simulate: bool) -> RebuildResult:
        """Do what there is to do, or only say what that would be.

        Args:
            erp: the signed-in user's session.
            caller: for whom.
            tell: told of each step.
            simulate: whether to change nothing.

        Raises:
            ErpForbidden: the ERP refuses this user a stored query.
            ErpError: the ERP could not be asked any more, or refuses this user; what was done stays.
        """
        installed = await inspect(self._needed, erp, caller, self._queries)
        steps = plan_steps(self._needed, installed)
        failures = [
            Failure(
                f"{finding.table or '@'}{'.' if finding.table else ''}{finding.name}", finding.detail or ""
            )
            for finding in find_unmendable(self._needed, installed)
        ]
        failures += [
            Failure(f"consulta {query.query.code}", StoredQueryNewer.detail)
            for query in installed.queries
            if query.state is QueryState.NEWER
        ]
        outcome, now = _Outcome(failures), installed
        for number, step in enumerate(steps, 1):
            word = "simulado" if simulate else await self._attempt(step, outcome, erp, caller)
            outcome.note(step, word)
            tell(Progress(done=number, total=len(steps), name=step.name, outcome=word))
        if steps and not simulate:
            now = await self._wait_until_visible(erp, caller)
            _log.info("metadata_rebuilt", created=len(outcome.created), failed=len(outcome.failures))
        if not simulate and is_ready(self._needed, now):
            await self._prove_fence(erp, caller)
        return RebuildResult(
            created=tuple(outcome.created),
            updated=tuple(outcome.updated),
            unchanged=_size(self._needed, installed) - len(steps) - len(failures) + outcome.found,
            failures=tuple(outcome.failures),
            pending_restart=pending_restart(self._needed, now),
        )

    async def _attempt(self, step: Step, outcome: "_Outcome", erp: ErpClient, caller: Caller) -> str:
        """Do a step; say what became of it. A refusal of this one thing is noted, and the others go on."""
        missing = [name for name in step.needs if name in outcome.failed]
        if missing:
            outcome.failures.append(Failure(step.name, f"Falta {', '.join(missing)}."))
            return "error"
        try:
            await self._send(step, erp, caller)
        except StoredQueryRejected as error:
            outcome.failures.append(Failure(step.name, error.detail))
            return "error"
        except ErpRefused as error:
            if error.code == ALREADY_EXISTS:
                return "existente"
            if error.status == _FORBIDDEN:
                raise
            said = upstream_of(error)
            words = "." if said is None else f": {said.message} ({said.code})"
            outcome.failures.append(Failure(step.name, f"El ERP lo rechazó{words}"))
            return "error"
        except ErpError as error:
            if error.outcome is not Outcome.UNKNOWN:
                raise
            # It may have been done all the same: the next run will see. Going on could do it twice.
            raise upstream_service_error(error, writes=True) from error
        return "creado" if step.creates else "actualizado"

    async def _send(self, step: Step, erp: ErpClient, caller: Caller) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                await self._send_once(step, erp, caller)
            except ErpRefused as error:
                if error.code != OBJECTS_ALIVE or attempt == ATTEMPTS:
                    raise
                await self._sleep(float(attempt))
            else:
                return

    async def _send_once(self, step: Step, erp: ErpClient, caller: Caller) -> None:
        match step.kind:
            case TableDefinition() as table:
                await self._create(TABLES, table_body(table), erp, caller)
            case NewField() as new:
                await self._create(FIELDS, field_body(new), erp, caller)
            case ObjectDefinition() as definition:
                await self._create(OBJECTS, object_body(definition), erp, caller)
            case ChangedField() as change:
                key = f"(TableName='{change.installed.table}',FieldID={change.installed.id})"
                await self._modify(FIELDS, key, field_change(change), erp, caller)
            case ChangedObject() as change_object:
                key = OBJECT_KEY.predicate(change_object.installed.code)
                await self._modify(OBJECTS, key, object_change(change_object), erp, caller)
            case query:
                await self._queries.install(query, erp, caller)

    async def _create(self, entity_set: str, body: object, erp: ErpClient, caller: Caller) -> None:
        content = msgspec.json.encode(body)
        await erp.create(entity_set, content, caller=caller, timeout_s=self._timeout_s)

    async def _modify(self, entity_set: str, key: str, body: object, erp: ErpClient, caller: Caller) -> None:
        content = msgspec.json.encode(body)
        await erp.modify(entity_set, key, content, caller=caller, timeout_s=self._timeout_s)

    async def _wait_until_visible(self, erp: ErpClient, caller: Caller) -> Installed:
        """Look a few times whether everything shows; return what the ERP has now.

        All in the user's own session: a new one would need the password, which nobody kept. Where only a new
        login helps, the user has to sign out and in.
        """
        self._queries.doubt()
        installed = await inspect(self._needed, erp, caller, self._queries)
        for pause_s in self._pauses_s:
            if not installed.invisible:
                break
            await self._sleep(pause_s)
            invisible = await find_invisible(self._needed, installed, erp, caller)
            installed = evolve(installed, invisible=invisible)
        return installed


class _Outcome:
    """What has become of the steps so far."""

    def __init__(self, failures: list[Failure]) -> None:
        self.created: list[str] = []
        self.updated: list[str] = []
        self.failures = list(failures)
        self.found = 0

    @property
    def failed(self) -> set[str]:
        return {failure.name for failure in self.failures}

    def note(self, step: Step, word: str) -> None:
        if word == "existente":
            self.found += 1
        elif word != "error":
            (self.created if step.creates else self.updated).append(step.name)


def is_ready(needed: Definitions, installed: Installed) -> bool:
    """Tell whether tables, fields and object are in order, which is all that the fence needs."""
    found = (
        *compare_tables(needed, installed),
        *compare_fields(needed, installed),
        compare_object(needed.user_object, installed),
    )
    return all(finding.state is State.OK for finding in found)


def pending_restart(needed: Definitions, installed: Installed) -> tuple[str, ...]:
    """Return what exists and does not show: tables without object, the ERP's own tables, the object."""
    found = [
        *(f"tabla @{each.name}" for each in compare_tables(needed, installed) if each.state is State.RESTART),
        *sorted(
            {
                f"campos de {each.table}"
                for each in compare_fields(needed, installed)
                if each.state is State.RESTART and not each.table.startswith("@")
            }
        ),
    ]
    if compare_object(needed.user_object, installed).state is State.RESTART:
        found.append(f"objeto {needed.user_object.code}")
    return tuple(found)


def _size(needed: Definitions, installed: Installed) -> int:
    return len(needed.tables) + sum(len(group.fields) for group in needed.groups) + 1 + len(installed.queries)
