"""One audit record per block, however many attempts it refuses."""

import asyncio
from weakref import WeakKeyDictionary

from attrs import Factory, define

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.auth.employees import LoginFailure
from servicekit.throttle import Block, BlockScope


@define(eq=False)
class _Record:
    """What of a block has been written; `lock` lets one write serve all attempts that came meanwhile."""

    lock: asyncio.Lock = Factory(asyncio.Lock)
    attempts: int = 0
    entry_id: int | None = None


class BlockRecords:
    """Writes a block's record with its first refused attempt and keeps the record's count current."""

    def __init__(self, recorder: AuditRecorder) -> None:
        self._recorder = recorder
        self._records: WeakKeyDictionary[Block, _Record] = WeakKeyDictionary()

    async def count_refused(self, block: Block, scope: BlockScope, *, actor: Actor) -> None:
        """Count one refused attempt; it is in the record when this returns. Never raises.

        Args:
            block: the block that refused it.
            scope: a user's block is recorded under the user's name, an address's under the address alone.
            actor: who tried.
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
            if record.entry_id is None:
                record.entry_id = await self._recorder.record(event)
            else:
                await self._recorder.recount(record.entry_id, event)
            record.attempts = attempts
