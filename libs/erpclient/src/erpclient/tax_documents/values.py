"""Parameters and results of the tax-document client."""

import re
from pathlib import Path
from typing import Final

from attrs import Attribute, field, frozen, validators

RUT: Final = re.compile(r"[0-9]{1,8}-[0-9K]")
"""A tax number as the tax office writes it: without dots, the check digit in capitals."""


def _check_rut(_value: object, attribute: "Attribute[str]", rut: str) -> None:
    if not RUT.fullmatch(rut):
        raise ValueError(f"{attribute.name}: must be a RUT like 76123456-K")


@frozen
class TaxServiceAccess:
    """Address and credentials of a provider's service. User and password are left out of ``repr``.

    Attributes:
        url: ``https://host…``; ``http`` for a loopback address.
        user: name at the provider.
        password: of that user.
    """

    url: str
    user: str = field(repr=False)
    password: str = field(repr=False)


@frozen
class TaxDocumentKey:
    """Identity of a tax document.

    Attributes:
        issuer: RUT of the issuer, ``76123456-K``.
        document_type: the tax office's number of its kind; 52 is a dispatch guide.
        folio: the tax office's number of the document, up to ten digits.

    Raises:
        ValueError: an invalid value.
    """

    issuer: str = field(validator=_check_rut)
    document_type: int = field(validator=[validators.ge(1), validators.le(999)])
    folio: int = field(validator=[validators.ge(1), validators.le(9_999_999_999)])


@frozen
class TaxDocument:
    """A document as printed by the provider.

    Attributes:
        pdf: begins and ends like a PDF; its content is not checked.
        assignable_pdf: the copy that assigns the credit (*copia cedible*); ``None`` without. Dispatch guides
            of a return have none.
        confirmed: whether the answer's XML names the requested document. XML that names another document is
            an error; an answer without readable XML proves nothing.
    """

    pdf: bytes = field(repr=False)
    assignable_pdf: bytes | None = field(repr=False)
    confirmed: bool


@frozen
class TaxDocumentSettings:
    """Limits of a service and its answers.

    Attributes:
        timeout_s: longest time from connecting to the last byte of an answer.
        connect_timeout_s: longest time for a connection, at most half of the whole time.
        max_reply_bytes: largest answer, counted unpacked.
        reading_timeout_s: longest time to parse a received answer.
        allowed_hosts: allowed names of an address; empty for any.
        ca_file: certificate authorities in PEM form, in addition to the system's.
        allow_own_addresses: whether the service may be on this host; otherwise a connection to one of the
            host's own addresses is refused, after name resolution.
    """

    timeout_s: float = field(default=120.0, validator=validators.gt(0))
    connect_timeout_s: float = field(default=30.0, validator=validators.gt(0))
    max_reply_bytes: int = field(default=40 * 1024 * 1024, validator=validators.ge(1))
    reading_timeout_s: float = field(default=60.0, validator=validators.gt(0))
    allowed_hosts: frozenset[str] = frozenset()
    ca_file: Path | None = None
    allow_own_addresses: bool = False
