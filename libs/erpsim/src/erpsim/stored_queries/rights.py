"""Rights to change and run stored queries.

Superusers may do both, and all users may read them. A normal user needs a grant for each query to run it, and
another right to change any (SAP manual 1.29, 4.11). Grants apply at once here; the real cache takes about a
minute.
"""

from __future__ import annotations

from typing import Final

from erpsim.company.company import Company

RIGHTS: Final = "$QueryRights"
ANY: Final = "*"
MODIFY: Final = "modify"
_RUN: Final = "run"


def may_run(company: Company, user: str, code: str) -> bool:
    """Return whether a user may run a query."""
    if company.is_superuser(user):
        return True
    granted = company.switches.sql_grants
    if {f"{user}:{code}", f"{user}:{ANY}"} & granted:
        return not _is_revoked(company, user, code)
    return company.find(RIGHTS, user, code) is not None and not _is_revoked(company, user, code)


def may_modify(company: Company, user: str) -> bool:
    """Return whether a user may create, change and remove queries."""
    return company.is_superuser(user) or user in company.switches.sql_modifiers


def set_right(company: Company, user: str, code: str, *, granted: bool) -> None:
    """Grant or revoke a user's right to run a query, overriding the switch."""
    with company.transaction():
        row = {"user": user, "code": code, "state": _RUN if granted else "none"}
        company.database.put(RIGHTS, (user, code), dict(row))


def _is_revoked(company: Company, user: str, code: str) -> bool:
    row = company.find(RIGHTS, user, code)
    return row is not None and row.get("state") != _RUN
