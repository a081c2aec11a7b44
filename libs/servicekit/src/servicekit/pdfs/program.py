"""Process that joins PDFs (`join`) or checks whether one is blank (`look`). It runs one task.

It is separate from the service, because a PDF is untrusted input for a parser written in C++, which also
holds the interpreter while it works. `join` returns the joined document, or the number of the part that is
not a complete PDF. `look` returns whether no page has text, an image, a path or an annotation with an
appearance. A document is written while it is built, so it is only complete if the process ends with exit code
0.
"""

import io
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO, Final

import pikepdf

from servicekit.child_limits import keep_within
from servicekit.pdfs.active_content import strip_active_content
from servicekit.pdfs.catalog import JoinedCatalog
from servicekit.pdfs.forms import flatten_form
from servicekit.pdfs.wire import BLANK, BROKEN, COUNT, JOINED, LENGTH, MEMORY_BYTES, PAINTED

_CPU_S: Final = 60

_HEADER: Final = b"%PDF-"
_UNREADABLE: Final = (pikepdf.PdfError, pikepdf.PasswordError, ValueError)

_TEXT: Final = ("Tj", "TJ", "'", '"')
_PATHS: Final = ("S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh")
_USE: Final = "Do"
_OPERATORS: Final = " ".join((*_TEXT, *_PATHS, _USE, "BI", "ID", "EI"))
# Maximum nesting of forms; deeper content counts as painted.
_DEEPEST: Final = 20


def read_parts(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the parts that the service sends, each on demand."""
    (count,) = COUNT.unpack(stream.read(COUNT.size))
    lengths = [LENGTH.unpack(stream.read(LENGTH.size))[0] for _ in range(count)]
    for length in lengths:
        yield stream.read(length)


def join(parts: Iterable[bytes], reply: BinaryIO) -> None:
    """Write one document with the pages of all parts in order, without active content.

    A single part is written byte for byte if it has no active content and needed no repair. If a part can't
    be read, has no page, or is locked by a password, its number is the result instead.
    """
    remaining = iter(parts)
    waiting = list(islice(remaining, 2))
    if len(waiting) == 1:
        _write_alone(waiting.pop(), reply)
    else:
        _write_joined(_released(waiting, remaining), reply)


def _released(waiting: list[bytes], remaining: Iterator[bytes]) -> Iterator[bytes]:
    """Yield all parts without keeping them: together they may exceed the memory limit."""
    while waiting:
        yield waiting.pop(0)
    yield from remaining


def _write_alone(part: bytes, reply: BinaryIO) -> None:
    try:
        opened = _opened(part)
    except _UNREADABLE:
        reply.write(BROKEN + COUNT.pack(0))
        return
    with opened:
        is_changed = strip_active_content(opened)
        reply.write(JOINED)
        # Readers repair a faulty document differently, and may find active content where qpdf saw none.
        if is_changed or opened.get_warnings() or not part.startswith(_HEADER):
            opened.save(reply)
        else:
            reply.write(part)


def _write_joined(parts: Iterable[bytes], reply: BinaryIO) -> None:
    with pikepdf.Pdf.new() as joined:
        catalog = JoinedCatalog(joined)
        version = "1.5"
        for index, part in enumerate(parts):
            try:
                with _opened(part) as opened:
                    flatten_form(opened)
                    first = len(joined.pages)
                    joined.pages.extend(opened.pages)
                    catalog.add(opened, first)
                    version = max(version, opened.pdf_version)
            except _UNREADABLE:
                reply.write(BROKEN + COUNT.pack(index))
                return
        catalog.write()
        strip_active_content(joined)
        joined.remove_unreferenced_resources()
        reply.write(JOINED)
        joined.save(reply, min_version=version, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def _opened(pdf: bytes) -> pikepdf.Pdf:
    """Open a PDF.

    Raises:
        pikepdf.PdfError: it can't be read.
        pikepdf.PasswordError: it is locked.
        ValueError: it has no page.
    """
    opened = pikepdf.Pdf.open(io.BytesIO(pdf), suppress_warnings=True)
    if not len(opened.pages):
        raise ValueError("it has no page")
    return opened


def is_blank(pdf: bytes) -> bool:
    """Return whether nothing is painted on any page.

    Raises:
        pikepdf.PdfError: it can't be read; so do `PasswordError` and `ValueError`.
    """
    with _opened(pdf) as opened:
        return not any(_is_visible(page) for page in opened.pages)


def _is_visible(page: pikepdf.Page) -> bool:
    annotations = page.obj.get("/Annots")
    if annotations is not None and any("/AP" in each for each in annotations):
        return True
    return _paints(page.obj, page.resources, frozenset())


def _paints(content: pikepdf.Object, resources: pikepdf.Object, within: frozenset[object]) -> bool:
    """Return whether a page's content, or a form's, paints something; forms that use themselves end."""
    for instruction in pikepdf.parse_content_stream(content, _OPERATORS):
        operator = str(instruction.operator)
        if operator in _TEXT:
            if _has_text(instruction.operands[-1]):
                return True
        elif operator != _USE:
            return True  # a path, or an image within the content
        elif _use_paints(str(instruction.operands[0]), resources, within):
            return True
    return False


def _use_paints(name: str, resources: pikepdf.Object, within: frozenset[object]) -> bool:
    names = resources.get("/XObject")
    used = None if names is None else names.get(name)
    if used is None or used.objgen in within:
        return False
    if used.get("/Subtype") != pikepdf.Name.Form or len(within) >= _DEEPEST:
        return True
    return _paints(used, used.get("/Resources", resources), within | {used.objgen})


def _has_text(operand: object) -> bool:
    parts = operand if isinstance(operand, pikepdf.Array) else [operand]
    return any(isinstance(each, pikepdf.String) and bytes(each) for each in parts)


def main() -> None:
    """Run the command of the command line, within limits of time and memory."""
    keep_within(cpu_s=_CPU_S, memory_bytes=MEMORY_BYTES)
    parts, reply = read_parts(sys.stdin.buffer), sys.stdout.buffer
    if sys.argv[1] == "join":
        join(parts, reply)
    else:
        reply.write(BLANK if is_blank(next(parts)) else PAINTED)
    reply.flush()


if __name__ == "__main__":
    main()
