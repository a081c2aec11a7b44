"""Tells whether a pasted cell can be an item code. Codes are text: never converted, never normalised."""

import re

_DAMAGED = re.compile(r"[+-]?[0-9][.,][0-9]+[eE][+-]?[0-9]+")
_SPREADSHEET_ERROR = re.compile(
    r"#(?:N/[AD]|[¡!]?[A-ZÁÉÍÓÚÑ0-9/]+[?!])|VERDADERO|FALSO|TRUE|FALSE", re.IGNORECASE
)
_TOTALS = frozenset({"total", "totales", "subtotal", "sub total", "suma", "total general", "grand total"})

_TEXTS = {
    "code_missing": "Falta el código del artículo.",
    "totals_row": "Parece una fila de totales; no se leyó.",
    "code_too_long": "El código es más largo que los del ERP.",
    "code_invalid": "El código tiene caracteres invisibles o ilegibles; vuelva a escribirlo.",
    "code_damaged": "La planilla cambió el código a notación científica; dele formato de texto a la columna.",
    "code_is_an_error": "La celda tiene un error o un valor lógico, no un código.",
}


DOUBTS = frozenset({"totals_row", "code_invalid", "code_damaged", "code_is_an_error"})
"""Faults of what looks like something else than a code, and is one where the ERP has an item of that name."""


def fault_of(code: str, max_length: int) -> tuple[str, str] | None:
    """Return why ``code`` is no item code, as a stable word and a Spanish sentence; None if it may be one.

    ``totals_row`` is the one fault that is no mistake of the person: the row is a sum and is left out.
    """
    word = _fault_word(code, max_length)
    return None if word is None else (word, _TEXTS[word])


def _fault_word(code: str, max_length: int) -> str | None:
    tests = {
        "code_missing": not code,
        "totals_row": code.casefold().rstrip(" :") in _TOTALS,
        "code_too_long": len(code) > max_length,
        "code_invalid": not code.isprintable() or "\ufffd" in code,
        "code_damaged": _DAMAGED.fullmatch(code) is not None,
        "code_is_an_error": _SPREADSHEET_ERROR.fullmatch(code) is not None,
    }
    return next((word for word, is_so in tests.items() if is_so), None)
