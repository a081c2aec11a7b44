"""Remembers whether the ERP has the columns with paid amounts."""

from typing import Final

from attrs import define, field

from erpclient import ErpClient, ErpRefused

PAID_COLUMNS: Final = ("PaidToDate", "PaidToDateFC")
# Codes of an unknown name in `$select` and in a cross-join (refusals kept by clients).
_UNKNOWN_NAME_CODES: Final = (-1000, 201)


def names_unknown_property(error: ErpRefused) -> bool:
    """Return whether the ERP refused a read because of an unknown property."""
    return error.status == 400 and error.code in _UNKNOWN_NAME_CODES  # noqa: PLR2004 - an HTTP status


@define(eq=False, repr=False)
class PaidColumns:
    """The columns with the paid amounts, until the ERP refuses them.

    Clients of newer builds read them from documents; the recorded `$metadata` of an older one has none. A
    refusal is remembered until the next login, which may be to a newer ERP.

    Args:
        erp: the ERP.
    """

    _erp: ErpClient
    _refused_in: int | None = field(default=None, init=False)

    @property
    def are_known(self) -> bool:
        """False once the ERP has refused the columns."""
        return self._refused_in is None or self._refused_in != self._erp.logins

    @property
    def names(self) -> tuple[str, ...]:
        """Columns to read; empty once the ERP has refused them."""
        return PAID_COLUMNS if self.are_known else ()

    def note(self, error: ErpRefused, selected: tuple[str, ...]) -> bool:
        """Remember a refusal that unknown columns can explain; return whether the read is worth repeating."""
        if not any(name in selected for name in PAID_COLUMNS) or not names_unknown_property(error):
            return False
        # Read the generation now: the read itself may have logged in.
        self._refused_in = self._erp.logins
        return True

    def forget_refusal(self) -> None:
        """Forget a noted refusal: the read is refused without the columns, too."""
        self._refused_in = None
