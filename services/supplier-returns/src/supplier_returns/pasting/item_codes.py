"""Check whether a cell can be an item code."""

import re

# Spreadsheets show a long code that they read as a number as `1,23E+12`.
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


DOUBTFUL_PROBLEMS = frozenset({"totals_row", "code_invalid", "code_damaged", "code_is_an_error"})
"""Problems of texts that may still be item codes: the ERP decides."""


def code_problem(code: str, max_length: int) -> tuple[str, str] | None:
    """Return the problem of an item code as a stable code and a Spanish text, or None if it is valid.

    The text has placeholders for ``{item}`` and ``{quantity}``. Only ``totals_row`` is not a mistake of the
    user: the row is a sum and is skipped.
    """
    tests = {
        "code_missing": not code,
        "totals_row": code.casefold().rstrip(" :") in _TOTALS,
        "code_too_long": len(code) > max_length,
        "code_invalid": not code.isprintable() or "\ufffd" in code,
        "code_damaged": _DAMAGED.fullmatch(code) is not None,
        "code_is_an_error": _SPREADSHEET_ERROR.fullmatch(code) is not None,
    }
    return next(
        ((code_of_problem, _TEXTS[code_of_problem]) for code_of_problem, applies in tests.items() if applies),
        None,
    )
