"""A form with files (RFC 7578), taken apart as it comes."""

from collections.abc import Callable
from typing import Final

from servicekit.errors import FieldProblem, InvalidBody

_MAX_HEAD: Final = 4096


class FormParts:
    """Hands on the parts of a form: feed it what comes, then finish it.

    Args:
        boundary: of the form.
        begin: takes the head of each part.
        write: takes what a part holds, in pieces.
    """

    def __init__(
        self, boundary: bytes, begin: Callable[[bytes], object], write: Callable[[bytes], object]
    ) -> None:
        self._delimiter = b"\r\n--" + boundary
        self._begin = begin
        self._write = write
        self._rest = b"\r\n"  # the first delimiter has no line before it
        self._step: Callable[[], bool] = self._skip
        self._ended = False

    def feed(self, chunk: bytes) -> None:
        """Take a piece of the form.

        Raises:
            InvalidBody: it is none.
        """
        self._rest += chunk
        while self._step():
            pass

    def finish(self) -> None:
        """Take its end.

        Raises:
            InvalidBody: it has not come whole.
        """
        if not self._ended:
            raise _malformed()

    def _skip(self) -> bool:
        return self._read_until_delimiter(lambda _: None)

    def _content(self) -> bool:
        return self._read_until_delimiter(self._write)

    def _read_until_delimiter(self, take: Callable[[bytes], object]) -> bool:
        end = self._rest.find(self._delimiter)
        if end < 0:
            keep = len(self._delimiter) - 1  # it may have begun
            take(self._rest[:-keep])
            self._rest = self._rest[-keep:]
            return False
        take(self._rest[:end])
        self._rest = self._rest[end + len(self._delimiter) :]
        self._step = self._after_delimiter
        return True

    def _after_delimiter(self) -> bool:
        if len(self._rest) < len(b"--"):
            return False
        if self._rest.startswith(b"--"):
            self._ended, self._step = True, self._epilogue
        elif self._rest.startswith(b"\r\n"):
            self._step = self._head
        else:
            raise _malformed()
        return True

    def _head(self) -> bool:
        head, blank, content = self._rest.partition(b"\r\n\r\n")
        if len(head) > _MAX_HEAD:
            raise _malformed()
        if not blank:
            return False
        self._begin(head)
        self._rest, self._step = content, self._content
        return True

    def _epilogue(self) -> bool:
        self._rest = b""
        return False


def _malformed() -> InvalidBody:
    return InvalidBody(errors=[FieldProblem("", "El formulario no llegó completo o está mal formado.")])
