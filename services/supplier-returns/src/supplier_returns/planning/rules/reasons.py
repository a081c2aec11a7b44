"""Finds the valid value that a person means by a reason typed into a spreadsheet."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from supplier_returns.planning.rules.model import Reason

MAX_REASON: Final = 10
"""Characters that the ERP's field for a reason holds."""


class ReasonNames:
    """Finds the valid value that has this code or name, compared without accents and letter case.

    Where the ERP knows no valid values any text that fits its field will do.

    Args:
        reasons: The valid values; of two that are called the same the first is meant, a code before a name.
    """

    def __init__(self, reasons: Sequence[Reason]) -> None:
        called = [(reason.code, reason.code) for reason in reasons]
        called += [(reason.name, reason.code) for reason in reasons]
        self._codes = {_plain(text): code for text, code in reversed(called)}

    def find(self, text: str) -> str | None:
        """Return the code of the reason that a text means; None where it is none of them, or does not fit."""
        if not self._codes:
            return text if len(text) <= MAX_REASON and text.isprintable() else None
        return self._codes.get(_plain(text))


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character)).strip()
