"""Decide whether a change would remove the last administrator."""

from collections.abc import Collection, Mapping

from erp_gateway.people.permissions.patterns import EVERYTHING
from erp_gateway.people.user_activity import UserActivity
from erp_gateway.values.user_names import has_plain_form, is_reserved
from servicekit.throttle import key_of_user

_UNKNOWN = UserActivity()


def loses_last_administrator(
    paths_by_user: Mapping[str, Collection[str]],
    activity: Mapping[str, UserActivity],
    web_user: str,
    new_paths: Collection[str],
) -> bool:
    """Return True if giving `web_user` exactly `new_paths` would leave no administrator who can sign in.

    Names compare exactly, as they do at sign-in. An entry that differs from the ERP's spelling in letter
    case, a blank or an invisible character gives its permissions to no session.

    Args:
        paths_by_user: all users' patterns before the change.
        activity: stored activity of web users.
        web_user: the user whose patterns change.
        new_paths: the patterns afterwards; empty if the entry is removed.
    """
    if EVERYTHING in new_paths or EVERYTHING not in paths_by_user.get(web_user, ()):
        return False
    holders = {user for user, paths in paths_by_user.items() if EVERYTHING in paths}
    proven = {user for user in holders if _can_sign_in(user, activity)}
    if proven:
        return proven == {web_user}
    likely = {user for user in holders if _may_sign_in(user, activity)} or holders
    return web_user in likely and {key_of_user(user) for user in likely} == {key_of_user(web_user)}


def _can_sign_in(web_user: str, activity: Mapping[str, UserActivity]) -> bool:
    return not is_reserved(web_user) and activity.get(web_user, _UNKNOWN).can_sign_in


def _may_sign_in(web_user: str, activity: Mapping[str, UserActivity]) -> bool:
    """Return True unless a fact speaks against it. Without stored activity, only the name itself counts."""
    is_inactive = activity.get(web_user, _UNKNOWN).is_active is False
    return not (is_inactive or is_reserved(web_user)) and has_plain_form(web_user)
