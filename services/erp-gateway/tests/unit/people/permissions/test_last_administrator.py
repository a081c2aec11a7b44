"""The last administrator: which holders of `*` count, and which changes are refused."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.people.permissions.last_administrator import loses_last_administrator
from erp_gateway.people.user_activity import UserActivity

USERS = st.sampled_from(["ana", "bea", "carla"])
PATHS = st.lists(st.sampled_from(["*", "/x", "/y/*"]), max_size=2).map(tuple)

Paths = tuple[str, ...]
ALL: Paths = ("*",)
SIGNED_IN = UserActivity(has_signed_in=True)
ACTIVE = UserActivity(is_active=True)
LEFT = UserActivity(has_signed_in=True, is_active=False)


@pytest.mark.parametrize(
    ("before", "web_user", "new_paths", "refused"),
    [
        pytest.param({"ana": ALL}, "ana", (), True, id="the only one is removed"),
        pytest.param({"ana": ALL}, "ana", ("/x",), True, id="the only one is reduced"),
        pytest.param({"ana": ALL}, "ana", ("/x", "*"), False, id="the only one keeps it"),
        pytest.param({"ana": ALL, "bea": ALL}, "ana", (), False, id="another one is left"),
        pytest.param({"ana": ALL, "bea": ("/x",)}, "bea", (), False, id="somebody else is removed"),
        pytest.param({"ana": ("/x",)}, "ana", (), False, id="there was none"),
        pytest.param({}, "ana", (), False, id="nobody at all"),
    ],
)
def test_without_activity_names_count(
    before: Mapping[str, Paths], web_user: str, new_paths: Paths, refused: bool
) -> None:
    assert loses_last_administrator(before, {}, web_user, new_paths) is refused


@given(st.dictionaries(USERS, PATHS), USERS, PATHS)
def test_without_activity_only_changes_that_remove_all_administrators_are_rejected(
    before: dict[str, Paths], web_user: str, new_paths: Paths
) -> None:
    after = {**before, web_user: new_paths}
    had_one = any("*" in paths for paths in before.values())
    has_one = any("*" in paths for paths in after.values())
    assert loses_last_administrator(before, {}, web_user, new_paths) is (had_one and not has_one)


@pytest.mark.parametrize(
    ("seen", "web_user", "refused"),
    [
        pytest.param({"ana": SIGNED_IN}, "ana", True, id="the other never signed in"),
        pytest.param({"ana": SIGNED_IN}, "bea", False, id="one that never signed in goes"),
        pytest.param({"ana": SIGNED_IN, "bea": SIGNED_IN}, "ana", False, id="both signed in"),
        pytest.param({"ana": SIGNED_IN, "bea": ACTIVE}, "ana", False, id="the other is active"),
        pytest.param({"ana": SIGNED_IN, "bea": LEFT}, "ana", True, id="the other has left"),
        pytest.param({"ana": LEFT, "bea": SIGNED_IN}, "ana", False, id="one that left goes"),
        pytest.param({"ana": LEFT}, "ana", False, id="one that left, beside one never seen"),
        pytest.param({"ana": LEFT}, "bea", True, id="one never seen, beside one that left"),
        pytest.param({"ana": LEFT, "bea": LEFT}, "ana", False, id="both left, so names count"),
        pytest.param({"carla": SIGNED_IN}, "ana", False, id="only somebody without the right was seen"),
    ],
)
def test_only_users_who_can_sign_in_count(
    seen: Mapping[str, UserActivity], web_user: str, refused: bool
) -> None:
    assert loses_last_administrator({"ana": ALL, "bea": ALL}, seen, web_user, ()) is refused


@pytest.mark.parametrize("other", ["ana ", " ana", "ana\u200b", "\ufeffana", "ANA", "an\u00ada", "ａna"])  # noqa: RUF001
@pytest.mark.parametrize("seen", [{}, {"ana": SIGNED_IN}, {"ana": ACTIVE}])
def test_another_spelling_is_not_a_second_administrator(other: str, seen: Mapping[str, UserActivity]) -> None:
    before = {"ana": ALL, other: ALL}
    assert loses_last_administrator(before, seen, "ana", ())
    assert loses_last_administrator(before, seen, other, ()) is (not seen and other in {"ANA", "ａna"})  # noqa: RUF001


@pytest.mark.parametrize("other", ["cli", "Startup", "erp_gateway:x", "\u200b"])
@pytest.mark.parametrize("seen", [{}, {"ana": SIGNED_IN}])
def test_a_reserved_name_is_not_an_administrator(other: str, seen: Mapping[str, UserActivity]) -> None:
    before = {"ana": ALL, other: ALL}
    known = {**seen, other: SIGNED_IN}  # an earlier version let it sign in
    assert loses_last_administrator(before, known, "ana", ())
    assert not loses_last_administrator(before, known, other, ())


@given(
    st.dictionaries(USERS, PATHS),
    st.dictionaries(USERS, st.sampled_from([SIGNED_IN, ACTIVE, LEFT, UserActivity()])),
    USERS,
    PATHS,
)
def test_no_change_removes_the_last_administrator_who_can_sign_in(
    before: dict[str, Paths], seen: dict[str, UserActivity], web_user: str, new_paths: Paths
) -> None:
    def usable(paths_by_user: dict[str, Paths]) -> set[str]:
        return {
            user
            for user, paths in paths_by_user.items()
            if "*" in paths and user in seen and seen[user].can_sign_in
        }

    refused = loses_last_administrator(before, seen, web_user, new_paths)
    if not refused:
        assert usable({**before, web_user: new_paths}) or not usable(before)
