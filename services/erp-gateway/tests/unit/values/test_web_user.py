"""The full name has no blank where a part is missing."""

import attrs
import pytest
from employees import make_user

from erp_gateway.values.web_user import WebUser


@pytest.mark.parametrize(
    ("first", "last", "full"),
    [("Ana", "Rojas", "Ana Rojas"), ("", "Rojas", "Rojas"), ("Ana", "", "Ana"), ("", "", "")],
)
def test_a_full_name_has_the_parts_that_there_are(first: str, last: str, full: str) -> None:
    user: WebUser = attrs.evolve(make_user(), first_name=first, last_name=last)
    assert user.full_name == full
