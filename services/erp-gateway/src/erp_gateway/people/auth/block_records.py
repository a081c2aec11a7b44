"""Record refused login attempts, one audit record per block."""

import asyncio
from contextlib import suppress
from weakref import WeakKeyDictionary

import structlog
from attrs import Factory, define

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.people.auth.employee_choice import LoginFailure
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from servicekit.throttle import (
    Block,
    BlockScope,
)

_log = structlog.get_logger(__name__)


@define(eq=False)
class _Record:
    """The stored state of a block's record; `lock` lets one write count all attempts that arrived meanwhile.

    With `attempts` but no `entry_id`, the store did not take the record in time, so its write is pending.
    """

    lock: asyncio.Lock = Factory(asyncio.Lock)
    attempts: int = 0
    entry_id: int | None = None


class BlockRecords:
    """Writes a block's record with its first refused attempt and keeps the record's count current.

    A pending record keeps its count, and further attempts are only logged. A row for each attempt would let
    anybody fill the recorder's memory while the store is unavailable.
    """

    def __init__(self, recorder: AuditRecorder) -> None:
        self._recorder = recorder
        self._records: WeakKeyDictionary[Block, _Record] = WeakKeyDictionary()

    async def count_refused(self, block: Block, scope: BlockScope, *, actor: Actor) -> None:
        """Count one refused attempt in the block's record or in the log. Never raises.

        Args:
            block: the block that refused it.
            scope: a user's block is recorded under the user's name, an address's under the address alone.
            actor: the client that tried.
        """
        block.attempts += 1
        record = self._records.setdefault(block, _Record())
        async with record.lock:
            if record.attempts == block.attempts:
                return
            attempts = block.attempts
            event = AuditEvent(
                action=AuditAction.LOGIN_FAILED,
                result=AuditResult.DENIED,
                actor=actor
                if scope is BlockScope.USER
                else Actor(web_user=None, ip=actor.ip, request_id=actor.request_id),
                detail=AuditDetail(attempts=attempts),
                reason=LoginFailure.THROTTLED.value,
            )
            if not record.attempts:
                record.entry_id = await self._recorder.record(event)
            elif record.entry_id is not None:
                await self._recorder.recount(record.entry_id, event)
            else:
                _log_unrecorded(event.actor, attempts)
            record.attempts = attempts


def _log_unrecorded(actor: Actor, attempts: int) -> None:
    with suppress(Exception):  # a full disk or closed console must not change the response
        _log.warning(
            "refused_attempts_not_recorded",
            user=actor.web_user,
            ip=actor.ip,
            request_id=actor.request_id,
            attempts=attempts,
        )
