"""Translates the error codes of SAP HANA and its driver."""

from collections.abc import Mapping
from typing import Final

from erp_gateway.queries.errors import (
    DatabaseBusy,
    DatabaseConnectionLost,
    DatabaseConnectTimeout,
    DatabaseFailed,
    DatabaseLoginFailed,
    DatabaseTimeout,
    DatabaseUnreachable,
    UnknownColumn,
    UnknownTable,
)
from servicekit.errors import FieldProblem, InvalidBody, ServiceError

_NOT_CONNECTED: Final = -10709
_CONNECTION: Final = frozenset({_NOT_CONNECTED, -10719, -10807, -10821, -10500, -10905})
_CONVERSIONS: Final = range(-10499, -10399)
# Code for a number with more digits than the driver's decimal format for that parameter.
_OVERFLOW: Final = -10811

_LOGIN: Final = frozenset({10, 414, 416, 591, 663})
_BUSY: Final = frozenset({4, 129, 131, 133, 138, 143, 145, 146, 1888, -10735})
_TIMEOUT: Final = 613
_UNKNOWN: Final[Mapping[int, type[DatabaseFailed]]] = {259: UnknownTable, 260: UnknownColumn}


def refusal_of(code: int, text: str, *, is_connected: bool = False) -> ServiceError:
    """Map a driver error to a service error.

    Args:
        code: the driver's `errorcode`.
        text: its `errortext`; only examined, because it contains hosts and ports.
        is_connected: whether the login was over by then.
    """
    is_late = is_connected and code != _NOT_CONNECTED
    if code == _TIMEOUT or (code in _CONNECTION and "timeout" in text):
        return DatabaseTimeout() if is_late else DatabaseConnectTimeout()
    if code in _LOGIN:
        return DatabaseLoginFailed()
    if code in _BUSY:
        return DatabaseBusy()
    if code in _CONNECTION:
        return DatabaseConnectionLost() if is_late else DatabaseUnreachable()
    return _UNKNOWN.get(code, DatabaseFailed)()


def is_conversion_fault(code: int) -> bool:
    """Return whether the driver could not convert a value to the declared type of its parameter."""
    return code in _CONVERSIONS or code == _OVERFLOW


def unfit_values() -> InvalidBody:
    """Return the error for a value that can't be converted to the type of its parameter."""
    return InvalidBody(
        errors=[FieldProblem("params", "Un valor no corresponde al tipo de la columna con que se compara.")]
    )
