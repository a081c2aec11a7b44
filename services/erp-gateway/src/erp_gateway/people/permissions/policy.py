"""Which holders of `*` count as administrators, and whether a change would take the last one's `*`."""

from collections.abc import Collection, Mapping

from erp_gateway.people.permissions.patterns import EVERYTHING
from erp_gateway.people.user_activity import SeenUser
from erp_gateway.values.user_names import has_plain_form, is_reserved
from servicekit.throttle import key_of_user

_NEVER_SEEN = SeenUser()


def loses_last_administrator(
    paths_by_user: Mapping[str, Collection[str]],
    seen: Mapping[str, SeenUser],
    web_user: str,
    new_paths: Collection[str],
) -> bool:
    """Return whether giving `web_user` exactly `new_paths` would leave nobody who can administer.

    Names compare exactly, as they do at sign-in: an entry whose spelling differs from the ERP's by a letter's
    case, a blank or an invisible character gives its permissions to no session.

    Args:
        paths_by_user: everybody's patterns before the change.
        seen: what is known of web users.
        web_user: the user whose patterns change.
        new_paths: the patterns afterwards; empty when the entry is removed.
    """
    if EVERYTHING in new_paths or EVERYTHING not in paths_by_user.get(web_user, ()):
        return False
    holders = {user for user, paths in paths_by_user.items() if EVERYTHING in paths}
    proven = {user for user in holders if _can_sign_in(user, seen)}
    if proven:
        return proven == {web_user}
    likely = {user for user in holders if _may_sign_in(user, seen)} or holders
    return web_user in likely and {key_of_user(user) for user in likely} == {key_of_user(web_user)}


def _can_sign_in(web_user: str, seen: Mapping[str, SeenUser]) -> bool:
    return not is_reserved(web_user) and seen.get(web_user, _NEVER_SEEN).can_sign_in


def _may_sign_in(web_user: str, seen: Mapping[str, SeenUser]) -> bool:
    """Return whether nothing speaks against a name that was never seen: then the name alone counts."""
    is_inactive = seen.get(web_user, _NEVER_SEEN).is_active is False
    return not (is_inactive or is_reserved(web_user)) and has_plain_form(web_user)
