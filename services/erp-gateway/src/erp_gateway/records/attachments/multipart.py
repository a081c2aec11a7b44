"""A form with files (RFC 7578), parsed piece by piece."""

from collections.abc import Callable
from typing import Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, MultipartState

from servicekit.errors import FieldProblem, InvalidBody

_MAX_HEADERS: Final = 8
# Limit of all header lines of one part, in bytes.
_MAX_HEAD: Final = 4096


class FormParts:
    """Pass on the parts of a form. Feed it each piece, then call `finish`.

    Args:
        boundary: of the form.
        begin: called with each part's `Content-Disposition`; empty if it is missing.
        write: called with each piece of the part's content.
    """

    def __init__(
        self, boundary: bytes, begin: Callable[[bytes], object], write: Callable[[bytes], object]
    ) -> None:
        self._begin = begin
        self._write = write
        self._head = 0
        self._name = self._value = self._disposition = b""
        self._has_disposition = False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._part_begins,
                    "on_header_field": self._header_name,
                    "on_header_value": self._header_value,
                    "on_header_end": self._header_ends,
                    "on_headers_finished": self._head_ends,
                    "on_part_data": self._content,
                },
                max_header_count=_MAX_HEADERS,
                max_header_size=_MAX_HEAD,
            )
        except FormParserError as error:
            raise _malformed() from error

    def feed(self, piece: bytes) -> None:
        """Parse a piece of the form.

        Raises:
            InvalidBody: the body is not a valid form.
        """
        try:
            self._parser.write(piece)
        except FormParserError as error:
            raise _malformed() from error

    def finish(self) -> None:
        """Check that the form has ended.

        Raises:
            InvalidBody: the last boundary is missing.
        """
        # The parser's `finalize` does not check that the form is complete.
        if self._parser.state != MultipartState.END:
            raise _malformed()

    def _part_begins(self) -> None:
        self._head = 0
        self._name = self._value = self._disposition = b""
        self._has_disposition = False

    def _content(self, data: bytes, start: int, end: int) -> None:
        self._write(data[start:end])

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        self._count(end - start)

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._count(end - start)

    def _count(self, length: int) -> None:
        self._head += length
        if self._head > _MAX_HEAD:
            raise _malformed()

    def _header_ends(self) -> None:
        if self._name.lower() == b"content-disposition":
            # Servers differ in which of two headers counts, so reject a repeated one.
            if self._has_disposition:
                raise _malformed()
            self._has_disposition, self._disposition = True, self._value
        self._name = self._value = b""

    def _head_ends(self) -> None:
        self._begin(self._disposition)


def _malformed() -> InvalidBody:
    return InvalidBody(errors=[FieldProblem("", "El formulario no llegó completo o está mal formado.")])
