"""PDFs of an answer in base64, checked by their ends, without I/O."""

import base64
import binascii
from typing import Final

from erpclient.tax_documents.messages import PdfState

HEAD_BYTES: Final = 1024
"""``%PDF-`` must begin and ``%%EOF`` end within this many bytes (readers are that lenient)."""

_PADDING: Final = b"\x00\t\n\x0c\r "


def read_pdf(value: str | bytes | None) -> tuple[PdfState, bytes]:
    """Decode a PDF, twice if needed (as one provider's answers require), and check that it is complete.

    Args:
        value: base64 text; bytes that were decoded already; ``None`` for none.

    Returns:
        its state, and the PDF if it is complete.
    """
    if not value:
        return PdfState.ABSENT, b""
    content = _decoded(value) if isinstance(value, str) else value
    if content is None:
        return PdfState.BROKEN_BASE64, b""
    if not _begins(content):
        inner = _decoded(content)
        if inner is None or not _begins(inner):
            return PdfState.NO_PDF if content.strip(_PADDING) else PdfState.ABSENT, b""
        content = inner
    if b"%%EOF" not in content.rstrip(_PADDING)[-HEAD_BYTES:]:
        return PdfState.CUT_OFF, b""
    return PdfState.WHOLE, content


def _begins(content: bytes) -> bool:
    return b"%PDF-" in content[:HEAD_BYTES]


def _decoded(text: str | bytes) -> bytes | None:
    packed = "".join(text.split()) if isinstance(text, str) else b"".join(text.split())
    try:
        return base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError):
        return None
