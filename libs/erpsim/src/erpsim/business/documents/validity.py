"""Checks of posting dates, and of partners and items being active on a date."""

from __future__ import annotations

from erpsim.company.company import Company
from erpsim.company.errors import period_locked, refused
from erpsim.company.exchange import Fields
from erpsim.facts.document_kinds import Kind

_YES = "tYES"
_MONTH = len("2026-03")


def check_posting_date(company: Company, kind: Kind, day: str) -> None:
    """Refuse a posting date outside the open posting periods.

    A locked period and a date outside all periods have different refusals (texts and -4013 from integrators'
    notes; the number of the second is assumed).

    Raises:
        SlError: -4013 in a locked month, -10 outside the permitted dates.
    """
    switches = company.switches
    first, last = switches.first_posting_date, switches.last_posting_date
    if (first is not None and day < first.isoformat()) or (last is not None and day > last.isoformat()):
        raise refused(f"Date deviates from permissible range  [{kind.table}.DocDate]")
    if day[:_MONTH] in switches.locked_periods:
        raise period_locked()


def is_inactive(row: Fields, day: str) -> bool:
    """Return whether a partner or an item is inactive on a date.

    It is frozen, always or between two dates, or valid only between two dates (`Frozen`, `FrozenFrom`,
    `FrozenTo`, `Valid`, `ValidFrom`, `ValidTo` in the metadata).
    """
    if row.get("Frozen") == _YES and _holds(row, "Frozen", day):
        return True
    return row.get("Valid") == _YES and not _holds(row, "Valid", day)


def _holds(row: Fields, name: str, day: str) -> bool:
    first, last = row.get(f"{name}From"), row.get(f"{name}To")
    return (first is None or str(first) <= day) and (last is None or day <= str(last))
