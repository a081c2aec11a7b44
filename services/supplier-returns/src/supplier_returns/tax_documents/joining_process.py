"""The process that joins PDFs: reads them from standard input, writes the result to standard output, ends.

In it and not in the service, since a PDF is foreign text for a parser written in C++, which also holds the
interpreter while it works. Input: how many parts, the length of each, the parts. Output: 0 and the joined
document, or 1 and the number of the part that is no whole PDF.
"""

import contextlib
import io
import resource
import struct
import sys
from collections.abc import Sequence
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


def read_parts(stream: BinaryIO) -> list[bytes]:
    """Read what the service sends."""
    (count,) = COUNT.unpack(stream.read(COUNT.size))
    lengths = [LENGTH.unpack(stream.read(LENGTH.size))[0] for _ in range(count)]
    return [stream.read(length) for length in lengths]


def join(parts: Sequence[bytes]) -> bytes:
    """Put the pages of all parts into one document, in their order.

    Raises:
        BrokenPartError: One of them can't be read, has no page, or is locked by a password.
    """
    with contextlib.ExitStack() as stack:
        joined = stack.enter_context(pikepdf.Pdf.new())
        for index, part in enumerate(parts):
            try:
                pages = stack.enter_context(pikepdf.Pdf.open(io.BytesIO(part), suppress_warnings=True)).pages
                if not len(pages):
                    raise BrokenPartError(index)
                joined.pages.extend(pages)
            except (pikepdf.PdfError, pikepdf.PasswordError, ValueError) as error:
                raise BrokenPartError(index) from error
        joined.remove_unreferenced_resources()
        result = io.BytesIO()
        joined.save(result, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        return result.getvalue()


def main() -> None:
    """Join what comes, within limits of time and memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        answer = JOINED + join(read_parts(sys.stdin.buffer))
    except BrokenPartError as error:
        answer = BROKEN + COUNT.pack(error.index)
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
