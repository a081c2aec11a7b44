"""Warnings in the messages of documents, as codes.

The rules read the codes, and users read the sentences in `message`. Records of 0.1.0 have only sentences, and
an ERP with older definitions has no field for codes. `warnings_in` then finds the codes in the text.
"""

import re
from collections.abc import Iterable
from typing import Final

MAY_DUPLICATE: Final = "posible_duplicado"
"""A return of an omitted document appeared. This document may contain the same goods."""
PLAN_CHANGED: Final = "plan_cambiado"
"""The plan changed during a run. This document may contain goods that were already returned."""
OTHER_CONTENT: Final = "otro_contenido"
"""The plan changed during the run that created this return, so the recorded lines differ from it."""
REPEATED: Final = "rechazo_repetido"
"""The ERP refused the same lines twice for the same cause. They are not planned again automatically."""
_COPIES: Final = "copias="

ON_HOLD: Final = frozenset({MAY_DUPLICATE, PLAN_CHANGED})
"""A person has to compare the documents. Only an explicit execution sends one with such a warning."""

SENTENCES: Final = {
    MAY_DUPLICATE: (
        "Apareció en el ERP una devolución que se había omitido; sus artículos pueden estar también en esta. "
        "Compárelas antes de ejecutarla."
    ),
    PLAN_CHANGED: (
        "El plan cambió mientras se hacía una devolución; sus artículos pueden estar también en esta. "
        "Compárelas antes de ejecutarla."
    ),
    OTHER_CONTENT: "El plan cambió mientras se hacía esta devolución: compárela con lo planificado.",
    REPEATED: (
        "Las mismas líneas se rechazaron dos veces por la misma causa: ya no se planifican solas. "
        "Corrija la causa o cambie las líneas, y vuelva a planificar."
    ),
}

# Sentences in records without codes. Add sentences here, but never change one: old records contain it.
_STORED_SENTENCES: Final = {
    MAY_DUPLICATE: (
        "Apareció en el ERP una devolución que se había omitido; sus artículos pueden estar también en esta. "
        "Compárelas antes de ejecutarla."
    ),
    PLAN_CHANGED: (
        "El plan cambió mientras se hacía una devolución; sus artículos pueden estar también en esta. "
        "Compárelas antes de ejecutarla."
    ),
    OTHER_CONTENT: "El plan cambió mientras se hacía esta devolución: compárela con lo planificado.",
    REPEATED: (
        "Las mismas líneas se rechazaron dos veces por la misma causa: ya no se planifican solas. "
        "Corrija la causa o cambie las líneas, y vuelva a planificar."
    ),
}
_STORED_COPIES: Final = re.compile(
    r"El ERP tiene más devoluciones con la misma clave: (\d+(?:, \d+)*)\. Revíselas\."
)


def copies(numbers: Iterable[int]) -> str:
    """Return the code for further live returns under the same key, by their document numbers."""
    return _COPIES + ",".join(map(str, numbers))


def copies_sentence(numbers: Iterable[int]) -> str:
    """Return the sentence for `copies`."""
    return f"El ERP tiene más devoluciones con la misma clave: {', '.join(map(str, numbers))}. Revíselas."


def warnings_in(message: str | None) -> frozenset[str]:
    """Return the codes of the sentences in a message, also inside a longer text."""
    if not message:
        return frozenset()
    codes = {code for code, sentence in _STORED_SENTENCES.items() if sentence in message}
    codes |= {_COPIES + numbers.replace(" ", "") for numbers in _STORED_COPIES.findall(message)}
    return frozenset(codes)


def read_codes(text: str | None) -> frozenset[str]:
    """Decode the codes of a record."""
    return frozenset((text or "").split())


def write_codes(codes: Iterable[str]) -> str | None:
    """Encode the codes for a record, or return None without any."""
    return " ".join(sorted(codes)) or None
