"""Judges whether a cell may be an item code."""

import re

_DAMAGED = re.compile(r"[+-]?[0-9][.,][0-9]+[eE][+-]?[0-9]+")
_SPREADSHEET_ERROR = re.compile(
    r"#(?:N/[AD]|[¡!]?[A-ZÁÉÍÓÚÑ0-9/]+[?!])|VERDADERO|FALSO|TRUE|FALSE", re.IGNORECASE
)
_TOTALS = frozenset({"total", "totales", "subtotal", "sub total", "suma", "total general", "grand total"})

_TEXTS = {
    "code_missing": "Falta el código del artículo de la cantidad «{quantity}».",
    "totals_row": "«{item}» parece una fila de totales; no se leyó.",
    "code_too_long": "El código «{item}» es más largo que los del ERP.",
    "code_invalid": "El código «{item}» tiene caracteres invisibles o ilegibles; vuelva a escribirlo.",
    "code_damaged": (
        "La planilla cambió el código «{item}» a notación científica; dele formato de texto a la columna."
    ),
    "code_is_an_error": "«{item}» es un error o un valor lógico de la planilla, no un código.",
}


DOUBTS = frozenset({"totals_row", "code_invalid", "code_damaged", "code_is_an_error"})
"""Faults of what looks like something else than a code, and is one where the ERP has an item of that name."""


def fault_of(code: str, max_length: int) -> tuple[str, str] | None:
    """Return why ``code`` is no item code, as a stable word and a Spanish text; None if it may be one.

    The text has places for ``{item}`` and ``{quantity}``.

    ``totals_row`` is the one fault that is no mistake of the person: the row is a sum and is left out.
    """
    tests = {
        "code_missing": not code,
        "totals_row": code.casefold().rstrip(" :") in _TOTALS,
        "code_too_long": len(code) > max_length,
        "code_invalid": not code.isprintable() or "\ufffd" in code,
        "code_damaged": _DAMAGED.fullmatch(code) is not None,
        "code_is_an_error": _SPREADSHEET_ERROR.fullmatch(code) is not None,
    }
    return next(((word, _TEXTS[word]) for word, is_so in tests.items() if is_so), None)
