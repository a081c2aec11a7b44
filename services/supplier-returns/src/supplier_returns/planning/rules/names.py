"""Find items and reasons by the text that users type."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.model.warehouse import StockItem

MAX_REASON: Final = 10
"""Length of the ERP field for a reason."""


class ReasonNames:
    """Finds a valid reason by its code or name, without regard to accents and letter case.

    If the ERP has no valid values, any text that fits its field is valid.

    Args:
        reasons: valid values. If two match a text, a code precedes a name, and then the first one wins.
    """

    def __init__(self, reasons: Sequence[Reason]) -> None:
        names = [(reason.code, reason.code) for reason in reasons]
        names += [(reason.name, reason.code) for reason in reasons]
        # The last entry wins in a dictionary, so the first match has to come last.
        self._codes = {_plain(text): code for text, code in reversed(names)}

    def find(self, text: str) -> str | None:
        """Return the code of the matching reason, or None if there is no match or the text does not fit."""
        if not self._codes:
            return text if len(text) <= MAX_REASON and text.isprintable() else None
        return self._codes.get(_plain(text))


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character)).strip()


class ItemNames:
    """Finds the ERP's spelling of item codes.

    Args:
        stock: items of the warehouse.
    """

    def __init__(self, stock: Iterable[StockItem]) -> None:
        self._by_code = {item.code: item for item in stock}
        self._folded: defaultdict[str, list[StockItem]] = defaultdict(list)
        self._unpadded: defaultdict[str, list[StockItem]] = defaultdict(list)
        for item in self._by_code.values():
            self._folded[item.code.casefold()].append(item)
            # Spreadsheets drop leading zeros when they read a code as a number.
            self._unpadded[_without_zeros(item.code)].append(item)

    def find(self, code: str) -> StockItem | None:
        """Return the item with this code. Letter case matters only if two codes differ by nothing else."""
        exact = self._by_code.get(code)
        return exact if exact is not None else _only(self._folded.get(code.casefold(), []))

    def suggest(self, code: str) -> str | None:
        """Return the one item code that differs from an unknown code only in leading zeros, if any."""
        item = _only(self._unpadded.get(_without_zeros(code), []))
        return None if item is None else item.code


def _without_zeros(code: str) -> str:
    return code.casefold().lstrip("0")


def _only(items: Sequence[StockItem]) -> StockItem | None:
    return items[0] if len(items) == 1 else None
