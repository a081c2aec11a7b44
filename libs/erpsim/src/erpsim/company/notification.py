"""The customer's own rules: the stored procedure `SBO_SP_TransactionNotification`.

The ERP runs it on every added or changed row before it commits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import attrs

from erpsim.company.errors import SlError
from erpsim.company.exchange import Fields

_CODE = -1116
_RULE = re.compile(
    r"(?P<set>\w+)(?:\((?P<name>\w+)=(?P<value>[^)]*)\))?:(?P<number>[0-9]+):(?P<text>.+)", re.DOTALL
)


@attrs.frozen
class Notice:
    """One rule of the procedure.

    Args:
        set_name: entity set of the rows that it checks.
        number: the procedure's own error number.
        text: its own words.
        name: property that must have `value`; None for all rows.
        value: its value in JSON; empty for an empty property.
    """

    set_name: str
    number: int
    text: str
    name: str | None = None
    value: str = ""

    def concerns(self, set_name: str, row: Fields) -> bool:
        """Return whether a row violates the rule."""
        if set_name != self.set_name:
            return False
        value = None if self.name is None else row.get(self.name)
        return self.name is None or self.value == ("" if value is None else str(value))


class TransactionRefusedError(SlError):
    """Refusal by the procedure: its number in brackets before its text (messages recorded by a product that
    posts invoices). The code is the one seen with such refusals (an integrator).
    """

    def __init__(self, notice: Notice) -> None:
        super().__init__(400, _CODE, f"({notice.number}) {notice.text}")


def read_notice(text: str) -> Notice:
    """Read a rule: `PurchaseReturns:7:Falta el motivo`, `PurchaseReturns(NumAtCard=):7:Falta la guía`.

    Raises:
        ValueError: the text is not a rule.
    """
    match = _RULE.fullmatch(text)
    if match is None:
        raise ValueError("rules like PurchaseReturns(Comments=):7:Falta el motivo")
    return Notice(match["set"], int(match["number"]), match["text"], match["name"], match["value"] or "")


def check_notices(notices: Iterable[Notice], set_name: str, row: Fields) -> None:
    """Run the procedure's rules on an added or changed row.

    Raises:
        TransactionRefusedError: a rule refuses it; the surrounding transaction has to be rolled back.
    """
    for notice in notices:
        if notice.concerns(set_name, row):
            raise TransactionRefusedError(notice)
