"""Generated pieces keep what stands around them, and their markers are never guessed."""

import pytest
from tools.docs.part import MarkersError, Part, table

PART = Part("docs/x.md", lambda: "new\n", markers="numbers")
BEGIN, END = "<!-- begin numbers (make docs) -->", "<!-- end numbers -->"


def test_a_part_replaces_the_text_between_its_markers() -> None:
    page = f"before\n\n{BEGIN}\nold\n{END}\n\nafter <!-- end other -->\n"
    once = PART.put_into(page)
    assert once == f"before\n\n{BEGIN}\n\nnew\n\n{END}\n\nafter <!-- end other -->\n"
    assert PART.put_into(once) == once


@pytest.mark.parametrize(
    "page", ["", f"{BEGIN}\n", f"{END}\n{BEGIN}\n", f"{BEGIN}{END}\n{BEGIN}{END}\n"], ids=repr
)
def test_missing_or_repeated_markers_are_an_error(page: str) -> None:
    with pytest.raises(MarkersError, match=r"docs/x\.md has <!-- begin numbers"):
        PART.put_into(page)


def test_without_markers_a_piece_is_the_whole_file() -> None:
    assert Part("x.env", lambda: "A=1\n").put_into("B=2\n") == "A=1\n"


def test_an_empty_cell_is_one_blank() -> None:
    assert table(("A", "B"), [("1", ""), ("", "2")]) == "| A | B |\n|---|---|\n| 1 | |\n| | 2 |"
