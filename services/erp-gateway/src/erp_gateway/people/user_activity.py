"""What was last seen of each web user: when they signed in, and whether the ERP has an active employee."""

from collections.abc import Mapping
from datetime import datetime

from attrs import frozen

from erp_gateway.store.statements import Statements
from servicekit.clock import iso_utc


@frozen(kw_only=True)
class SeenUser:
    """What is known of one web user.

    Attributes:
        has_signed_in: whether a sign-in is known.
        is_active: whether the ERP last answered exactly one active employee; None where it was never asked.
    """

    has_signed_in: bool = False
    is_active: bool | None = None

    @property
    def can_sign_in(self) -> bool:
        """Whether this user can sign in, as far as is known."""
        return self.has_signed_in if self.is_active is None else self.is_active


def load_seen(statements: Statements) -> dict[str, SeenUser]:
    """Return everything that is known, by exact name."""
    rows = statements.execute("SELECT web_user, signed_in_at, seen_active FROM web_user_seen")
    return {
        row["web_user"]: SeenUser(
            has_signed_in=row["signed_in_at"] is not None,
            is_active=None if row["seen_active"] is None else bool(row["seen_active"]),
        )
        for row in rows
    }


def note_sign_in(statements: Statements, web_user: str, at: datetime) -> None:
    """Store that a user signed in, and therefore is active."""
    statements.execute(
        "INSERT INTO web_user_seen (web_user, signed_in_at, seen_active) VALUES (?, ?, 1) "
        "ON CONFLICT (web_user) DO UPDATE SET signed_in_at = excluded.signed_in_at, seen_active = 1",
        (web_user, iso_utc(at)),
    )


def note_active(statements: Statements, web_user: str, *, is_active: bool) -> None:
    """Store what the ERP answered for a name, unless nothing is stored of it.

    A name that was typed at sign-in may be anything, so that only users with permissions or an earlier row
    are kept.
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


def note_people(statements: Statements, *, active: Mapping[str, bool], is_complete: bool) -> None:
    """Store what the list of the ERP's web users says.

    Args:
        statements: of a transaction.
        active: whether there is exactly one active employee, by exact name.
        is_complete: whether the ERP has no employee for names that are missing.
    """
    seen = load_seen(statements)
    permitted = {row["web_user"] for row in statements.execute("SELECT web_user FROM menu_permission")}
    for web_user in sorted({*active, *seen, *permitted} if is_complete else active):
        is_active = active.get(web_user, False)
        if web_user not in seen or seen[web_user].is_active is not is_active:
            statements.execute(
                "INSERT INTO web_user_seen (web_user, seen_active) VALUES (?, ?) "
                "ON CONFLICT (web_user) DO UPDATE SET seen_active = excluded.seen_active",
                (web_user, int(is_active)),
            )
