"""Outcomes of posting a return, and the classes of failures."""

import enum
import re
from decimal import Decimal
from typing import Final

from attrs import frozen


@frozen(kw_only=True)
class Posted:
    """The ERP created the return.

    Attributes:
        total: total without tax in the document's currency, if the ERP returns it.
    """

    doc_entry: int
    doc_num: int
    folio: int | None = None
    total: Decimal | None = None


@frozen(kw_only=True)
class Refused:
    """The ERP rejected the post and created nothing.

    Attributes:
        code: error code of the ERP.
        text: error text of the ERP.
    """

    code: int | str | None
    text: str


@frozen
class NotSent:
    """The request was not sent. The reason is a Spanish text for users."""

    reason: str


@frozen
class Unknown:
    """The post was sent without a readable reply. The return may exist or may still be created."""


PostOutcome = Posted | Refused | NotSent | Unknown


class ErrorClass(enum.Enum):
    """Class of a failure. Its value is used in the API and in the record.

    The first five classes are retryable: the cause goes away by itself or a person removes it. The service
    then posts the same document again under the same key. The others need a new plan.
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


RETRYABLE: Final = frozenset(
    {
        ErrorClass.PERIOD,
        ErrorClass.SERIES,
        ErrorClass.SESSION,
        ErrorClass.EXCHANGE_RATE,
        ErrorClass.ERP,
    }
)
"""Classes after which the same document can be posted again."""

_RETRYABLE_VALUES: Final = frozenset(each.value for each in RETRYABLE)

NO_MATCH_CODE: Final = -2028
"""Something in the body does not exist, or the ERP stored a draft (seen on Service Layer 1000321)."""

DUPLICATE_CODE: Final = -2035
"""A row with this primary key already exists."""

COMPANY_RULE_CODE: Final = -1116
"""A rule of the company rejected the transaction. A broken node of the Service Layer uses the same code."""

# Codes with only one meaning. -10 and -5002 have many, so their texts decide.
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
"""Numbers of SAP's messages, from public logs of integrations in English and Spanish."""


@frozen
class Cause:
    """Wording of one cause of a refusal, as patterns in English and Spanish."""

    error_class: ErrorClass
    english: str
    spanish: str

    def is_in(self, text: str) -> bool:
        """Return whether the text mentions this cause in either language."""
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
"""Patterns in order of precedence. Many refusals have the general code -10 or -5002, so the text decides."""

_PREFIX: Final = r"\s*(?:\[[^\]]*\]\s*)*"
"""Position that may precede a text, such as `[RPD1.ItemCode][line: 1]`."""
# The stored procedure `SBO_SP_TransactionNotification` puts its own number in parentheses before its text.
_COMPANY_RULE: Final = re.compile(_PREFIX + r"\(\s*-?[0-9]+\s*\)")
_NUMBER: Final = re.compile(
    _PREFIX + r"(?:(?:error|mensaje|message)\b[\s:]*)?(?:-[0-9]+\s+-\s+)?([0-9]{5,10})\b", re.IGNORECASE
)


def classify(code: int | str | None, text: str) -> ErrorClass:
    """Return the class of a refusal.

    A company rule comes first: its text may contain the same words as an SAP message, but only a person can
    resolve it. Then the message number decides, then the code, then the words of the text.

    Args:
        code: error code of the ERP.
        text: error text of the ERP, in the language of the session.
    """
    if code == COMPANY_RULE_CODE or _COMPANY_RULE.match(text):
        return ErrorClass.ERP
    # SAP's message number does not depend on the language, so it is safer than words.
    number = _NUMBER.match(text)
    if number is not None and int(number[1]) in _BY_NUMBER:
        return _BY_NUMBER[int(number[1])]
    if isinstance(code, int) and code in _BY_CODE:
        return _BY_CODE[code]
    for cause in CAUSES:
        if cause.is_in(text):
            return cause.error_class
    # After a lookup found no draft, -2028 means that something in the body does not exist.
    return ErrorClass.MASTER_DATA if code == NO_MATCH_CODE else ErrorClass.ERP


def is_retryable(error_class: str | None) -> bool:
    """Return whether a document with this recorded class can be posted again under the same key."""
    return error_class in _RETRYABLE_VALUES
