"""Where docs/where-is.md points, there is something."""

import re

from tools.packages import ROOT

LINE = re.compile(r"\| [^|]+\? \| `(?P<file>[^`]+)` \|")


def test_every_question_has_an_answer_that_exists() -> None:
    page = (ROOT / "docs/where-is.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("|")][2:]
    assert rows, "below the two lines of the table's head"
    answers = {row: LINE.fullmatch(row) for row in rows}
    wrong = [row for row, answer in answers.items() if answer is None or not (ROOT / answer["file"]).exists()]
    assert wrong == []


def test_the_gateways_page_names_each_of_its_rooms() -> None:
    folder = ROOT / "services/erp-gateway"
    page = (folder / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    assert named == sorted(each.parent.name for each in folder.glob("src/erp_gateway/*/__init__.py"))
