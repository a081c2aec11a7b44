"""The functions, and the page that lists them."""

import re
from pathlib import Path

import pytest

from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.translation.functions import FUNCTIONS, MANY, find_function

PAGE = Path(__file__).parents[5] / "docs" / "simulated-hana.md"
_WRITTEN_OTHERWISE = {
    "CAST", "CASE", "EXTRACT", "TRIM", "UTC", "NOW", "SESSION_CONTEXT", "SESSION_USER", "CURRENT_DATE",
    "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_SCHEMA", "CURRENT_USER", "CURRENT_CONNECTION",
    "CURRENT_TRANSACTION_ISOLATION_LEVEL",
}  # fmt: skip
"""What the grammar itself knows."""


def test_the_page_lists_the_functions() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Functions")[1].split("## ")[0]
    listed = set(re.findall(r"`([A-Z_]{2,})`", section.split("Date patterns")[0]))
    listed |= set(re.findall(r"`([A-Z_]{2,})`", section.split("between them.")[1]))
    assert listed - _WRITTEN_OTHERWISE == {name for name, _ in FUNCTIONS} | set(MANY)


@pytest.mark.parametrize(
    ("name", "count", "code"), [("NOPE", 1, 328), ("WEEK", 1, 7), ("SUBSTRING", 1, 7), ("COALESCE", 1, 7)]
)
def test_another_function_is_unknown_or_not_simulated(name: str, count: int, code: int) -> None:
    with pytest.raises(HanaError) as refused:
        find_function(name, count, "line 1 col 8 (at pos 7)")
    assert refused.value.code == code
