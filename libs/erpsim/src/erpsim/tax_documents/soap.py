"""SOAP as ASP.NET implements it, in both versions: requests, answers and faults."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from importlib import resources
from typing import Final
from xml.etree import ElementTree as ET
from xml.parsers import expat
from xml.sax.saxutils import escape

from erpsim.service_layer.wire.messages import SlReply

NAMESPACE: Final = "http://tempuri.org/"
OPERATION: Final = "Consulta_TXTDTE"
ACTION: Final = f"{NAMESPACE}{OPERATION}"

_ADDRESS: Final = "@@ADDRESS@@"


class Soap(enum.Enum):
    """A version of SOAP, by the namespace of its envelope."""

    V1_1 = "http://schemas.xmlsoap.org/soap/envelope/"
    V1_2 = "http://www.w3.org/2003/05/soap-envelope"

    @property
    def content_type(self) -> tuple[str, str]:
        """Its header in answers."""
        name = "text/xml" if self is Soap.V1_1 else "application/soap+xml"
        return ("Content-Type", f"{name}; charset=utf-8")


class SoapError(Exception):
    """An invalid request; its text is the fault's."""


def version_of(content_type: str) -> Soap | None:
    """Return the SOAP version of a request's content type, None for another type."""
    name = content_type.partition(";")[0].strip().lower()
    return {"text/xml": Soap.V1_1, "application/soap+xml": Soap.V1_2}.get(name)


def read_question(version: Soap, body: bytes, soap_action: str | None) -> Mapping[str, str]:
    """Read the fields of a request.

    Args:
        version: of SOAP.
        body: the envelope.
        soap_action: the header, which 1.1 needs.

    Raises:
        SoapError: not XML, another operation, or an unknown action.
    """
    if version is Soap.V1_1 and (soap_action or "").strip('"') != ACTION:
        raise SoapError(f"Server did not recognize the value of HTTP Header SOAPAction: {soap_action}.")
    if b"<!DOCTYPE" in body:
        raise SoapError("Server was unable to read request. ---> For security reasons DTD is prohibited.")
    try:
        envelope = ET.fromstring(body)  # noqa: S314 - no document type, so no entities
    except (ET.ParseError, expat.ExpatError, ValueError, LookupError) as error:
        raise SoapError(
            "Server was unable to read request. ---> There is an error in XML document."
        ) from error
    question = envelope.find(f"{{{version.value}}}Body/{{{NAMESPACE}}}{OPERATION}")
    if question is None:
        raise SoapError("Server did not find the operation in the request.")
    # ASP.NET ignores a field of another name or namespace.
    own = f"{{{NAMESPACE}}}"
    return {each.tag.removeprefix(own): each.text or "" for each in question if each.tag.startswith(own)}


def element(name: str, text: str, *, escaped: bool = True) -> str:
    """Write one element; a text is escaped unless it is XML itself."""
    return f"<{name}>{escape(text) if escaped else text}</{name}>"


def answer(version: Soap, fields: str | None, doctype: str = "") -> SlReply:
    """Write an answer.

    Args:
        version: of SOAP.
        fields: elements of the result; None for an answer without one.
        doctype: a document type; correct responses have none.
    """
    result = "" if fields is None else element(f"{OPERATION}Result", fields, escaped=False)
    body = f'<{OPERATION}Response xmlns="{NAMESPACE}">{result}</{OPERATION}Response>'
    return SlReply(status=200, headers=(version.content_type,), body=_envelope(version, body, doctype))


def fault(version: Soap, code: str, text: str) -> SlReply:
    """Write a fault: a 500."""
    if version is Soap.V1_1:
        content_type_name = element("faultcode", f"soap:{code}") + element("faultstring", text)
        body = f"<soap:Fault>{content_type_name}<detail/></soap:Fault>"
    else:
        sort = {"Server": "Receiver", "Client": "Sender"}[code]
        body = (
            f"<soap:Fault><soap:Code>{element('soap:Value', f'soap:{sort}')}</soap:Code>"
            f'<soap:Reason><soap:Text xml:lang="en">{escape(text)}</soap:Text></soap:Reason></soap:Fault>'
        )
    return SlReply(status=500, headers=(version.content_type,), body=_envelope(version, body, ""))


def description(address: str) -> SlReply:
    """Return the WSDL, with the service's own address."""
    text = resources.files("erpsim.tax_documents").joinpath("dtelocal.wsdl").read_text(encoding="utf-8")
    body = text.replace(_ADDRESS, escape(address)).encode()
    return SlReply(status=200, headers=(Soap.V1_1.content_type,), body=body)


def _envelope(version: Soap, body: str, doctype: str) -> bytes:
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{doctype}<soap:Envelope xmlns:soap="{version.value}"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">'
        f"<soap:Body>{body}</soap:Body></soap:Envelope>"
    ).encode()
