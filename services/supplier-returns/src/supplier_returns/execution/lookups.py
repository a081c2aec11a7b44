"""Lookups of a planning's documents in the ERP, by key."""

from collections.abc import Sequence
from http import HTTPStatus

import structlog
from attrs import evolve, frozen

from erpclient import ErpError, ErpRefused, SessionEnded
from servicekit.errors import ServiceError
from supplier_returns.execution.attempt import Attempt
from supplier_returns.execution.repository import ReturnRepository
from supplier_returns.execution.rules.evidence import Evidence, FailedLookup, Missing, Stage
from supplier_returns.execution.rules.finding import ErpReturn, identify, relevant_draft
from supplier_returns.execution.rules.keys import name_of
from supplier_returns.execution.rules.next_step import can_do_without
from supplier_returns.execution.rules.steps import Lookup

_log = structlog.get_logger(__name__)


@frozen
class Lookups:
    """Lookups for one planning."""

    _returns: ReturnRepository
    _planning_id: int

    async def look_up(self, lookup: Lookup, attempt: Attempt, batch: Sequence[Attempt] = ()) -> Evidence:
        """Look up a document. Some documents can finish although a lookup fails.

        Args:
            lookup: kind of lookup.
            attempt: document to look up.
            batch: documents whose attempts the same write recorded. One call looks up all of them.

        Raises:
            SessionEnded: the ERP no longer knows the session.
            ErpError, ServiceError: the lookup failed, and the document can't finish without it.
        """
        try:
            # One list of the planning's returns replaces a lookup for each document.
            if batch and attempt.evidence.stage is Stage.RECORDED and lookup is Lookup.RETURN:
                return await self._look_up_all(attempt, batch)
            return await self._look_up_one(lookup, attempt)
        except SessionEnded:
            raise
        except (ErpError, ServiceError) as error:
            failed = FailedLookup(lookup, is_silent=not _is_refusal(error))
            if not can_do_without(attempt.document, attempt.evidence, failed):
                raise
            _log.warning(
                "return_not_looked_for",
                planning=self._planning_id,
                document=attempt.document.doc_id,
                reason=str(error),
            )
            return evolve(attempt.evidence, failed_lookup=failed)

    async def _look_up_one(self, lookup: Lookup, attempt: Attempt) -> Evidence:
        key = attempt.document.key
        match lookup:
            case Lookup.RETURN | Lookup.RETURN_AGAIN:
                found = identify(key, attempt.document.card_code, await self._returns.find_returns(key))
                again = lookup is Lookup.RETURN_AGAIN
                return evolve(attempt.evidence, found=found or Missing.ABSENT, looked_twice=again)
            case Lookup.DRAFT:
                draft = relevant_draft(await self._returns.find_drafts(key))
                return evolve(attempt.evidence, draft=draft or Missing.ABSENT)
            case Lookup.FENCE:
                return evolve(attempt.evidence, is_fenced=await self._returns.is_fenced(key))

    async def _look_up_all(self, attempt: Attempt, batch: Sequence[Attempt]) -> Evidence:
        """Look up all documents that this run has not looked up yet. A late write may hide a return."""
        returns = await self._returns.find_all(self._planning_id)
        for each in (attempt, *batch):
            if each.evidence.stage is Stage.RECORDED and each.evidence.found is Missing.NOT_LOOKED_UP:
                each.evidence = found_among(returns, each)
        return attempt.evidence


def found_among(returns: Sequence[ErpReturn], attempt: Attempt) -> Evidence:
    """Return the evidence with the document's return, chosen from all returns of its planning."""
    key, card_code = attempt.document.key, attempt.document.card_code
    found = identify(key, card_code, [each for each in returns if each.key.startswith(name_of(key))])
    return evolve(attempt.evidence, found=found or Missing.ABSENT)


def _is_refusal(error: ErpError | ServiceError) -> bool:
    # 429 is temporary, so it counts as no reply.
    return isinstance(error, ErpRefused) and error.status != HTTPStatus.TOO_MANY_REQUESTS
