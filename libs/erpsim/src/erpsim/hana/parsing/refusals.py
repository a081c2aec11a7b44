"""Refusals with HANA's numbers and texts. Numbers: SAP HANA SQL reference, "SQL Error Codes"."""

from erpsim.hana.protocol.codes import HanaError


def not_simulated(what: str) -> HanaError:
    """Refuse a HANA feature that is not simulated, instead of approximating it."""
    return HanaError(7, f"feature not supported: erpsim does not simulate {what}")


def place(sql: str, at: int) -> str:
    """Format a position as HANA does: lines and columns count from one, positions from zero."""
    line = sql.count("\n", 0, at) + 1
    column = at - (sql.rfind("\n", 0, at) + 1) + 1
    return f"line {line} col {column} (at pos {at})"


def syntax_error(sql: str, at: int, near: str) -> HanaError:
    """Refusal of invalid SQL."""
    where = place(sql, at)
    what = f'incorrect syntax near "{near}": ' if near else ""
    return HanaError(257, f"sql syntax error: {what}{where}", sqlstate="HY000")
