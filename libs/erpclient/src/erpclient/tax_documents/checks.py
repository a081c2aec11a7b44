"""Checks the address of a tax-document service and the meaning of its answers. Values only.

Addresses come from a table that users of the ERP may edit.
"""

import ipaddress
import re
from http import HTTPStatus
from typing import Final

import yarl

from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxCredentialsRefused,
    TaxDocumentBroken,
    TaxDocumentMistaken,
    TaxDocumentNotReady,
    TaxDocumentUnknown,
    TaxServiceAddressRefused,
    TaxServiceFailed,
    TaxServiceFault,
    TaxServiceRefused,
)
from erpclient.tax_documents.messages import (
    DocumentIdentity,
    PdfState,
    ProviderAnswer,
    Reply,
    SoapFault,
    UnreadableAnswer,
)
from erpclient.tax_documents.values import TaxDocument, TaxDocumentKey, TaxServiceAccess

MAX_ADDRESS_LENGTH: Final = 1_000

# Characters that RFC 3986 allows in an address; programs interpret others differently.
_PLAIN: Final = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")

# Texts that systems read as an IPv4 address in decimal, octal or hexadecimal form: `2130706433`, `0x7f.1`.
_LIKE_A_NUMBER: Final = re.compile(r"(0x[0-9a-f]*|[0-9.])+")

FOUND: Final = 0
"""``Estatus`` of a found document; all services of this family agree on it."""

# Of these only 3 is known from a related operation; 1 and 4 are assumed.
_REFUSALS: Final = {1: TaxCredentialsRefused, 3: TaxDocumentUnknown, 4: TaxDocumentNotReady}


def check_address(url: str, allowed_hosts: frozenset[str]) -> None:
    """Check that the credentials may be sent to an address.

    Args:
        url: as configured.
        allowed_hosts: allowed names and IP addresses in any letter case; empty for all.

    Raises:
        TaxServiceAddressRefused: not an address; not ``https`` (``http`` passes for loopback addresses); with
            credentials or a fragment; or of a host that is not allowed.
    """
    if not _PLAIN.fullmatch(url) or len(url) > MAX_ADDRESS_LENGTH:
        raise TaxServiceAddressRefused("is empty, too long or holds characters that no address has")
    try:
        address = yarl.URL(url, encoded=True)
        host, port = (address.host or "").lower(), address.port
    except ValueError as error:
        raise TaxServiceAddressRefused("is no address") from error
    if address.scheme not in ("http", "https") or not host or not port:
        raise TaxServiceAddressRefused("must begin with https:// and name a host")
    if _LIKE_A_NUMBER.fullmatch(host) and not _is_ip_address(host):
        raise TaxServiceAddressRefused("names no host; write an IP address as four numbers")
    if address.raw_user is not None or address.raw_password is not None or "#" in url:
        raise TaxServiceAddressRefused("must hold neither a user nor a fragment")
    if address.scheme == "http" and not _is_loopback(host):
        raise TaxServiceAddressRefused("must begin with https://")
    if allowed_hosts and host not in {allowed.lower() for allowed in allowed_hosts}:
        raise TaxServiceAddressRefused("is of a host that is not among the allowed ones")


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def document_of(
    status: int, reply: Reply, content: bytes, *, key: TaxDocumentKey, access: TaxServiceAccess
) -> TaxDocument:
    """Return the document of an answer, or raise its error.

    Args:
        status: the HTTP status.
        reply: the parsed body.
        content: the bytes of its PDFs.
        key: the requested document.
        access: credentials to remove from texts.

    Raises:
        TaxDocumentError: the answer contains no document.
    """
    if isinstance(reply, SoapFault):
        raise TaxServiceFault(_clean(reply.fault_code, access), _clean(reply.text, access))
    if status != HTTPStatus.OK:
        raise TaxServiceFailed(status)
    if isinstance(reply, UnreadableAnswer):
        raise TaxAnswerUnreadable(reply.reason)
    if reply.status != FOUND:
        raise _REFUSALS.get(reply.status, TaxServiceRefused)(reply.status, _clean(reply.text, access))
    return _complete_pdf(reply, content, key)


def _complete_pdf(reply: ProviderAnswer, content: bytes, key: TaxDocumentKey) -> TaxDocument:
    requested = DocumentIdentity(key.issuer, key.document_type, key.folio)
    if reply.named is not None and reply.named != requested:
        raise TaxDocumentMistaken
    if reply.pdf is not PdfState.WHOLE:
        raise TaxDocumentBroken(reply.pdf.value)
    if reply.assignable not in (PdfState.ABSENT, PdfState.WHOLE):
        raise TaxDocumentBroken(f"its assignable copy: {reply.assignable.value}")
    pdf, copy = content[: reply.pdf_bytes], content[reply.pdf_bytes :]
    return TaxDocument(pdf, copy or None, confirmed=reply.named is not None)


def _clean(text: str, access: TaxServiceAccess) -> str:
    for secret in sorted({access.user, access.password} - {""}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
