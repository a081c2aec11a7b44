"""Reads the reply to an export: a PDF in base64, or a text."""

import base64
import binascii
import json
from typing import Final

from attrs import frozen

from erp_gateway.reports.crystal.disclosure import Disclosure

PDF_START: Final = b"%PDF-"
PDF_END: Final = b"%%EOF"
PDF_END_WITHIN: Final = 1024
"""A PDF's end mark is searched in this many last bytes, as PDF readers do (ISO 32000-1, annex H)."""

NOTHING: Final = "(---)"
"""Reply to an export without a PDF: nothing to print, an unreadable value, or too many at once."""

_LONGEST_TEXT: Final = 64 * 1024


@frozen
class ExportText:
    """Text of a reply without a complete PDF.

    Attributes:
        text: for users; empty if they must not see it.
        is_empty: whether it is `(---)`.
        is_cut: whether it is the beginning of a PDF.
        log_text: for the log, one line of bounded length without the password.
    """

    text: str = ""
    is_empty: bool = False
    is_cut: bool = False
    log_text: str = ""

    @property
    def is_retryable(self) -> bool:
        """True if a retry may succeed: an overloaded gateway drops exports."""
        return self.is_empty or self.is_cut


def read_export(body: bytes, disclosure: Disclosure) -> bytes | ExportText:
    """Return the PDF of a reply, or its text.

    Only base64 of something that begins with `%PDF-` and ends with `%%EOF` is a PDF. The status is not
    reliable.

    Args:
        body: body of the reply.
        disclosure: decides which texts may be seen.
    """
    content = _unquoted(body.strip())
    decoded = _decoded(content)
    if decoded.startswith(PDF_START):
        if PDF_END in decoded[-PDF_END_WITHIN:]:
            return decoded
        return ExportText(is_cut=True, log_text=f"a PDF of {len(decoded)} bytes without its end")
    if decoded:
        return ExportText(log_text=f"base64 of {len(decoded)} bytes that are no PDF")
    text = content[:_LONGEST_TEXT].decode("utf-8", "replace")
    return ExportText(
        disclosure.for_people(text), is_empty=text == NOTHING, log_text=disclosure.for_log(text)
    )


def refusal_of(status: int, body: bytes, disclosure: Disclosure) -> ExportText:
    """Return the text of a refused export, only for the log, because it is written for developers."""
    text = body[:_LONGEST_TEXT].decode("utf-8", "replace")
    return ExportText(log_text=disclosure.for_log(f"status {status}: {text}"))


def _unquoted(body: bytes) -> bytes:
    if len(body) < 2 or body[:1] != b'"' or body[-1:] != b'"':  # noqa: PLR2004 - a pair of quotes
        return body
    try:
        return str(json.loads(body)).encode("utf-8", "replace").strip()
    except ValueError:
        return body[1:-1].strip()


def _decoded(content: bytes) -> bytes:
    """Decode base64 in one or more lines; None if invalid."""
    try:
        return base64.b64decode(b"".join(line.strip() for line in content.splitlines()), validate=True)
    except binascii.Error:
        return b""
