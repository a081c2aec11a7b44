"""Create and extend the ERP's tables, fields, object and stored queries.

The steps run one after another. If a run is interrupted, its changes stay and the next run does the rest.
Nothing is ever deleted or shrunk.
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
"""Temporary refusal of a metadata change while the ERP has other objects of the connection open."""

ATTEMPTS: Final = 3
_FORBIDDEN: Final = 403

_log = structlog.get_logger(__name__)


@frozen
class Failure:
    """Definition that could not be created or changed, with the Spanish reason."""

    name: str
    message: str


@frozen(kw_only=True)
class Progress:
    """Result of one step, and the number of steps."""

    done: int
    total: int
    name: str
    outcome: str


@define(kw_only=True)
class RebuildResult:
    """Result of a rebuild so far.

    Attributes:
        unchanged: number of definitions that needed no change.
        pending_restart: existing definitions that the Service Layer does not show yet.
    """

    created: list[str] = field(factory=list)
    updated: list[str] = field(factory=list)
    unchanged: int = 0
    failures: list[Failure] = field(factory=list)
    pending_restart: list[str] = field(factory=list)


Report = Callable[[Progress], None]


@define(eq=False, repr=False)
class Rebuild:
    """Performs the steps in one user's ERP session.

    Args:
        needed: required definitions.
        queries: installs the stored queries.
        prove_fence: proves the fence if the settings require it. Returns whether it is proved.
        timeout_s: maximum seconds of one step, in which the ERP changes its database.
        pauses_s: pauses between the checks whether new definitions are visible.
    """

    _needed: Definitions
    _queries: QueryInstaller
    _prove_fence: Callable[[ErpClient, Caller], Awaitable[bool]]
    _timeout_s: float = field(kw_only=True)
    _pauses_s: Sequence[float] = field(default=(0.5, 1.0, 2.0), kw_only=True)

    async def run(self, erp: ErpClient, caller: Caller, report: Report, *, simulate: bool) -> RebuildResult:
        """Perform all steps, or only list them.

        Args:
            erp: the signed-in user's session.
            caller: user of the requests.
            report: gets the progress after each step.
            simulate: whether to change nothing.

        Raises:
            ErpForbidden: the user has no right to a stored query.
            ErpError: the ERP is unreachable or refuses this user. Earlier steps stay.
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
        # Creating fields changes the database and is slow (SAP manual 1.22), so run one step at a time.
        for number, step in enumerate(steps, 1):
            name, creates = _name_of(step), _creates(step)
            outcome = "simulado" if simulate else await self._attempt(step, result, erp, caller)
            if outcome == "existente":
                result.unchanged += 1
            elif outcome != "error":
                (result.created if creates else result.updated).append(name)
            report(Progress(done=number, total=len(steps), name=name, outcome=outcome))
        if steps and not simulate:
            findings = compare(self._needed, await self._wait_until_visible(erp, caller))
            _log.info("metadata_rebuilt", created=len(result.created), failed=len(result.failures))
        if not simulate and all(each.state is State.OK for each in findings):  # the fence needs its table
            await self._prove_fence(erp, caller)
        result.pending_restart = pending_restart(findings, self._needed.user_object.code)
        return result

    async def _attempt(
        self, step: Step | InstalledQuery, result: RebuildResult, erp: ErpClient, caller: Caller
    ) -> str:
        """Perform a step and return its outcome. A refusal of one step does not stop the others."""
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
            # Another user may have created it since the inspection.
            if error.code == ALREADY_EXISTS:
                return "existente"
            # Without the right to one step, the user lacks it for the others too.
            if error.status == _FORBIDDEN:
                raise
            upstream = upstream_of(error)
            suffix = "." if upstream is None else f": {upstream.message} ({upstream.code})"
            result.failures.append(Failure(name, f"El ERP lo rechazó{suffix}"))
            return "error"
        except ErpError as error:
            if error.outcome is not Outcome.UNKNOWN:
                raise
            # The ERP may have performed the step. The next run checks that; continuing could repeat it.
            raise upstream_service_error(error, writes=True) from error
        return "creado" if _creates(step) else "actualizado"

    async def _send(self, step: Step | InstalledQuery, erp: ErpClient, caller: Caller) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                await self._send_once(step, erp, caller)
            except ErpRefused as error:
                if error.code != OBJECTS_ALIVE or attempt == ATTEMPTS:
                    raise
                # The refusal is temporary, so wait a little longer before each retry.
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
        """Check a few times whether all definitions are visible. Return the ERP's definitions.

        All checks use the user's session, since a new one would need the password, which the service does not
        keep. If only a new login helps, the user has to sign out and in.
        """
        self._queries.forget_installed()
        installed = await inspect(self._needed, erp, caller, self._queries)
        for pause_s in self._pauses_s:
            if not installed.invisible:
                break
            await asyncio.sleep(pause_s)
            invisible = await find_invisible(self._needed, installed, erp, caller)
            installed = evolve(installed, invisible=invisible)
        return installed


def pending_restart(findings: Iterable[Finding], object_code: str) -> list[str]:
    """Return the existing but invisible definitions: tables without object, ERP tables, and the object."""
    hidden = [each for each in findings if each.state is State.RESTART]
    own_things = [each for each in hidden if not each.table]
    return [
        *(f"tabla @{each.name}" for each in own_things if each.name != object_code),
        *sorted({f"campos de {each.table}" for each in hidden if each.table and each.table[0] != "@"}),
        *(f"objeto {object_code}" for each in own_things if each.name == object_code),
    ]


def _name_of(step: Step | InstalledQuery) -> str:
    return step.name if isinstance(step, Step) else f"consulta {step.query.name}"


def _creates(step: Step | InstalledQuery) -> bool:
    return step.key is None if isinstance(step, Step) else step.state is QueryState.MISSING
