"""What posting a return came to, and why the ERP refused it, as a class that says what helps."""

import enum
import re
from decimal import Decimal
from typing import Final

from attrs import frozen


@frozen(kw_only=True)
class Posted:
    """The ERP made the return.

    Attributes:
        total: The ERP's total without tax, in the document's currency; None where it gives none.
    """

    doc_entry: int
    doc_num: int
    folio: int | None = None
    total: Decimal | None = None


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

COMPANY_RULE_CODE: Final = -1116
"""The company's own check of a transaction refused it; a broken node of the ERP says the same."""

_BY_CODE: Final = {
    -4014: ErrorClass.BATCHES,
    -4013: ErrorClass.PERIOD,
    -4002: ErrorClass.SERIES,
    301: ErrorClass.SESSION,
}

_BY_NUMBER: Final = {
    480000112: ErrorClass.BATCHES,  # the batch or serial number selected in the row does not exist
    1470000341: ErrorClass.BATCHES,  # the item is not fully allocated to bin locations
    1470000368: ErrorClass.BATCHES,  # a quantity allocated to a bin location is not positive
    10001153: ErrorClass.STOCK,  # insufficient quantity for the item with the batch in the warehouse
    10000515: ErrorClass.MASTER_DATA,  # the warehouse is not one of the item's
}
"""Numbers of SAP's own messages, from public logs of integrations in English and Spanish."""


@frozen
class Cause:
    """How the ERP words one cause of a refusal, as patterns in English and in Spanish."""

    error_class: ErrorClass
    english: str
    spanish: str

    def is_in(self, text: str) -> bool:
        """Whether the text is about this cause, in either language."""
        return any(re.search(each, text, re.IGNORECASE) for each in (self.english, self.spanish))


CAUSES: Final = (
    Cause(ErrorClass.MASTER_DATA, r"inactive|frozen", r"inactiv[oa]|congelad[oa]"),
    Cause(
        ErrorClass.BATCHES,
        r"selection of batch|batch/serial|serial/batch",
        r"selecci[oó]n .*(lote|serie)|serie/lote|lote/serie",
    ),
    Cause(ErrorClass.BATCHES, r"bin location", r"ubicaci[oó]n"),
    Cause(ErrorClass.STOCK, r"negative inventory", r"inventario negativo"),
    Cause(ErrorClass.STOCK, r"insufficient quantity", r"cantidad insuf"),
    Cause(ErrorClass.BASE, r"base document", r"documentos? (de )?base"),
    Cause(ErrorClass.BASE, r"already (been )?closed", r"ya (se ha |est[aá] )?cerrado"),
    Cause(ErrorClass.BASE, r"open quantity", r"cantidad (abierta|pendiente)"),
    Cause(ErrorClass.SERIES, r"numbering series", r"series? de numeraci[oó]n"),
    Cause(ErrorClass.PERIOD, r"posting period", r"per[ií]odo (contable|de contabilizaci[oó]n)"),
    Cause(ErrorClass.PERIOD, r"permissible range", r"rango permi(tido|sible)"),
    Cause(ErrorClass.PERIOD, r"date deviates", r"fecha .*desv[ií]a"),
    Cause(ErrorClass.EXCHANGE_RATE, r"exchange rate", r"tipo de cambio"),
    Cause(ErrorClass.SESSION, r"invalid session", r"sesi[oó]n (no v[aá]lida|inv[aá]lida)"),
    Cause(ErrorClass.SESSION, r"session .*time ?out", r"sesi[oó]n .*(expir|caduc|tiempo)"),
    Cause(ErrorClass.MASTER_DATA, r"invalid bp", r"(socio de negocios|\bSN) (no v[aá]lido|inv[aá]lido)"),
    Cause(ErrorClass.MASTER_DATA, r"number is missing", r"falta .*n[uú]mero"),
    Cause(
        ErrorClass.MASTER_DATA,
        r"no matching records|not found",
        r"no (existen|hay) registros coincidentes|no (se )?(ha |han )?encontr",
    ),
)
"""The ERP's code is often the general -10 or -5002: then the words of its text tell the cause."""

_PREFIX: Final = r"\s*(?:\[[^\]]*\]\s*)*"
"""The place that a text may begin with, such as `[RPD1.ItemCode][line: 1]`."""
_COMPANY_RULE: Final = re.compile(_PREFIX + r"\(\s*-?[0-9]+\s*\)")
_NUMBER: Final = re.compile(
    _PREFIX + r"(?:(?:error|mensaje|message)\b[\s:]*)?(?:-[0-9]+\s+-\s+)?([0-9]{5,10})\b", re.IGNORECASE
)


def classify(code: int | str | None, text: str) -> ErrorClass:
    """Return the class of a refusal.

    Rules of the company come first: their texts name what SAP's own messages name, and only a person's hand
    helps. SAP's message number comes before the words, which an unknown number leaves to decide.

    Args:
        code: The ERP's own code.
        text: The ERP's own text, in the language of the login.
    """
    if code == COMPANY_RULE_CODE or _COMPANY_RULE.match(text):
        return ErrorClass.ERP
    number = _NUMBER.match(text)
    if number is not None and int(number[1]) in _BY_NUMBER:
        return _BY_NUMBER[int(number[1])]
    if isinstance(code, int) and code in _BY_CODE:
        return _BY_CODE[code]
    for cause in CAUSES:
        if cause.is_in(text):
            return cause.error_class
    return ErrorClass.MASTER_DATA if code == NO_MATCH_CODE else ErrorClass.ERP


def passes(error_class: str | None) -> bool:
    """Tell whether a recorded class of failure lets the same document be posted again under the same key."""
    return error_class in _PASSING_WORDS
