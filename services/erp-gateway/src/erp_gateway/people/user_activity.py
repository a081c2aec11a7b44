"""Activity of web users: their last sign-in, and whether the ERP has an active employee for them."""

from collections.abc import Mapping
from datetime import datetime

from attrs import frozen

from erp_gateway.store.statements import Statements
from servicekit.clock import iso_utc


@frozen(kw_only=True)
class UserActivity:
    """Activity of one web user.

    Attributes:
        has_signed_in: whether the user has ever signed in.
        is_active: whether the last lookup found exactly one active employee; None before the first lookup.
    """

    has_signed_in: bool = False
    is_active: bool | None = None

    @property
    def can_sign_in(self) -> bool:
        """True if this user can sign in, as far as the stored activity shows."""
        return self.has_signed_in if self.is_active is None else self.is_active


def load_activity(statements: Statements) -> dict[str, UserActivity]:
    """Return the stored activity by exact name."""
    rows = statements.execute("SELECT web_user, signed_in_at, seen_active FROM web_user_seen")
    return {
        row["web_user"]: UserActivity(
            has_signed_in=row["signed_in_at"] is not None,
            is_active=None if row["seen_active"] is None else bool(row["seen_active"]),
        )
        for row in rows
    }


def save_sign_in(statements: Statements, web_user: str, at: datetime) -> None:
    """Store that a user signed in, and is therefore active."""
    statements.execute(
        "INSERT INTO web_user_seen (web_user, signed_in_at, seen_active) VALUES (?, ?, 1) "
        "ON CONFLICT (web_user) DO UPDATE SET signed_in_at = excluded.signed_in_at, seen_active = 1",
        (web_user, iso_utc(at)),
    )


def save_active(statements: Statements, web_user: str, *, is_active: bool) -> None:
    """Store the result of a lookup for a user with permissions or an earlier row.

    Other names are ignored: anything can be typed at sign-in, and rows for it would fill the store.
    """
    statements.execute(
        "INSERT INTO web_user_seen (web_user, seen_active) "
        "SELECT web_user, ? FROM menu_permission WHERE web_user = ? "
        "ON CONFLICT (web_user) DO UPDATE SET seen_active = excluded.seen_active",
        (int(is_active), web_user),
    )
    statements.execute(
        "UPDATE web_user_seen SET seen_active = ? WHERE web_user = ?", (int(is_active), web_user)
    )


def save_people(statements: Statements, *, active: Mapping[str, bool], is_complete: bool) -> None:
    """Store the result of listing the ERP's web users.

    Args:
        statements: of a transaction.
        active: for each exact name, whether exactly one active employee has it.
        is_complete: whether a missing name means that the ERP has no such employee.
    """
    stored = load_activity(statements)
    permitted = {row["web_user"] for row in statements.execute("SELECT web_user FROM menu_permission")}
    for web_user in sorted({*active, *stored, *permitted} if is_complete else active):
        is_active = active.get(web_user, False)
        if web_user not in stored or stored[web_user].is_active is not is_active:
            statements.execute(
                "INSERT INTO web_user_seen (web_user, seen_active) VALUES (?, ?) "
                "ON CONFLICT (web_user) DO UPDATE SET seen_active = excluded.seen_active",
                (web_user, int(is_active)),
            )
