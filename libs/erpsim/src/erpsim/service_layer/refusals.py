"""Refusals of the HTTP side in the Service Layer's words."""

from __future__ import annotations

from erpsim.company.errors import SlError

SPANISH_LANGUAGES = frozenset({23, 25})
"""`Language` numbers of Spanish and of Spanish for Latin America (enum `BoSuppLangs` of the v1 metadata)."""

_SPANISH_TEXTS = {
    # Seen on a Spanish installation; the only translated text that is known.
    "No matching records found (ODBC -2028)": "No existen registros coincidentes (ODBC -2028)",
}


def invalid_session() -> SlError:
    """Refusal of a missing, unknown or expired session (SAP manuals 1.22 and 1.29, 3.1)."""
    return SlError(401, 301, "Invalid session or session already timeout.")


def transaction_failed() -> SlError:
    """Make the refusal that repeated `Content-ID`s and writes without a route meet (field reports)."""
    return SlError(400, -1116, "Could not commit transaction: Error -1 detected during transaction")


def incomplete_batch() -> SlError:
    """Refusal of a batch with an invalid envelope (SAP manual 1.22, section 3.10.6)."""
    return SlError(400, -1000, "Incomplete Batch Request Body!")


def content_id_missing() -> SlError:
    """Refusal of a v2 change set with a request without `Content-ID` (seen by B1SLayer users)."""
    return SlError(400, 244, "Content ID should be specified in each change set request.")


def text_in_language(text: str, language: int | None) -> str:
    """Return a refusal's text in the session's language, or in English if no translation is known."""
    if language in SPANISH_LANGUAGES:
        return _SPANISH_TEXTS.get(text, text)
    return text
