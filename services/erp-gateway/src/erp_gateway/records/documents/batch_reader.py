"""Reads of several kinds of documents in one call, without those that the ERP refuses."""

from collections.abc import Container, Sequence
from typing import Final, Self, TypeVar

import structlog
from attrs import define, evolve, frozen

from erp_gateway.records.documents.paid_columns import PAID_COLUMNS, PaidColumns, names_unknown_property
from erp_gateway.records.documents.refused_reads import RefusedReads
from erp_gateway.records.proxy.declarations.registry import Registered
from erpclient import Caller, CrossJoin, ErpClient, ErpRefused
from erpclient.batch import BatchResult
from erpclient.reads import ListRead, RecordRead

_BATCH: Final = "$batch"
# Names among refused reads of the batch and of the query service as a whole.
_QUERY_SERVICE: Final = "query service"

_FORBIDDEN: Final = 403
_TRANSIENT: Final = (408, 429)
"""Statuses of refusals that say nothing about the read."""

_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class DocumentRead:
    """One read of a batch.

    Attributes:
        target: the resource of the records.
        read: the read.
        is_stripped: whether columns were taken out of it after a refusal.
    """

    target: Registered
    read: ListRead | RecordRead | CrossJoin
    is_stripped: bool = False

    @property
    def name(self) -> str:
        """Name of the read among refused ones."""
        return f"{self.target.resource.name} by {type(self.read).__name__}"

    @property
    def is_join(self) -> bool:
        """True if it needs the query service."""
        return isinstance(self.read, CrossJoin)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the records."""
        if isinstance(self.read, CrossJoin):
            return self.read.paths[0].select
        return self.read.query.select or ()

    def without(self, columns: Container[str]) -> Self:
        """Return the same read without these columns."""
        left = tuple(name for name in self.columns if name not in columns)
        read = self.read
        if left == self.columns:
            return self
        if isinstance(read, CrossJoin):
            head, *others = read.paths
            stripped: ListRead | RecordRead | CrossJoin = evolve(
                read, paths=(evolve(head, select=left), *others)
            )
        elif isinstance(read, RecordRead):
            stripped = evolve(read, query=evolve(read.query, select=left))
        else:
            stripped = evolve(read, query=evolve(read.query, select=left))
        return evolve(self, read=stripped, is_stripped=True)


R = TypeVar("R", bound=DocumentRead)


@define(eq=False, repr=False)
class BatchReader:
    """Runs reads in one `$batch`, and what is left after a refusal in another one.

    The ERP stops a batch at the first read that it refuses. That one is left out of the next batch. A missing
    right and a missing query service are remembered for all later reads; any other refusal may be due to the
    read's own values, such as a partner's code.

    Args:
        erp: the ERP.
        paid_columns: whether the ERP shows paid amounts.
        refused: refused reads.
    """

    _erp: ErpClient
    _paid_columns: PaidColumns
    _refused: RefusedReads

    async def read(
        self, reads: Sequence[R], caller: Caller, *, most_calls: int
    ) -> list[tuple[R, BatchResult | None]]:
        """Return each read with its result, or None if the ERP refused it, or there were no calls left.

        Raises:
            ErpRefused: of a single record.
            ErpError: the ERP gives no answer.
        """
        done: list[tuple[R, BatchResult | None]] = []
        waiting = list(reads)
        for _ in range(most_calls):
            done += ((each, None) for each in waiting if self._is_refused(each))
            waiting = [each for each in waiting if not self._is_refused(each)]
            if not waiting:
                return done
            try:
                results = await self._erp.read_batch([each.read for each in waiting], caller=caller)
            except ErpRefused as error:
                if error.status in _TRANSIENT:
                    raise
                self._remember(_BATCH, error)
                break
            left = waiting[len(results) :]
            for each, result in zip(waiting, results, strict=False):
                if not isinstance(result, ErpRefused):
                    done.append((each, result))
                elif self._may_lack_paid_columns(each, result):
                    left = [read.without(PAID_COLUMNS) for read in (each, *left)]
                else:
                    self._note_refusal(each, result)
                    done.append((each, None))
            waiting = left
        return [*done, *((each, None) for each in waiting)]

    def _is_refused(self, each: DocumentRead) -> bool:
        names = (each.name, _BATCH, *((_QUERY_SERVICE,) if each.is_join else ()))
        return any(name in self._refused for name in names)

    def _may_lack_paid_columns(self, each: DocumentRead, error: ErpRefused) -> bool:
        if each.is_stripped and names_unknown_property(error):
            self._paid_columns.forget_refusal()  # it is refused without them, too
            return False
        return self._paid_columns.note(error, each.columns)

    def _note_refusal(self, each: DocumentRead, error: ErpRefused) -> None:
        """Remember a refused read that will be refused again.

        Raises:
            ErpRefused: of a single record, or because the ERP is busy.
        """
        if isinstance(each.read, RecordRead) or error.status in _TRANSIENT:
            raise error.without_traceback()
        if error.status == _FORBIDDEN:
            self._remember(each.name, error)
        elif each.is_join:
            # Its condition holds only our own names and numbers: the ERP has no query service, or does not
            # understand its text.
            self._remember(_QUERY_SERVICE, error)
        else:
            _log.warning("document_read_refused", read=each.name, status=error.status, code=error.code)

    def _remember(self, name: str, error: ErpRefused) -> None:
        self._refused.add(name)
        _log.warning("document_read_refused", read=name, status=error.status, code=error.code)
