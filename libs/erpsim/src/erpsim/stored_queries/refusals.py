"""Refusals of the analyser and the runner of stored queries, in their own words."""

from __future__ import annotations

from erpsim.company.errors import SlError
from erpsim.stored_queries.tokens import Token


def bad_syntax(sql: str, token: Token, reason: str) -> SlError:
    """Refusal of a text that does not parse, with position (lines from 1, characters from 0) and reason."""
    place = f"line {token.line}, character position {token.column}"
    return SlError(400, 701, f"Invalid SQL syntax:{sql}, {place}, {reason}")


def incorrect_near(sql: str, token: Token) -> SlError:
    """An unexpected token."""
    return bad_syntax(sql, token, f"Incorrect syntax near '{token.text or '<EOF>'}'.")


def no_select(token: Token) -> SlError:
    """Refusal of a text that is not a query. It does not repeat the text."""
    return bad_syntax("", token, f"mismatched input '{token.text or '<EOF>'}' expecting {{SELECT, '('}}")


def table_refused(name: str) -> SlError:
    """A table that is not on the list."""
    return SlError(400, 702, f"Table '{name}' not accessible")


def column_refused(column: str, table: str) -> SlError:
    """Refusal of an excluded column. The same refusal is assumed for a column that the table does not
    have.
    """
    return SlError(400, 703, f"Column '{column}' from table '{table}' not accessible")


def parameter_error() -> SlError:
    """A parameter that is missing, unknown or badly written."""
    return SlError(400, 704, "Parameter error.")
