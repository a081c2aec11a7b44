"""Ready-made faults for failed exports: `gateway.faults.add(nothing_printed())`.

All faults of `erpsim.faults` work too: `Delay`, `Truncate`, `ExpireSession`, `Drop`, `Hang`, ...
"""

from __future__ import annotations

import base64
import json
from typing import Final

from erpsim.faults import Answer, Fault
from erpsim.report_gateway.replies import NOTHING

_BYTES: Final = "application/octet-stream"
_JSON: Final = "application/json"
GENERATING_FAILED: Final = "An error has occurred while generating the PDF file."
"""Failure text that a public client checks for."""


def nothing_printed(times: int | None = 1) -> Fault:
    """Make exports return 200 `(---)`; None for all of them."""
    return _export(Answer(status=200, body=NOTHING, content_type=_JSON), times)


def export_failed(text: str = GENERATING_FAILED, *, quoted: bool = True, times: int | None = 1) -> Fault:
    """Make exports answer 200 with a text, in JSON's quotes or bare."""
    body = json.dumps(text, ensure_ascii=False) if quoted else text
    return _export(Answer(status=200, body=body, content_type=_JSON), times)


def no_pdf(content: str = "<html>An error page</html>", times: int | None = 1) -> Fault:
    """Make exports return 201 with valid base64 of something that is not a PDF."""
    encoded = base64.b64encode(content.encode()).decode()
    return _export(Answer(status=201, body=encoded, content_type=_BYTES), times)


def cut_pdf(times: int | None = 1) -> Fault:
    """Make exports answer 201 with good base64 of a PDF that has lost its end."""
    return no_pdf("%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 o", times)


def no_base64(text: str = "JVBERi0xLjMKJ~!*", times: int | None = 1) -> Fault:
    """Make exports return 201 with invalid base64 that begins like a PDF's."""
    return _export(Answer(status=201, body=text, content_type=_BYTES), times)


def _export(answer: Answer, times: int | None) -> Fault:
    return Fault(action=answer, method="POST", path="rs/v1/ExportPDFData", times=times)
