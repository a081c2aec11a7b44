"""What went wrong with a tax document, in words for the person who wants it."""

from collections.abc import Mapping
from typing import Final

TOO_LARGE: Final = "too_large_together"
"""Of a document that no longer fits into one file beside the others."""

_WORDS: Final[Mapping[str, str]] = {
    "address_refused": "La dirección del servicio de documentos tributarios no está permitida.",
    "unreachable": "No se pudo conectar con el servicio de documentos tributarios.",
    "timeout": "El servicio de documentos tributarios no respondió a tiempo.",
    "failed": "El servicio de documentos tributarios falló.",
    "fault": "El servicio de documentos tributarios informó un error.",
    "refused": "El servicio de documentos tributarios rechazó la consulta.",
    "credentials_refused": "El servicio no acepta el usuario o la clave configurados en @DTE_CONFC.",
    "document_unknown": "El servicio no tiene este documento.",
    "document_not_ready": "El servicio tiene el documento, pero aún no su PDF.",
    "answer_unreadable": "La respuesta del servicio no se puede interpretar.",
    "document_broken": "El servicio no entregó un PDF completo.",
    "document_mistaken": "El servicio entregó otro documento.",
    "reading_failed": "No se pudo leer la respuesta del servicio.",
    TOO_LARGE: "Los documentos pedidos son demasiado grandes para un solo archivo; pídalos en partes.",
    "no_assignable_copy": "Este documento no tiene copia cedible.",
}


def worded(code: str) -> str:
    """Say in Spanish what a code means."""
    return _WORDS.get(code, "No se pudo obtener el documento tributario.")
