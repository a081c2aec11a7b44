"""Reads the answer of an export: a PDF in base64, or a text."""

import base64
import binascii
import json
from typing import Final

from attrs import frozen

from erp_gateway.reports.crystal.disclosure import Disclosure

PDF_START: Final = b"%PDF-"
PDF_END: Final = b"%%EOF"
PDF_END_WITHIN: Final = 1024
"""A PDF's end mark is looked for in so many last bytes, as readers of PDFs do (ISO 32000-1, annex H)."""

NOTHING: Final = "(---)"
"""What an export answers instead of a PDF: nothing to print, a value it can't read, or too much at once."""

_LONGEST_TEXT: Final = 64 * 1024


@frozen
class ExportText:
    """What an export answered instead of a whole PDF.

    Attributes:
        text: for people; empty when it is nothing for them.
        is_nothing: whether it is `(---)`.
        is_cut: whether it is the beginning of a PDF.
        whole: for the log, one line of bounded length, whatever it tells but the password.
    """

    text: str = ""
    is_nothing: bool = False
    is_cut: bool = False
    whole: str = ""

    @property
    def may_pass(self) -> bool:
        """Whether a second try may do better: a gateway with too much to do drops exports."""
        return self.is_nothing or self.is_cut


def read_export(body: bytes, disclosure: Disclosure) -> bytes | ExportText:
    """Return the PDF of an export's answer, or what was there instead.

    Of all that a body may be, only base64 of something that begins with `%PDF-` and ends with `%%EOF` is a
    PDF; the status tells nothing.

    Args:
        body: the answer's.
        disclosure: what of a text may be seen.
    """
    content = _unquoted(body.strip())
    decoded = _decoded(content)
    if decoded.startswith(PDF_START):
        if PDF_END in decoded[-PDF_END_WITHIN:]:
            return decoded
        return ExportText(is_cut=True, whole=f"a PDF of {len(decoded)} bytes without its end")
    if decoded:
        return ExportText(whole=f"base64 of {len(decoded)} bytes that are no PDF")
    text = content[:_LONGEST_TEXT].decode("utf-8", "replace")
    return ExportText(disclosure.for_people(text), is_nothing=text == NOTHING, whole=disclosure.for_log(text))


def refusal_of(status: int, body: bytes, disclosure: Disclosure) -> ExportText:
    """Return what an export was refused with: for the log alone, it is written for developers."""
    text = body[:_LONGEST_TEXT].decode("utf-8", "replace")
    return ExportText(whole=disclosure.for_log(f"status {status}: {text}"))


def _unquoted(body: bytes) -> bytes:
    """Return what stands in JSON's quotes, or the body."""
    if len(body) < 2 or body[:1] != b'"' or body[-1:] != b'"':  # noqa: PLR2004 - a pair of quotes
        return body
    try:
        return str(json.loads(body)).encode("utf-8", "replace").strip()
    except ValueError:
        return body[1:-1].strip()


def _decoded(content: bytes) -> bytes:
    """Return what base64 in one or more lines stands for; nothing for what is no base64."""
    try:
        return base64.b64decode(b"".join(line.strip() for line in content.splitlines()), validate=True)
    except binascii.Error:
        return b""
