"""Messages between the program and its reading process, without I/O.

A message is a JSON head and a payload, with both lengths in front. The head contains the service's texts,
which are bounded. The payload is a body, an envelope or PDFs.
"""

import struct
from enum import Enum
from typing import Final

import msgspec
from attrs import field, frozen

LENGTHS: Final = struct.Struct("!II")
"""Lengths of head and payload, at the beginning of every message."""


@frozen
class Question:
    """Document to request from a service, with the credentials."""

    issuer: str
    document_type: int
    folio: int
    user: str = field(repr=False)
    password: str = field(repr=False)


class Build(msgspec.Struct, tag="build", frozen=True):
    """Write the question that follows as JSON."""


class Read(msgspec.Struct, tag="read", frozen=True):
    """Task: parse the answer in the payload.

    Attributes:
        charset: parameter of its ``Content-Type``.
    """

    charset: str | None = None


class Envelope(msgspec.Struct, tag="envelope", frozen=True):
    """Result: the request in the payload."""

    soap_action: str


class PdfState(Enum):
    """State of a PDF in an answer."""

    ABSENT = "absent"
    WHOLE = "whole"
    BROKEN_BASE64 = "broken base64"
    NO_PDF = "not a PDF"
    CUT_OFF = "cut off"


class DocumentIdentity(msgspec.Struct, frozen=True):
    """Identity of a document by its own XML."""

    issuer: str
    document_type: int
    folio: int


class ProviderAnswer(msgspec.Struct, tag="answered", frozen=True):
    """An answer that fulfils the contract; its complete PDFs are in the payload.

    Attributes:
        status: ``Estatus``.
        text: ``MsgEstatus``.
        pdf: whether there is a PDF.
        assignable: whether there is an assignable copy.
        pdf_bytes: length of the PDF in the payload; the rest is the copy.
        named: identity in the answer's XML; ``None`` without readable XML.
    """

    status: int
    text: str
    pdf: PdfState
    assignable: PdfState
    pdf_bytes: int
    named: DocumentIdentity | None


class SoapFault(msgspec.Struct, tag="faulted", frozen=True):
    """A SOAP fault."""

    fault_code: str
    text: str


class UnreadableAnswer(msgspec.Struct, tag="unreadable", frozen=True):
    """An answer that violates the contract.

    Attributes:
        reason: a few fixed words.
        soap: whether it was at least SOAP.
    """

    reason: str
    soap: bool = False


Task = Build | Read
Reply = ProviderAnswer | SoapFault | UnreadableAnswer
Result = Envelope | Reply

_encode: Final = msgspec.json.Encoder().encode
_task_decoder: Final = msgspec.json.Decoder(Task)
_question_decoder: Final = msgspec.json.Decoder(Question)
_result_decoder: Final = msgspec.json.Decoder(Result)


def pack(head: Task | Result, content_bytes: int) -> bytes:
    """Write the beginning of a message, after which its bytes are to follow."""
    text = _encode(head)
    return LENGTHS.pack(len(text), content_bytes) + text


def unpack_task(head: bytes) -> Task:
    """Read the head of a message to the process."""
    task: Task = _task_decoder.decode(head)
    return task


def pack_question(question: Question) -> bytes:
    """Write a question as the bytes that follow a :class:`Build`."""
    return _encode(question)


def unpack_question(content: bytes) -> Question:
    """Read the bytes that follow a :class:`Build`."""
    question: Question = _question_decoder.decode(content)
    return question


def unpack_result(head: bytes) -> Result:
    """Read the head of a message from the process.

    Raises:
        msgspec.DecodeError: the head is invalid.
    """
    result: Result = _result_decoder.decode(head)
    return result
