"""Warnings that a document's message carries, as codes.

The rules read the codes. People read the sentences in `message`. Records of 0.1.0 have only sentences, and an
ERP whose definitions are older has no field for codes: `warnings_in` then finds the codes in the text.
"""

import re
from collections.abc import Iterable
from typing import Final

MAY_DUPLICATE: Final = "posible_duplicado"
"""A return appeared whose document was omitted; the goods may be in this document too."""
PLAN_CHANGED: Final = "plan_cambiado"
"""The plan changed during a run; goods that were returned may be in this document too."""
OTHER_CONTENT: Final = "otro_contenido"
"""The plan changed during the run that made this return; the record shows other lines than were sent."""
REPEATED: Final = "rechazo_repetido"
"""The ERP refused the same lines twice for the same cause; they are not planned again automatically."""
_COPIES: Final = "copias="

ON_HOLD: Final = frozenset({MAY_DUPLICATE, PLAN_CHANGED})
"""A person compares the documents first. Only an explicit execution sends one with such a warning."""

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

# Sentences in records without codes. Add sentences here, and never change one.
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
    """Find the codes of the sentences in a message, also inside a longer text."""
    if not message:
        return frozenset()
    known = {code for code, sentence in _STORED_SENTENCES.items() if sentence in message}
    known |= {_COPIES + found.replace(" ", "") for found in _STORED_COPIES.findall(message)}
    return frozenset(known)


def read_codes(text: str | None) -> frozenset[str]:
    """Read the codes of a record."""
    return frozenset((text or "").split())


def write_codes(codes: Iterable[str]) -> str | None:
    """Write the codes for a record, None without any."""
    return " ".join(sorted(codes)) or None
