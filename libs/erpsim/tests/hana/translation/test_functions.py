"""Functions of SQL that exist, are unknown or are not simulated."""

import pytest

from erpsim.hana.protocol.codes import HanaError
from erpsim.hana.translation.functions import find_function


@pytest.mark.parametrize(
    ("name", "count", "code"), [("NOPE", 1, 328), ("WEEK", 1, 7), ("SUBSTRING", 1, 7), ("COALESCE", 1, 7)]
)
def test_any_other_function_is_unknown_or_not_simulated(name: str, count: int, code: int) -> None:
    with pytest.raises(HanaError) as refused:
        find_function(name, count, "line 1 col 8 (at pos 7)")
    assert refused.value.code == code
