"""What SAP HANA's error numbers mean for a client.

The driver's own numbers are negative, the server's positive. Most of them, connection faults and login
failures included, come as the driver's plain `Error`, so that only the number tells them apart (seen with
hdbcli 2.30.27; the retryable server codes are those of SAP's own SQLAlchemy dialect).
"""

from typing import Final

from erp_gateway.erpdb.refusals import (
    DatabaseBusy,
    DatabaseFailed,
    DatabaseLoginFailed,
    DatabaseTimeout,
    DatabaseUnreachable,
    UnknownColumn,
)
from servicekit.errors import FieldProblem, InvalidBody, ServiceError

_NOT_CONNECTED: Final = -10709
_CONNECTION: Final = frozenset({_NOT_CONNECTED, -10719, -10807, -10821, -10500, -10905})
_CONVERSIONS: Final = range(-10499, -10399)
_OVERFLOW: Final = -10811
"""Of a number with more digits than the form has in which the driver sends decimals to its place."""

_LOGIN: Final = frozenset({10, 414, 416, 591, 663})
_BUSY: Final = frozenset({4, 129, 131, 133, 138, 143, 145, 146, 1888, -10735})
_TIMEOUT: Final = 613
_COLUMN: Final = 260

_NOT_RUN: Final = (
    "La base de datos del ERP no respondió a tiempo al conectar, y la consulta no se ejecutó. "
    "Inténtelo de nuevo en unos momentos."
)


def refusal_of(code: int, text: str) -> ServiceError:
    """Return what to answer.

    Args:
        code: the driver's `errorcode`.
        text: its `errortext`; holds hosts and ports and is only looked into.
    """
    if code == _TIMEOUT or (code in _CONNECTION and "timeout" in text):
        return DatabaseTimeout(_NOT_RUN if code == _NOT_CONNECTED else None)
    if code in _LOGIN:
        return DatabaseLoginFailed()
    if code in _BUSY:
        return DatabaseBusy()
    if code == _COLUMN:
        return UnknownColumn()
    return DatabaseUnreachable() if code in _CONNECTION else DatabaseFailed()


def is_conversion_fault(code: int) -> bool:
    """Tell whether the driver could not turn a value into the type that the server declares for its place."""
    return code in _CONVERSIONS or code == _OVERFLOW


def unfit_values() -> InvalidBody:
    """Return what to answer when a bound value can't be turned into its place's type."""
    return InvalidBody(
        errors=[FieldProblem("params", "Un valor no corresponde al tipo de la columna con que se compara.")]
    )
