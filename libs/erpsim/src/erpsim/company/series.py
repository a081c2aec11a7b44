"""Numbering series of documents, and the service actions on them."""

from __future__ import annotations

from erpsim.company.company import Company
from erpsim.company.errors import no_match, refused
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.values import as_int

TABLE = "$Series"
DEFAULT_MARK = "$default"
_NO_SUB_TYPE = "--"


def take_number(company: Company, object_code: int | str, series: Value) -> tuple[int, int]:
    """Take the next number of a series (the object's default one when None is named).

    Returns:
        the series and the number.

    Raises:
        SlError: -2028 for an unknown series or one of another object, -10 where the object has none or the
            series is locked or at its end.
    """
    row = _find(company, str(object_code), series)
    number, last = row.get("NextNumber"), row.get("LastNumber")
    if (
        not isinstance(number, int)
        or (isinstance(last, int) and number > last)
        or row.get("Locked") == "tYES"
    ):
        raise _undefined()
    identity = row["Series"]
    company.database.put(TABLE, (as_int(identity),), {**row, "NextNumber": number + 1})
    return as_int(identity), number


def default_series(company: Company, object_code: str, sub_type: str = _NO_SUB_TYPE) -> Fields | None:
    """Return the default series of an object (`SeriesService_GetDefaultSeries`)."""
    candidates = document_series(company, object_code, sub_type)
    return next((row for row in candidates if row.get(DEFAULT_MARK)), candidates[0] if candidates else None)


def document_series(company: Company, object_code: str, sub_type: str = _NO_SUB_TYPE) -> list[Fields]:
    """Return the series of an object (`SeriesService_GetDocumentSeries`); the object of a UDO is its code."""
    return [
        row
        for row in company.rows(TABLE)
        if row.get("Document") == object_code and row.get("DocumentSubType", _NO_SUB_TYPE) == sub_type
    ]


def series_by_number(company: Company, series: Value) -> Fields:
    """Return one series.

    Raises:
        SlError: -2028.
    """
    return company.referred(TABLE, series)


def change_series(company: Company, changes: Fields) -> None:
    """Lock a series, or change its limits (`SeriesService_UpdateSeries`). Its object stays.

    Raises:
        SlError: -2028.
    """
    row = series_by_number(company, changes.get("Series"))
    changed = {name: value for name, value in changes.items() if name not in {"Document", "DocumentSubType"}}
    company.database.put(TABLE, (as_int(row["Series"]),), {**row, **changed})


def _find(company: Company, object_code: str, series: Value) -> Fields:
    if series is None:
        default = default_series(company, object_code)
        if default is None:
            raise _undefined()
        return default
    row = company.referred(TABLE, series)
    if row.get("Document") != object_code:
        raise no_match()
    return row


def _undefined() -> Exception:
    return refused(
        "To generate this document, first define the numbering series in the Administration module"
    )
