"""What a refusal of the query analyser means, said beside the ERP's own words."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from erpclient import ErpRefused
from supplier_returns.saved_queries.definitions import StoredQuery
from supplier_returns.saved_queries.errors import StoredQueryRejected
from supplier_returns.web.error_map import lacking_right, upstream_of

RUN_RIGHT: Final = "Service Layer SQL Query"
MODIFY_RIGHT: Final = "Modify SQL Queries in Service Layer"

_NO_RIGHT: Final = -6006
_FUNCTION: Final = "usa una función o una expresión que el Service Layer no permite"
_FUNCTION_REFUSED: Final = re.compile("cannot support this function", re.IGNORECASE)
"""What the analyser says of a function; its code for that differs between builds."""
_MEANINGS: Final = {
    701: _FUNCTION,
    702: "usa una tabla que no está en la lista de tablas permitidas del Service Layer (b1s_sqltable.conf)",
    703: "usa una columna que el Service Layer no permite",
    704: "recibió un parámetro que el Service Layer no acepta",
}
"""What the analyser's codes mean (SAP manual 1.29, query errors)."""


@contextmanager
def explained(query: StoredQuery, *, right: str) -> Iterator[None]:
    """Translate what the ERP says against a stored query; any other error passes.

    Args:
        query: the query that is saved or run.
        right: the authorisation that this needs.

    Raises:
        ErpForbidden: the user lacks the authorisation, which is named.
        StoredQueryRejected: the analyser refused the text or a parameter.
    """
    try:
        yield
    except ErpRefused as error:
        if is_forbidden(error):
            raise lacking_right(error, task=f"la consulta «{query.code}»", right=right) from error
        if _meaning_of(error) is None:
            raise
        raise _rejected(query, error) from error


def is_forbidden(error: ErpRefused) -> bool:
    """Tell whether the user lacks an authorisation."""
    return error.status == HTTPStatus.FORBIDDEN or error.code == _NO_RIGHT


def _meaning_of(error: ErpRefused) -> str | None:
    """Return what a refusal means, the end of a Spanish sentence; None where it is about something else."""
    if _FUNCTION_REFUSED.search(error.text):
        return _FUNCTION
    return _MEANINGS.get(error.code) if isinstance(error.code, int) else None


def _rejected(query: StoredQuery, error: ErpRefused) -> StoredQueryRejected:
    upstream = upstream_of(error)
    said = "" if upstream is None else f" El ERP dice: {upstream.message}"
    return StoredQueryRejected(
        f"La consulta guardada «{query.code}» {_meaning_of(error)}.{said}", upstream=upstream
    )
