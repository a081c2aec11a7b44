"""Where docs/where-is.md points, there is something."""

import re

from tools.packages import ROOT

LINE = re.compile(r"^\| (?P<question>[^|]+\?) \| `(?P<file>[^`]+)` \|$", re.MULTILINE)


def test_every_question_has_an_answer_that_exists() -> None:
    found = LINE.findall((ROOT / "docs/where-is.md").read_text(encoding="utf-8"))
    assert len(found) == 24
    assert [file for _, file in found if not (ROOT / file).exists()] == []
