"""What the program and the process that reads for it say to each other, no I/O.

A message is a head in JSON and bytes behind it, both with their lengths in front. Text of a service is in the
head and bounded; a body, an envelope or PDFs are the bytes.
"""

import struct
from enum import Enum
from typing import Final

import msgspec
from attrs import field, frozen

LENGTHS: Final = struct.Struct("!II")
"""Bytes of the head and of what follows it, at the beginning of every message."""


@frozen
class Question:
    """What is asked of a service, and by whom."""

    issuer: str
    document_type: int
    folio: int
    user: str = field(repr=False)
    password: str = field(repr=False)


class Build(msgspec.Struct, tag="build", frozen=True):
    """Write the question that follows as JSON."""


class Read(msgspec.Struct, tag="read", frozen=True):
    """Understand the answer whose body follows.

    Attributes:
        charset: parameter of its ``Content-Type``.
    """

    charset: str | None = None


class Envelope(msgspec.Struct, tag="envelope", frozen=True):
    """The question, whose text follows."""

    soap_action: str


class PdfState(Enum):
    """What became of a PDF that an answer may hold."""

    ABSENT = "absent"
    WHOLE = "whole"
    BROKEN_BASE64 = "broken base64"
    NO_PDF = "not a PDF"
    CUT_OFF = "cut off"


class DocumentIdentity(msgspec.Struct, frozen=True):
    """What a document's own XML says it is."""

    issuer: str
    document_type: int
    folio: int


class ProviderAnswer(msgspec.Struct, tag="answered", frozen=True):
    """An answer as the contract promises; the bytes of its whole PDFs follow.

    Attributes:
        status: ``Estatus``.
        text: ``MsgEstatus``.
        pdf: whether there is a PDF.
        assignable: whether there is an assignable copy.
        pdf_bytes: how many of the bytes that follow are the PDF's; the others are the copy's.
        named: what the answer's XML says; ``None`` without readable XML.
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
    """No answer that the contract knows.

    Attributes:
        reason: why, a few fixed words.
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
        msgspec.DecodeError: it is none.
    """
    result: Result = _result_decoder.decode(head)
    return result
