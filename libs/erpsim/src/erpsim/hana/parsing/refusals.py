"""Refusals in HANA's numbers and words. Numbers: SAP HANA SQL reference, "SQL Error Codes"."""

from erpsim.hana.protocol.codes import HanaError


def not_simulated(what: str) -> HanaError:
    """Refuse what a real HANA does or may do, and the simulator does not; never answer something like it."""
    return HanaError(7, f"feature not supported: erpsim does not simulate {what}")


def place(sql: str, at: int) -> str:
    """Return how HANA tells where a fault stands: lines and columns count from one, positions from nought."""
    line = sql.count("\n", 0, at) + 1
    column = at - (sql.rfind("\n", 0, at) + 1) + 1
    return f"line {line} col {column} (at pos {at})"


def syntax_error(sql: str, at: int, near: str) -> HanaError:
    """Refuse a text that is no statement of HANA's."""
    where = place(sql, at)
    what = f'incorrect syntax near "{near}": ' if near else ""
    return HanaError(257, f"sql syntax error: {what}{where}", sqlstate="HY000")
