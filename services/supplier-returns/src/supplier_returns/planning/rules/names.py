"""What the ERP calls the items and reasons that people type."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.model.warehouse import StockItem

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


class ItemNames:
    """Finds the ERP's own spelling of item codes.

    Args:
        stock: What the warehouse knows.
    """

    def __init__(self, stock: Iterable[StockItem]) -> None:
        self._by_code = {item.code: item for item in stock}
        self._folded: defaultdict[str, list[StockItem]] = defaultdict(list)
        self._unpadded: defaultdict[str, list[StockItem]] = defaultdict(list)
        for item in self._by_code.values():
            self._folded[item.code.casefold()].append(item)
            self._unpadded[_without_zeros(item.code)].append(item)

    def find(self, code: str) -> StockItem | None:
        """Return the item of this code; letter case matters only where it has to tell two items apart."""
        exact = self._by_code.get(code)
        return exact if exact is not None else _only(self._folded.get(code.casefold(), []))

    def suggest(self, code: str) -> str | None:
        """Return the one code that differs from an unknown one in leading zeros only."""
        found = _only(self._unpadded.get(_without_zeros(code), []))
        return None if found is None else found.code


def _without_zeros(code: str) -> str:
    return code.casefold().lstrip("0")


def _only(found: Sequence[StockItem]) -> StockItem | None:
    return found[0] if len(found) == 1 else None
