"""Settings of the ledger of writes."""

from itertools import pairwise
from typing import Final

from attrs import frozen

from servicekit.config import Parser, boolean, integer, seconds, setting
from servicekit.erp.settings import user_field

_MOST_LOOKS: Final = 10


def rising_seconds() -> Parser[tuple[float, ...]]:
    """Numbers of seconds separated by commas, each greater than the one before."""
    one = seconds(0.1, 86_400)

    def read(raw: str) -> tuple[float, ...]:
        found = tuple(one.read(part.strip()) for part in raw.split(","))
        if len(found) > _MOST_LOOKS or any(later <= first for first, later in pairwise(found)):
            raise ValueError(raw)
        return found

    return Parser(
        read,
        "1 to 10 rising numbers of seconds from 0.1 to 86400, separated by commas, like 30,300,1800",
        "de 1 a 10 números crecientes de segundos de 0.1 a 86400, separados por comas, como 30,300,1800",
        lambda value: ",".join(one.show(part) for part in value),
    )


@frozen(kw_only=True)
class LedgerRules:
    """Ledger of writes."""

    required: bool = setting(
        "LEDGER_REQUIRED",
        help="Refuse a write to the ERP (503) if its ledger entry can't be stored first.",
        parse=boolean(),
        default=False,
    )
    idempotency_hours: int = setting(
        "IDEMPOTENCY_HOURS",
        help="Hours to keep an Idempotency-Key and the response recorded for it.",
        parse=integer(1, 8760),
        default=24,
    )
    trace_field: str | None = setting(
        "WRITE_TRACE_FIELD",
        help="User field of at least 26 characters that stores the number of the write in each new "
        "document. Without it, unknown writes are not looked up.",
        parse=user_field(),
        default=None,
    )
    trace_lookups_s: tuple[float, ...] = setting(
        "WRITE_TRACE_LOOKS",
        help="Seconds after an unknown create at which it is looked up by that field.",
        parse=rising_seconds(),
        default=(30.0, 300.0, 1800.0),
    )

    @property
    def own_fields(self) -> frozenset[str]:
        """Casefolded names of fields that only the gateway writes."""
        return frozenset() if self.trace_field is None else frozenset({self.trace_field.casefold()})
