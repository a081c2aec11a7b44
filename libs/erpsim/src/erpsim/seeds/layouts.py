"""The company's print layouts as rows of `RDOC`."""

from __future__ import annotations

from typing import Final

from erpsim.business.layout_catalogue import LAYOUTS
from erpsim.business.layouts import Category, Paper
from erpsim.company.exchange import Fields

_MEMBERS: Final = {Category.CRYSTAL: "rlcCrystal", Category.PLD: "rlcPLD"}
_POINTS: Final = {Paper.A4: (595, 842), Paper.LETTER: (612, 792)}


def layout_rows() -> list[Fields]:
    """Return a row for each layout; `Status` is `A` for an active one (a client of the database reads it)."""
    return [
        {
            "LayoutCode": layout.code,
            "Name": layout.name,
            "Author": "manager",
            "TypeCode": layout.type_code,
            "Category": _MEMBERS[layout.category],
            "Status": "A" if layout.active else "I",
            "PaperSize": layout.paper.value,
            "Width": _POINTS[layout.paper][0],
            "Height": _POINTS[layout.paper][1],
        }
        for layout in LAYOUTS
    ]
