"""The process that looks whether a PDF is blank: reads it from standard input, writes one byte, ends.

In it and not in the service for the reasons of `joining_process`. Input: as of that. Output: 1 where no page
has text, an image, a path or an annotation with an appearance, else 0; nothing where it can't be read.
"""

import io
import sys
from typing import Final

import pikepdf

from servicekit.pdfs.joining_process import keep_within_limits, read_parts

SOMETHING: Final = b"\x00"
BLANK: Final = b"\x01"

_TEXT: Final = ("Tj", "TJ", "'", '"')
_PATHS: Final = ("S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh")
_USE: Final = "Do"
_OPERATORS: Final = " ".join((*_TEXT, *_PATHS, _USE, "BI", "ID", "EI"))
_DEEPEST: Final = 20
"""Forms within forms; what lies deeper counts as painted."""


def is_blank(pdf: bytes) -> bool:
    """Tell whether nothing is painted on any page.

    Raises:
        pikepdf.PdfError: It can't be read; so do `PasswordError` and `ValueError`.
    """
    with pikepdf.Pdf.open(io.BytesIO(pdf), suppress_warnings=True) as opened:
        if not len(opened.pages):
            raise ValueError("it has no page")
        return not any(_is_seen(page) for page in opened.pages)


def _is_seen(page: pikepdf.Page) -> bool:
    annotations = page.obj.get("/Annots")
    if annotations is not None and any("/AP" in each for each in annotations):
        return True
    return _paints(page.obj, page.resources, frozenset())


def _paints(content: pikepdf.Object, resources: pikepdf.Object, within: frozenset[object]) -> bool:
    """Tell whether a page's content, or a form's, paints something; forms that use themselves end."""
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
    named = resources.get("/XObject")
    used = None if named is None else named.get(name)
    if used is None or used.objgen in within:
        return False
    if used.get("/Subtype") != pikepdf.Name.Form or len(within) >= _DEEPEST:
        return True
    return _paints(used, used.get("/Resources", resources), within | {used.objgen})


def _has_text(shown: object) -> bool:
    """Tell whether a string, or one of an array with moves between, has a character."""
    parts = shown if isinstance(shown, pikepdf.Array) else [shown]
    return any(isinstance(each, pikepdf.String) and bytes(each) for each in parts)


def main() -> None:
    """Look at what comes, within limits of time and memory."""
    keep_within_limits()
    (pdf,) = read_parts(sys.stdin.buffer)
    sys.stdout.buffer.write(BLANK if is_blank(pdf) else SOMETHING)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
