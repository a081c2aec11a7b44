"""Menu routes of the frontend: exact ones, no patterns."""

import re
from typing import Final

_ROUTE: Final = re.compile(r"(/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)+")
_MAX_LENGTH: Final = 500


def is_menu_route(text: str) -> bool:
    """Tell whether the text is one exact route such as `/ventas/pedidos`: no `*`, `//` or dot segments."""
    return len(text) <= _MAX_LENGTH and _ROUTE.fullmatch(text) is not None
