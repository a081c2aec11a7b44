"""The tables of docs/references.md are those of the code."""

from tools.reference_table import PAGE, written_into


def test_the_page_shows_the_references_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written_into(page), "write it again: python -m tools.reference_table --write"
