"""Check the chain of audit records, against the log as well."""

from typing import Final

from attrs import Factory, define

from erp_gateway.audit.chain import AuditChain, ChainedRecord
from erp_gateway.audit.log_lines import LoggedChain
from erp_gateway.store.audit_chain import START, ChainEnd

_BEFORE_ALL: Final = ChainEnd(0, START)


@define(kw_only=True)
class ChainCheck:
    """Takes a chain record by record, oldest first, and keeps what is wrong with it.

    Attributes:
        head: the last record written, by the store's own word when the walk began; None where it has none.
        logged: records that must be there, given by hand.
        log: what log lines say.
        records: how many records were seen.
        compared: how many of them the log has.
        older: how many records of the log were deleted by retention since.
        last: what was seen last.
        faults: what is wrong, a sentence each.
    """

    head: ChainEnd | None
    logged: tuple[ChainEnd, ...] = ()
    log: LoggedChain = Factory(LoggedChain)
    records: int = 0
    compared: int = 0
    older: int = 0
    last: ChainEnd = _BEFORE_ALL
    faults: list[str] = Factory(list)
    _met_head: bool = False
    _pending: dict[int, list[ChainEnd]] = Factory(dict)
    _from_log: dict[int, set[str]] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        self._from_log = dict(self.log.heads)
        for end in self.logged:
            self._pending.setdefault(end.entry_id, []).append(end)

    def begin(self, cut: ChainEnd) -> None:
        """Take where the chain begins: the last record that retention has deleted."""
        self._compare(cut)
        self._met_head = self._met_head or (self.head is not None and cut.entry_id > self.head.entry_id)
        for entry_id in [number for number in self._pending if number < cut.entry_id]:
            self.faults.append(
                f"record {entry_id}: deleted since by retention (up to {cut.entry_id}), so the head given "
                "can't be compared; give a later one"
            )
            del self._pending[entry_id]
        self._set_aside(cut)

    def _set_aside(self, cut: ChainEnd) -> None:
        """Set aside what the log has of deleted records. The log must tell of the deletion, too."""
        deleted = [number for number in self._from_log if number < cut.entry_id]
        for number in deleted:
            del self._from_log[number]
        self.older += len(deleted)
        if deleted and cut not in self.log.deletions:
            self.faults.append(
                f"records up to {cut.entry_id}: deleted, but the log has no line audit_records_deleted for "
                "them: they were removed by hand, or the log is not complete"
            )

    def take(self, record: ChainedRecord) -> None:
        """Take the next record."""
        end, previous = record.end, self.last
        self.records += 1
        self.compared += end.entry_id in self._from_log
        if not record.follows(previous):
            self.faults.append(_broken(previous.entry_id, end.entry_id))
        self._compare(end)

    def finish(self) -> None:
        """Look at what is wrong as a whole, after the last record."""
        if self.head is None:
            self.faults.append("the store does not say which record was written last: that was removed")
        elif not self._met_head:
            self.faults.append(
                f"the last record is {self.last.entry_id}, but record {self.head.entry_id} was written last: "
                "the newest records were removed or changed"
            )
        for entry_id in sorted(self._pending):
            self.faults.append(
                f"record {entry_id}: not there, but it was the last one written when the head given was "
                "logged: the newest records were removed"
            )
        cut_off = sorted(number for number in self._from_log if number > self.last.entry_id)
        if cut_off:
            self.faults.append(
                f"records {cut_off[0]} to {cut_off[-1]}: not there, but the log has {len(cut_off)} of them: "
                "the newest records were removed"
            )

    def _compare(self, end: ChainEnd) -> None:
        """Hold a record against what is known of it from elsewhere, and go on from it."""
        self.last = end
        self._met_head = self._met_head or end == self.head
        for logged in self._pending.pop(end.entry_id, ()):
            if logged != end:
                self.faults.append(
                    f"record {end.entry_id}: not the one whose chain was logged: records up to this one were "
                    "replaced"
                )
        if self._from_log.pop(end.entry_id, {end.chain}) != {end.chain}:
            self.faults.append(
                f"record {end.entry_id}: not the one that the log has: it, or one before it, was replaced"
            )


async def check_chain(chain: AuditChain, *logged: ChainEnd, log: LoggedChain | None = None) -> ChainCheck:
    """Walk along the whole chain; `logged` and `log` as of `ChainCheck`.

    Raises:
        StoreUnavailable: the store can't be read.
    """
    check = ChainCheck(head=await chain.head(), logged=logged, log=log or LoggedChain())
    async for step in chain.walk():
        check.take(step) if isinstance(step, ChainedRecord) else check.begin(step)
    check.finish()
    return check


def _broken(previous: int, number: int) -> str:
    missing = range(previous + 1, number)
    if len(missing) == 1:
        return f"record {missing[0]}: missing"
    if missing:
        return f"records {missing[0]} to {missing[-1]}: missing"
    return f"record {number}: changed, or not the one that was written after record {previous}"
