"""Correct and faulty answers of the tax-document service.

Late, lost, cut or compressed answers are faults of `erpsim.faults`: `Delay`, `Drip`, `Hang`, `Drop`,
`Truncate`, `GzipBomb`, `BadGateway`.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Final

import attrs

from erpsim.company.switches import TaxAnswer
from erpsim.service_layer.web_server.balancer import bad_gateway
from erpsim.service_layer.wire.messages import SlReply
from erpsim.tax_documents import soap
from erpsim.tax_documents.soap import Soap, element

FOUND, BAD_CREDENTIALS, BAD_PARAMETER, NO_SUCH, NOT_READY = range(5)
"""Values of `Estatus`. Only 0 and 3 are known, from related operations."""

_HTML: Final = ("Content-Type", "text/html; charset=utf-8")


@attrs.frozen(kw_only=True)
class GuideFiles:
    """Files of a correct answer.

    Args:
        pdf: the guide.
        xml: its own XML.
    """

    pdf: bytes
    xml: str


def refused(version: Soap, status: int, text: str) -> SlReply:
    """Return a refusal: a 200 with its status."""
    return soap.answer(version, element("Estatus", str(status)) + element("MsgEstatus", text))


def document_reply(version: Soap, files: GuideFiles, kind: TaxAnswer) -> SlReply:
    """Return the correct or faulty answer about an existing document."""
    if kind in _FIELDS:
        return soap.answer(version, _FIELDS[kind](files))
    match kind:
        case TaxAnswer.NOT_READY:
            reply = refused(version, NOT_READY, "Documento aún no impreso")
        case TaxAnswer.EMPTY_RESULT:
            reply = soap.answer(version, None)
        case TaxAnswer.FAULT:
            reply = soap.fault(version, "Server", "Object reference not set to an instance of an object.")
        case TaxAnswer.HTML:
            reply = SlReply(status=200, headers=(_HTML,), body=b"<html><h1>Runtime Error<br></html>")
        case TaxAnswer.HTML_502:
            reply = bad_gateway()
        case TaxAnswer.REDIRECT:
            reply = SlReply(status=302, headers=(_HTML, ("Location", "/wsfactlocal/login.aspx")))
        case TaxAnswer.SOAP_12:
            reply = soap.answer(Soap.V1_2, _right(files))
        case TaxAnswer.DTD:
            doctype = '<!DOCTYPE Envelope SYSTEM "http://127.0.0.1:9/evil.dtd">'
            reply = soap.answer(version, _right(files), doctype)
        case _:
            reply = soap.answer(version, element("Estatus", "&j;", escaped=False), _laughs())
    return reply


def _right(files: GuideFiles) -> str:
    return _fields(_encoded(files.pdf), files.xml)


def _fields(pdf: str | None, xml: str | None) -> str:
    shown = [] if pdf is None else [element("PDF", pdf)]
    shown += [] if xml is None else [element("XML", xml)]
    return "".join([*shown, element("Estatus", str(FOUND)), element("MsgEstatus", "Ok")])


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _strayed(text: str) -> str:
    middle = len(text) // 2
    return f"{text[:middle]}~!*{text[middle:]}"


_FIELDS: Final[Mapping[TaxAnswer, Callable[[GuideFiles], str]]] = {
    TaxAnswer.RIGHT: _right,
    TaxAnswer.LARGE_PDF: _right,
    TaxAnswer.OTHER_DOCUMENT: _right,
    TaxAnswer.NO_PDF: lambda files: _fields(None, files.xml),
    TaxAnswer.EMPTY_PDF: lambda files: _fields("", files.xml),
    TaxAnswer.HTML_AS_PDF: lambda files: _fields(_encoded(b"<html>Error</html>"), files.xml),
    TaxAnswer.CUT_PDF: lambda files: _fields(_encoded(files.pdf[: len(files.pdf) // 2]), files.xml),
    TaxAnswer.BROKEN_BASE64: lambda files: _fields(_strayed(_encoded(files.pdf)), files.xml),
    TaxAnswer.BASE64_TWICE: lambda files: _fields(_encoded(_encoded(files.pdf).encode()), files.xml),
    TaxAnswer.NO_XML: lambda files: _fields(_encoded(files.pdf), None),
    TaxAnswer.OTHER_ORDER: lambda files: "".join(
        [
            element("Estatus", str(FOUND)),
            element("XML", files.xml),
            element("PDFCedible", ""),
            element("PDF", _encoded(files.pdf)),
        ]
    ),
    TaxAnswer.EXTRA_ELEMENT: lambda files: _right(files) + element("Version", "2"),
}


def _laughs() -> str:
    grown = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    return f'<!DOCTYPE Envelope [<!ENTITY a "0123456789">{grown}]>'
