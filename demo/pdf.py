"""What a PDF holds: its text, the size of its pages, and these as pictures (`python -m demo.pdf FILE…`)."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]  # it has no types

FOLDER = Path(__file__).resolve().parents[1] / "build" / "demo"
"""Where the tour leaves its documents."""

_POINTS_PER_MM = 72 / 25.4
_DOTS_PER_POINT = 150 / 72


@dataclass(frozen=True)
class PdfPage:
    """One page: its text with single blanks, and its size in whole millimetres."""

    text: str
    size_mm: tuple[int, int]


def read_pdf(content: bytes) -> list[PdfPage]:
    """Return the pages.

    Raises:
        ValueError: it is no PDF.
    """
    if not content.startswith(b"%PDF-"):
        raise ValueError(f"no PDF but {content[:40]!r}")
    with _opened(content) as document:
        return [
            PdfPage(
                " ".join(page.get_textpage().get_text_range().split()),
                (round(page.get_width() / _POINTS_PER_MM), round(page.get_height() / _POINTS_PER_MM)),
            )
            for page in document
        ]


def draw_pages(path: Path) -> Iterator[Path]:
    """Draw every page of a PDF as a PNG beside it, `name-1.png` and so on, and yield the files."""
    with _opened(path.read_bytes()) as document:
        for number, page in enumerate(document, 1):
            picture = path.with_name(f"{path.stem}-{number}.png")
            page.render(scale=_DOTS_PER_POINT).to_pil().save(picture)
            yield picture


@contextmanager
def _opened(content: bytes) -> Iterator[Any]:
    document = pypdfium2.PdfDocument(content)
    try:
        yield document
    finally:
        document.close()


def main(arguments: Sequence[str]) -> int:
    """Draw the named documents, or those that the tour has left; return 1 when there are none."""
    found = [Path(each) for each in arguments] or sorted(FOLDER.glob("*.pdf"))
    for path in found:
        for picture in draw_pages(path):
            print(picture)
    if not found:
        print(f"No PDF in {FOLDER}: take the tour first (make tour), or name a file.")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
