"""The process that joins PDFs: reads them from standard input, writes the result to standard output, ends.

In it and not in the service, since a PDF is foreign text for a parser written in C++, which also holds the
interpreter while it works. Input: how many parts, the length of each, the parts. Output: 0 and the joined
document, or 1 and the number of the part that is no whole PDF. The document is written while it is made: it
is whole only where the process then ends with exit code 0.
"""

import io
import resource
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

import pikepdf

COUNT: Final = struct.Struct(">I")
LENGTH: Final = struct.Struct(">Q")
JOINED: Final = b"\x00"
BROKEN: Final = b"\x01"
CPU_S: Final = 60
MEMORY_BYTES: Final = 2 * 1024 * 1024 * 1024


class BrokenPartError(Exception):
    """A part is no PDF that can be read whole.

    Attributes:
        index: Which, from 0.
    """

    def __init__(self, index: int) -> None:
        super().__init__(f"part {index} is no whole PDF")
        self.index = index


def read_parts(stream: BinaryIO) -> Iterator[bytes]:
    """Read what the service sends, a part when it is asked for."""
    (count,) = COUNT.unpack(stream.read(COUNT.size))
    lengths = [LENGTH.unpack(stream.read(LENGTH.size))[0] for _ in range(count)]
    for length in lengths:
        yield stream.read(length)


def join(parts: Iterable[bytes], answer: BinaryIO) -> None:
    """Put the pages of all parts into one document, in their order, and write it as it is made.

    A part is held only until its pages are in the document, which keeps what it needs of them.

    Raises:
        BrokenPartError: One of them can't be read, has no page, or is locked by a password.
    """
    with pikepdf.Pdf.new() as joined:
        for index, part in enumerate(parts):
            try:
                with pikepdf.Pdf.open(io.BytesIO(part), suppress_warnings=True) as opened:
                    if not len(opened.pages):
                        raise BrokenPartError(index)
                    joined.pages.extend(opened.pages)
            except (pikepdf.PdfError, pikepdf.PasswordError, ValueError) as error:
                raise BrokenPartError(index) from error
        joined.remove_unreferenced_resources()
        answer.write(JOINED)
        joined.save(answer, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def keep_within_limits() -> None:
    """End this process where it takes too much time or memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def main() -> None:
    """Join what comes, within limits of time and memory."""
    keep_within_limits()
    answer = sys.stdout.buffer
    try:
        join(read_parts(sys.stdin.buffer), answer)
    except BrokenPartError as error:
        answer.write(BROKEN + COUNT.pack(error.index))
    answer.flush()


if __name__ == "__main__":
    main()
