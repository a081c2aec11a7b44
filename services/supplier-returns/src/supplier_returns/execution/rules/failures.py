"""What posting a return came to, and why the ERP refused it, as a class that says what helps."""

import enum
import re
from typing import Final

from attrs import frozen


@frozen(kw_only=True)
class Posted:
    """The ERP made the return."""

    doc_entry: int
    doc_num: int
    folio: int | None = None


@frozen(kw_only=True)
class Refused:
    """The ERP read the post and did nothing of it.

    Attributes:
        code: The ERP's own code.
        text: The ERP's own text.
    """

    code: int | str | None
    text: str


@frozen
class NotSent:
    """Nothing left this service; the text says why, in Spanish."""

    reason: str


@frozen
class Unknown:
    """It was sent, and no readable answer came: the return may exist, or may still come to exist."""


PostOutcome = Posted | Refused | NotSent | Unknown


class ErrorClass(enum.Enum):
    """What kind of failure a document met; the value is its name on the wire and in the record.

    The first five pass by themselves or by somebody's hand, and the document is then posted again under the
    same key. The others need another plan.
    """

    PERIOD = "periodo"
    SERIES = "serie"
    SESSION = "sesion"
    EXCHANGE_RATE = "tipoCambio"
    ERP = "erp"
    STOCK = "stock"
    BASE = "base"
    BATCHES = "lotes"
    MASTER_DATA = "maestro"


PASSING: Final = frozenset(
    {
        ErrorClass.PERIOD,
        ErrorClass.SERIES,
        ErrorClass.SESSION,
        ErrorClass.EXCHANGE_RATE,
        ErrorClass.ERP,
    }
)
"""Classes of failures after which the same document may be posted again."""

_PASSING_WORDS: Final = frozenset(each.value for each in PASSING)

NO_MATCH_CODE: Final = -2028
"""Something named does not exist, or a draft waits for approval (seen on Service Layer 1000321)."""

DUPLICATE_CODE: Final = -2035
"""A row with this primary key exists already."""

_BY_CODE: Final = {
    -4014: ErrorClass.BATCHES,
    -4013: ErrorClass.PERIOD,
    -4002: ErrorClass.SERIES,
    301: ErrorClass.SESSION,
    NO_MATCH_CODE: ErrorClass.MASTER_DATA,
}

_BY_TEXT: Final[tuple[tuple[ErrorClass, str], ...]] = (
    (ErrorClass.BATCHES, r"selection of batch|batch/serial|selecci[oó]n .*(lote|serie)|bin location"),
    (ErrorClass.STOCK, r"negative inventory|inventario negativo|insufficient quantity|cantidad insuf"),
    (ErrorClass.BASE, r"base document|documentos? (de )?base|already closed|ya (est[aá] )?cerrado"),
    (ErrorClass.BASE, r"open quantity|cantidad (abierta|pendiente)"),
    (ErrorClass.SERIES, r"numbering series|series? de numeraci[oó]n"),
    (ErrorClass.PERIOD, r"posting period|per[ií]odo contable|permissible range|rango permitido"),
    (ErrorClass.PERIOD, r"date deviates|se desv[ií]a"),
    (ErrorClass.EXCHANGE_RATE, r"exchange rate|tipo de cambio"),
    (ErrorClass.SESSION, r"invalid session|session .*timeout"),
    (ErrorClass.MASTER_DATA, r"inactiv|frozen|congelad|invalid bp|number is missing"),
    (ErrorClass.MASTER_DATA, r"no matching records|not found|no (se )?encontr"),
)
"""The ERP's own number is often the general -10 or -5002: then its words tell, in English or in Spanish."""


def classify(code: int | str | None, text: str) -> ErrorClass:
    """Say what kind of failure a refusal is.

    Args:
        code: The ERP's own code.
        text: The ERP's own text, in the language of the login.
    """
    if isinstance(code, int) and code in _BY_CODE and code != NO_MATCH_CODE:
        return _BY_CODE[code]
    for error_class, pattern in _BY_TEXT:
        if re.search(pattern, text, re.IGNORECASE):
            return error_class
    return ErrorClass.MASTER_DATA if code == NO_MATCH_CODE else ErrorClass.ERP


def passes(error_class: str | None) -> bool:
    """Tell whether a recorded class of failure lets the same document be posted again under the same key."""
    return error_class in _PASSING_WORDS
