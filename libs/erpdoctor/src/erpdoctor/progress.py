"""The line that tells what is being looked at."""

from typing import TextIO

from erpdoctor.checks import Check

_CLEAR = "\r\x1b[K"


class ProgressLine:
    """Tells each check as it begins: one line rewritten on a terminal, else a line each.

    Args:
        out: where to write it; not where the table or the JSON goes.
        total: how many checks there are.
    """

    def __init__(self, out: TextIO, total: int) -> None:
        self._out = out
        self._total = total
        self._rewrites = out.isatty()

    def begun(self, at: int, check: Check) -> None:
        """Tell that a check begins; as `run_checks` calls it."""
        line = f"[{at + 1}/{self._total}] {check.name} · {check.looked_at}"
        self._out.write(f"{_CLEAR}{line}" if self._rewrites else f"{line}\n")
        self._out.flush()

    def end(self) -> None:
        """Take the line away."""
        if self._rewrites:
            self._out.write(_CLEAR)
            self._out.flush()
