"""Whether the audit records are those that were written, in order. Pure values, and texts for an operator."""

from typing import Final

from attrs import Factory, define

from erp_gateway.audit.chain import ChainedRecord
from erp_gateway.storage.audit_chain import START, ChainEnd

_BEFORE_ALL: Final = ChainEnd(0, START)


@define(kw_only=True)
class ChainCheck:
    """Takes a chain record by record, oldest first, and keeps what is wrong with it.

    Attributes:
        head: the last record written, by the store's own word when the walk began; None where it has none.
        logged: records that must be there, by the word of a log.
        records: how many records were seen.
        last: what was seen last.
        faults: what is wrong, a sentence each.
    """

    head: ChainEnd | None
    logged: tuple[ChainEnd, ...] = ()
    records: int = 0
    last: ChainEnd = _BEFORE_ALL
    faults: list[str] = Factory(list)
    _met_head: bool = False
    _pending: dict[int, list[ChainEnd]] = Factory(dict)

    def __attrs_post_init__(self) -> None:
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

    def take(self, record: ChainedRecord) -> None:
        """Take the next record."""
        end, previous = record.end, self.last
        self.records += 1
        if not record.follows(previous):
            self.faults.append(_broken(previous.entry_id, end.entry_id))
        self._compare(end)

    def finish(self) -> list[str]:
        """Return what is wrong, after the last record."""
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
        return self.faults

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


def _broken(previous: int, number: int) -> str:
    missing = range(previous + 1, number)
    if len(missing) == 1:
        return f"record {missing[0]}: missing"
    if missing:
        return f"records {missing[0]} to {missing[-1]}: missing"
    return f"record {number}: changed, or not the one that was written after record {previous}"
