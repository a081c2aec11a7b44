"""The last-administrator rule."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.permissions.service import loses_last_administrator

USERS = st.sampled_from(["ana", "bea", "carla"])
PATHS = st.lists(st.sampled_from(["*", "/x", "/y/*"]), max_size=2).map(tuple)


@pytest.mark.parametrize(
    ("before", "web_user", "new_paths", "refused"),
    [
        pytest.param({"ana": ("*",)}, "ana", (), True, id="the only one is removed"),
        pytest.param({"ana": ("*",)}, "ana", ("/x",), True, id="the only one is reduced"),
        pytest.param({"ana": ("*",)}, "ana", ("/x", "*"), False, id="the only one keeps it"),
        pytest.param({"ana": ("*",), "bea": ("*",)}, "ana", (), False, id="another one is left"),
        pytest.param({"ana": ("*",), "bea": ("/x",)}, "bea", (), False, id="somebody else is removed"),
        pytest.param({"ana": ("/x",)}, "ana", (), False, id="there was none"),
        pytest.param({}, "ana", (), False, id="nobody at all"),
    ],
)
def test_the_rule(
    before: Mapping[str, tuple[str, ...]], web_user: str, new_paths: tuple[str, ...], refused: bool
) -> None:
    assert loses_last_administrator(before, web_user, new_paths) is refused


@given(st.dictionaries(USERS, PATHS), USERS, PATHS)
def test_exactly_the_changes_that_end_administration_are_refused(
    before: dict[str, tuple[str, ...]], web_user: str, new_paths: tuple[str, ...]
) -> None:
    after = {**before, web_user: new_paths}
    had_one = any("*" in paths for paths in before.values())
    has_one = any("*" in paths for paths in after.values())
    assert loses_last_administrator(before, web_user, new_paths) is (had_one and not has_one)
