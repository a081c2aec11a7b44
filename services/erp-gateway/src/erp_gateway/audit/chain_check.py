"""Check the chain of audit records, against the log as well."""

from typing import Final

from attrs import Factory, define

from erp_gateway.audit.chain_rows import AuditChain, ChainedRecord
from erp_gateway.audit.log_lines import LoggedChain
from erp_gateway.store.chain_hash import START, ChainPosition

_START: Final = ChainPosition(0, START)


@define(kw_only=True)
class ChainCheck:
    """Checks a chain record by record, oldest first, and collects faults.

    Attributes:
        head: the last record written, read when the walk began; None if its row was removed.
        logged: records that must exist, given by the operator.
        log: positions read from log lines.
        records: number of records so far.
        compared: number of those that the log has too.
        deleted_since: number of records in the log that retention has deleted.
        last: the latest position.
        faults: one sentence each.
    """

    head: ChainPosition | None
    logged: tuple[ChainPosition, ...] = ()
    log: LoggedChain = Factory(LoggedChain)
    records: int = 0
    compared: int = 0
    deleted_since: int = 0
    last: ChainPosition = _START
    faults: list[str] = Factory(list)
    _found_head: bool = False
    _expected: dict[int, list[ChainPosition]] = Factory(dict)
    _logged_chains: dict[int, set[str]] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        self._logged_chains = dict(self.log.heads)
        for position in self.logged:
            self._expected.setdefault(position.entry_id, []).append(position)

    def take_cut(self, cut: ChainPosition) -> None:
        """Take the cut of the chain: the last record that retention has deleted."""
        self._compare(cut)
        self._found_head = self._found_head or (self.head is not None and cut.entry_id > self.head.entry_id)
        for entry_id in [number for number in self._expected if number < cut.entry_id]:
            self.faults.append(
                f"record {entry_id}: deleted since by retention (up to {cut.entry_id}), so the head given "
                "can't be compared; give a later one"
            )
            del self._expected[entry_id]
        self._drop_deleted(cut)

    def _drop_deleted(self, cut: ChainPosition) -> None:
        """Ignore deleted records of the log, which must have the line of their deletion."""
        deleted = [number for number in self._logged_chains if number < cut.entry_id]
        for number in deleted:
            del self._logged_chains[number]
        self.deleted_since += len(deleted)
        if deleted and cut not in self.log.deletions:
            self.faults.append(
                f"records up to {cut.entry_id}: deleted, but the log has no line audit_records_deleted for "
                "them: they were removed by hand, or the log is not complete"
            )

    def take(self, record: ChainedRecord) -> None:
        """Take the next record."""
        position, previous = record.position, self.last
        self.records += 1
        self.compared += position.entry_id in self._logged_chains
        if not record.follows(previous):
            self.faults.append(_describe_gap(previous.entry_id, position.entry_id))
        self._compare(position)

    def finish(self) -> None:
        """Check the chain as a whole, after the last record."""
        if self.head is None:
            self.faults.append("the store does not say which record was written last: that was removed")
        elif not self._found_head:
            self.faults.append(
                f"the last record is {self.last.entry_id}, but record {self.head.entry_id} was written last: "
                "the newest records were removed or changed"
            )
        for entry_id in sorted(self._expected):
            self.faults.append(
                f"record {entry_id}: not there, but it was the last one written when the head given was "
                "logged: the newest records were removed"
            )
        cut_off = sorted(number for number in self._logged_chains if number > self.last.entry_id)
        if cut_off:
            self.faults.append(
                f"records {cut_off[0]} to {cut_off[-1]}: not there, but the log has {len(cut_off)} of them: "
                "the newest records were removed"
            )

    def _compare(self, position: ChainPosition) -> None:
        """Compare a position with the log and the operator's heads, and continue from it."""
        self.last = position
        self._found_head = self._found_head or position == self.head
        for logged in self._expected.pop(position.entry_id, ()):
            if logged != position:
                self.faults.append(
                    f"record {position.entry_id}: not the one whose chain was logged: records up to this one "
                    "were replaced"
                )
        if self._logged_chains.pop(position.entry_id, {position.chain}) != {position.chain}:
            self.faults.append(
                f"record {position.entry_id}: not the one that the log has: it, or one before it, was "
                "replaced"
            )


async def check_chain(
    chain: AuditChain, *logged: ChainPosition, log: LoggedChain | None = None
) -> ChainCheck:
    """Check the whole chain; `logged` and `log` as of `ChainCheck`.

    Raises:
        StoreUnavailable: the store cannot be read.
    """
    check = ChainCheck(head=await chain.head(), logged=logged, log=log or LoggedChain())
    async for step in chain.walk():
        check.take(step) if isinstance(step, ChainedRecord) else check.take_cut(step)
    check.finish()
    return check


def _describe_gap(previous: int, number: int) -> str:
    missing = range(previous + 1, number)
    if len(missing) == 1:
        return f"record {missing[0]}: missing"
    if missing:
        return f"records {missing[0]} to {missing[-1]}: missing"
    return f"record {number}: changed, or not the one that was written after record {previous}"
