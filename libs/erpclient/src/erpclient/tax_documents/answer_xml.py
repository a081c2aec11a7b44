"""Reduces the XML of an answer to the elements of the contract. Runs in the reading process.

Other content costs one pass and is dropped: attributes, comments, processing instructions, elements of other
names. This bounds zeep's input, because its work grows with the square of an element's attributes.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped]  # it comes without types

SOAP: Final = "{http://schemas.xmlsoap.org/soap/envelope/}"
ENVELOPE: Final = f"{SOAP}Envelope"

_NIL: Final = "{http://www.w3.org/2001/XMLSchema-instance}nil"
_BLANKS: Final = b" \t\r\n"
# Beginnings of texts whose bytes show their encoding: byte order marks, and `<` of two or four bytes.
_MARKED: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"<\x00", b"\x00<", b"\x00\x00")
_DECLARED: Final = re.compile(rb"<\?xml[^>]{0,200}?\sencoding\s*=")


class NoXmlError(Exception):
    """The body is not well-formed XML in any possible encoding."""


class DoctypeError(Exception):
    """The body has a document type."""


class RepeatedError(Exception):
    """A single field occurs twice."""


def parse_answer(body: bytes, charset: str | None) -> Any:
    """Parse a body without comments and processing instructions, and return its root.

    Args:
        body: body of the reply.
        charset: parameter of `Content-Type`. Used if neither a byte order mark nor the XML declaration names
            an encoding, or if the named one can't be right.

    Raises:
        DoctypeError: the XML has a document type.
        NoXmlError: the XML can't be parsed.
    """
    if body[:1] in _BLANKS:
        body = body.lstrip(_BLANKS)  # a declaration must come first
    for encoding in _encodings(body, charset):
        root = _parsed(body, encoding)
        if root is not None:
            return root
    raise NoXmlError


def _encodings(body: bytes, charset: str | None) -> Iterator[str | None]:
    """Yield encodings to try. None means the XML's own, by default UTF-8."""
    declared = (charset or "").strip().strip("\"'") or None
    has_own_encoding = body.startswith(_MARKED) or _DECLARED.match(body) is not None
    tried: set[str | None] = set()
    # A declaration can be wrong: .NET writes "utf-16" into texts that are sent as UTF-8.
    for encoding in (None if has_own_encoding else declared, declared, None, "utf-8"):
        if encoding not in tried:
            tried.add(encoding)
            yield encoding


def _parsed(body: bytes, encoding: str | None) -> Any | None:
    try:
        parser = etree.XMLParser(
            encoding=encoding,
            remove_comments=True,
            remove_pis=True,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,  # a PDF above 7.5 MB; the transport has bounded the whole answer
        )
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error  # pragma: no cover - in a process at its memory limit
        return None
    except (LookupError, ValueError):  # LookupError: an encoding of no known name
        return None
    if root.getroottree().docinfo.doctype:
        raise DoctypeError
    return root


def find_fault(envelope: Any) -> tuple[str, str] | None:
    """Return code and text of a SOAP fault, None without one."""
    fault = envelope.find(f"{SOAP}Body/{SOAP}Fault")
    if fault is None:
        return None
    return fault.findtext("faultcode") or "", fault.findtext("faultstring") or ""


def copy_known_elements(envelope: Any, response: str, result: str, fields: frozenset[str]) -> Any | None:
    """Copy the contract's part of an envelope, None without a response in it.

    Args:
        envelope: the root.
        response: tag of the operation's response.
        result: tag of the result in it.
        fields: tags of the result's fields. Each contains a text; nested elements are dropped.

    Raises:
        RepeatedError: a field occurs twice.
    """
    response_element = envelope.find(f"{SOAP}Body/{response}")
    if response_element is None:
        return None
    copied = etree.Element(ENVELOPE)
    copied_response = etree.SubElement(etree.SubElement(copied, f"{SOAP}Body"), response)
    outcome = response_element.find(result)
    if outcome is None:
        return copied
    copy = _copied(outcome, copied_response)
    copied_tags = set()
    for each in outcome.iterchildren(*fields):
        if each.tag in copied_tags:
            raise RepeatedError
        copied_tags.add(each.tag)
        _copied(each, copy).text = each.text
    return copied


def _copied(element: Any, parent: Any) -> Any:
    copy = etree.SubElement(parent, element.tag)
    nil = element.get(_NIL)
    if nil is not None:
        copy.set(_NIL, nil)
    return copy
