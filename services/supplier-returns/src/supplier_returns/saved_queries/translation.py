"""What a refusal of the query analyser means, said beside the ERP's own words."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from erpclient import ErpRefused
from servicekit.errors import ServiceError
from supplier_returns.saved_queries.definitions import StoredQuery
from supplier_returns.saved_queries.errors import StoredQueryRejected
from supplier_returns.web.error_map import lacking_right, upstream_of

RUN_RIGHT: Final = "Service Layer SQL Query"
MODIFY_RIGHT: Final = "Modify SQL Queries in Service Layer"

_NO_RIGHT: Final = -6006
_MEANINGS: Final = {
    701: "usa una función o una expresión que el Service Layer no permite",
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
        answer = find_meaning(query, error, right=right)
        if answer is None:
            raise
        raise answer from error


def is_forbidden(error: ErpRefused) -> bool:
    """Tell whether the user lacks an authorisation."""
    return error.status == HTTPStatus.FORBIDDEN or error.code == _NO_RIGHT


def find_meaning(query: StoredQuery, error: ErpRefused, *, right: str) -> ServiceError | None:
    """Return what a refusal means; None where it is about something else."""
    if is_forbidden(error):
        return lacking_right(error, task=f"la consulta «{query.code}»", right=right)
    upstream = upstream_of(error)
    meaning = _MEANINGS.get(error.code) if isinstance(error.code, int) else None
    if meaning is None:
        return None
    said = "" if upstream is None else f" El ERP dice: {upstream.message}"
    return StoredQueryRejected(f"La consulta guardada «{query.code}» {meaning}.{said}", upstream=upstream)
