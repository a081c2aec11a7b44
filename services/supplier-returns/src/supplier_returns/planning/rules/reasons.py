"""Finds the valid value that a person means by a reason typed into a spreadsheet."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from supplier_returns.planning.rules.model import Reason

MAX_REASON: Final = 10
"""Characters that the ERP's field for a reason holds."""


def find_reason(text: str, reasons: Sequence[Reason]) -> str | None:
    """Return the code of the reason that has this code or name, compared without accents and letter case.

    Where the ERP knows no valid values any text that fits its field will do.

    Args:
        text: As typed.
        reasons: The valid values.

    Returns:
        None for a text that is none of them, or does not fit.
    """
    if not reasons:
        return text if len(text) <= MAX_REASON and text.isprintable() else None
    wanted = _plain(text)
    by_code = [reason.code for reason in reasons if _plain(reason.code) == wanted]
    by_name = [reason.code for reason in reasons if _plain(reason.name) == wanted]
    return next(iter([*by_code, *by_name]), None)


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character)).strip()
