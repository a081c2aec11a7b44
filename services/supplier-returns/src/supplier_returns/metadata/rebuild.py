"""Bringing the ERP's tables, fields, object and stored queries to what we need.

One step after another, each of which may be the last: what was done stays, and the next run does the rest.
Nothing is ever deleted or made smaller.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

import msgspec
import structlog
from attrs import define, evolve, field, frozen

from erpclient import Caller, ErpClient, ErpError, ErpRefused, Outcome
from supplier_returns.metadata.comparison import Finding, State, Step, compare
from supplier_returns.metadata.definitions import Definitions
from supplier_returns.metadata.inspection import find_invisible, inspect
from supplier_returns.metadata.installed import Installed
from supplier_returns.saved_queries.errors import StoredQueryNewer, StoredQueryRejected
from supplier_returns.saved_queries.installer import InstalledQuery, QueryInstaller, QueryState
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


@define(kw_only=True)
class RebuildResult:
    """What a rebuild did, as far as it has come.

    Attributes:
        unchanged: how many things were in order before.
        pending_restart: what exists and the Service Layer does not show yet.
    """

    created: list[str] = field(factory=list)
    updated: list[str] = field(factory=list)
    unchanged: int = 0
    failures: list[Failure] = field(factory=list)
    pending_restart: list[str] = field(factory=list)


Tell = Callable[[Progress], None]


@define(eq=False, repr=False)
class Rebuild:
    """Does the steps in one person's ERP session.

    Args:
        needed: what there should be.
        queries: keeps the stored queries.
        prove_fence: proves that a key can't be used twice, where that is wanted; tells whether it can't.
        timeout_s: longest time of one step: the ERP changes its database.
        pauses_s: pauses between looks at whether new things have become visible.
    """

    _needed: Definitions
    _queries: QueryInstaller
    _prove_fence: Callable[[ErpClient, Caller], Awaitable[bool]]
    _timeout_s: float = field(kw_only=True)
    _pauses_s: Sequence[float] = field(default=(0.5, 1.0, 2.0), kw_only=True)

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
        findings = compare(self._needed, installed)
        steps: list[Step | InstalledQuery] = [each.step for each in findings if each.step is not None]
        steps += [each for each in installed.queries if each.state in (QueryState.MISSING, QueryState.OLDER)]
        result = RebuildResult(
            failures=[
                Failure(f"{each.table or '@'}{'.' if each.table else ''}{each.name}", each.detail or "")
                for each in findings
                if each.is_stuck
            ]
        )
        result.failures += [
            Failure(f"consulta {query.query.code}", StoredQueryNewer.detail)
            for query in installed.queries
            if query.state is QueryState.NEWER
        ]
        size = len(findings) + len(installed.queries)
        result.unchanged = size - len(steps) - len(result.failures)
        for number, step in enumerate(steps, 1):
            name, creates = _name_of(step), _creates(step)
            word = "simulado" if simulate else await self._attempt(step, result, erp, caller)
            if word == "existente":
                result.unchanged += 1
            elif word != "error":
                (result.created if creates else result.updated).append(name)
            tell(Progress(done=number, total=len(steps), name=name, outcome=word))
        if steps and not simulate:
            findings = compare(self._needed, await self._wait_until_visible(erp, caller))
            _log.info("metadata_rebuilt", created=len(result.created), failed=len(result.failures))
        if not simulate and all(each.state is State.OK for each in findings):  # all that the fence needs
            await self._prove_fence(erp, caller)
        result.pending_restart = pending_restart(findings, self._needed.user_object.code)
        return result

    async def _attempt(
        self, step: Step | InstalledQuery, result: RebuildResult, erp: ErpClient, caller: Caller
    ) -> str:
        """Do a step; say what became of it. A refusal of this one thing is noted, and the others go on."""
        name = _name_of(step)
        if isinstance(step, Step):
            failed = {failure.name for failure in result.failures}
            missing = [each for each in step.needs if each in failed]
            if missing:
                result.failures.append(Failure(name, f"Falta {', '.join(missing)}."))
                return "error"
        try:
            await self._send(step, erp, caller)
        except StoredQueryRejected as error:
            result.failures.append(Failure(name, error.detail))
            return "error"
        except ErpRefused as error:
            if error.code == ALREADY_EXISTS:
                return "existente"
            if error.status == _FORBIDDEN:
                raise
            said = upstream_of(error)
            words = "." if said is None else f": {said.message} ({said.code})"
            result.failures.append(Failure(name, f"El ERP lo rechazó{words}"))
            return "error"
        except ErpError as error:
            if error.outcome is not Outcome.UNKNOWN:
                raise
            # It may have been done all the same: the next run will see. Going on could do it twice.
            raise upstream_service_error(error, writes=True) from error
        return "creado" if _creates(step) else "actualizado"

    async def _send(self, step: Step | InstalledQuery, erp: ErpClient, caller: Caller) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                await self._send_once(step, erp, caller)
            except ErpRefused as error:
                if error.code != OBJECTS_ALIVE or attempt == ATTEMPTS:
                    raise
                await asyncio.sleep(float(attempt))
            else:
                return

    async def _send_once(self, step: Step | InstalledQuery, erp: ErpClient, caller: Caller) -> None:
        if isinstance(step, InstalledQuery):
            await self._queries.install(step, erp, caller)
            return
        body = msgspec.json.encode(step.body)
        if step.key is None:
            await erp.create(step.entity_set, body, caller=caller, timeout_s=self._timeout_s)
        else:
            await erp.modify(step.entity_set, step.key, body, caller=caller, timeout_s=self._timeout_s)

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
            await asyncio.sleep(pause_s)
            invisible = await find_invisible(self._needed, installed, erp, caller)
            installed = evolve(installed, invisible=invisible)
        return installed


def pending_restart(findings: Iterable[Finding], object_code: str) -> list[str]:
    """Return what exists and does not show: tables without object, the ERP's own tables, the object."""
    hidden = [each for each in findings if each.state is State.RESTART]
    own = [each for each in hidden if not each.table]
    return [
        *(f"tabla @{each.name}" for each in own if each.name != object_code),
        *sorted({f"campos de {each.table}" for each in hidden if each.table and each.table[0] != "@"}),
        *(f"objeto {object_code}" for each in own if each.name == object_code),
    ]


def _name_of(step: Step | InstalledQuery) -> str:
    return step.name if isinstance(step, Step) else f"consulta {step.query.name}"


def _creates(step: Step | InstalledQuery) -> bool:
    return step.key is None if isinstance(step, Step) else step.state is QueryState.MISSING
