# ruff: noqa: N818 - named like the other refusals of values
"""Parameters of stored queries (``SQLQueries``), no I/O."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

QueryValue = str | int | Decimal
"""Value of a parameter: text (also a date) or a number."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNSAFE: Final = re.compile(r"['&\x00-\x1f\x7f]")


class InvalidQueryValue(ValueError):
    """A text that can't be a parameter of a stored query: it contains a quote, ``&`` or a control character.

    Their escaping is not documented, and a wrong guess could change the query.
    """


def query_parameters(values: Mapping[str, QueryValue]) -> str:
    """Write parameters: text in single quotes, numbers bare, joined by ``&`` (SAP manual 1.29).

    Raises:
        InvalidQueryValue: a text with a quote, ``&`` or a control character.
        ValueError: a name that no parameter can have.
    """
    return "&".join(f"{_checked(name)}={_written(value)}" for name, value in values.items())


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"no name of a parameter: {name!r}")
    return name


def _written(value: QueryValue) -> str:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, int):
        return str(value)
    if _UNSAFE.search(value):
        raise InvalidQueryValue("a text with a quote, an ampersand or a control character")
    return f"'{value}'"
