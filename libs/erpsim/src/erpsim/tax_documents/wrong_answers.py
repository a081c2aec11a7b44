"""The ways in which an answer can be wrong, and what each does to a right one.

Where an answer is only late, lost, cut or packed, that is a fault of `erpsim.faults`: `Delay`, `Drip`,
`Hang`, `Drop`, `Truncate`, `GzipBomb`, `BadGateway`.
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
"""`Estatus`. Of these 0 and 3 are known from relatives of the operation."""

_HTML: Final = ("Content-Type", "text/html; charset=utf-8")


@attrs.frozen(kw_only=True)
class Found:
    """What a right answer holds.

    Args:
        pdf: the guide.
        xml: its own XML.
    """

    pdf: bytes
    xml: str


def refused(version: Soap, status: int, text: str) -> SlReply:
    """Return an answer that refuses: a 200 with its status."""
    return soap.answer(version, element("Estatus", str(status)) + element("MsgEstatus", text))


def answered(version: Soap, found: Found, kind: TaxAnswer) -> SlReply:
    """Return the answer about a document that was found, right or wrong."""
    if kind in _FIELDS:
        return soap.answer(version, _FIELDS[kind](found))
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
            reply = soap.answer(Soap.V1_2, _right(found))
        case TaxAnswer.DTD:
            doctype = '<!DOCTYPE Envelope SYSTEM "http://127.0.0.1:9/evil.dtd">'
            reply = soap.answer(version, _right(found), doctype)
        case _:
            reply = soap.answer(version, element("Estatus", "&j;", escaped=False), _laughs())
    return reply


def _right(found: Found) -> str:
    return _fields(_encoded(found.pdf), found.xml)


def _fields(pdf: str | None, xml: str | None) -> str:
    shown = [] if pdf is None else [element("PDF", pdf)]
    shown += [] if xml is None else [element("XML", xml)]
    return "".join([*shown, element("Estatus", str(FOUND)), element("MsgEstatus", "Ok")])


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _strayed(text: str) -> str:
    middle = len(text) // 2
    return f"{text[:middle]}~!*{text[middle:]}"


_FIELDS: Final[Mapping[TaxAnswer, Callable[[Found], str]]] = {
    TaxAnswer.RIGHT: _right,
    TaxAnswer.LARGE_PDF: _right,
    TaxAnswer.OTHER_DOCUMENT: _right,
    TaxAnswer.NO_PDF: lambda found: _fields(None, found.xml),
    TaxAnswer.EMPTY_PDF: lambda found: _fields("", found.xml),
    TaxAnswer.HTML_AS_PDF: lambda found: _fields(_encoded(b"<html>Error</html>"), found.xml),
    TaxAnswer.CUT_PDF: lambda found: _fields(_encoded(found.pdf[: len(found.pdf) // 2]), found.xml),
    TaxAnswer.BROKEN_BASE64: lambda found: _fields(_strayed(_encoded(found.pdf)), found.xml),
    TaxAnswer.BASE64_TWICE: lambda found: _fields(_encoded(_encoded(found.pdf).encode()), found.xml),
    TaxAnswer.NO_XML: lambda found: _fields(_encoded(found.pdf), None),
    TaxAnswer.OTHER_ORDER: lambda found: "".join(
        [
            element("Estatus", str(FOUND)),
            element("XML", found.xml),
            element("PDFCedible", ""),
            element("PDF", _encoded(found.pdf)),
        ]
    ),
    TaxAnswer.EXTRA_ELEMENT: lambda found: _right(found) + element("Version", "2"),
}


def _laughs() -> str:
    """Return a document type whose entities grow to ten gigabytes."""
    grown = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    return f'<!DOCTYPE Envelope [<!ENTITY a "0123456789">{grown}]>'
