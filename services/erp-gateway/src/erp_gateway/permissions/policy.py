"""The last-administrator rule, as a decision about values."""

from collections.abc import Collection, Mapping

from erp_gateway.permissions.patterns import EVERYTHING


def loses_last_administrator(
    paths_by_user: Mapping[str, Collection[str]], web_user: str, new_paths: Collection[str]
) -> bool:
    """Tell whether giving `web_user` exactly `new_paths` would take `*` from the only one who has it.

    Args:
        paths_by_user: everybody's patterns before the change.
        web_user: whose patterns change.
        new_paths: what they become; empty when the entry is removed.
    """
    if EVERYTHING in new_paths or EVERYTHING not in paths_by_user.get(web_user, ()):
        return False
    return not any(EVERYTHING in paths for user, paths in paths_by_user.items() if user != web_user)
