"""Cells of an exported list: values of the ERP as a file shows them."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final

from erp_gateway.records.proxy.declarations.columns import Column
from erp_gateway.values.measures import Decimals

_DAY_OR_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?")


def cell_of(column: Column, row: Mapping[str, Any], decimals: Decimals) -> object:
    """Return the cell of a column: a choice by its title, a date as a date, an amount with its decimals."""
    value, measure = row.get(column.name), column.measure
    if measure is not None and measure.kind == "amount":
        return decimals.written(value, measure.by and str(row.get(measure.by) or ""))
    if not isinstance(value, str):
        return value
    if column.choices:
        titles: Mapping[str, str] = {choice.value: choice.title for choice in column.choices}
        return titles.get(value, value)
    return parse_day_or_moment(value) if column.type == "date" else value


def parse_day_or_moment(text: str) -> object:
    """Return the date or the moment without a zone that the ERP wrote; any other text as it is.

    The ERP's moments have no zone, although it writes a `Z` after them. Other forms of ISO 8601 stay texts:
    `20240115` may be the number of a lot.
    """
    form = _DAY_OR_MOMENT.fullmatch(text)
    if form is None:
        return text
    try:
        if form[1] is None:
            return date.fromisoformat(text)
        return datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        return text
