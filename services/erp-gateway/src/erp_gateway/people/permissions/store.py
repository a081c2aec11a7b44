"""SQL of the table `menu_permission`."""

import json
from datetime import UTC, datetime

from attrs import frozen

from erp_gateway.store.statements import Statements
from servicekit.clock import iso_utc


@frozen(kw_only=True)
class Permission:
    """Permissions of one web user.

    Attributes:
        web_user: the name exactly as in the ERP.
        paths: patterns without duplicates, in the given order.
        updated_at: aware UTC time of the last change.
        updated_by: the web user who changed them, `cli` or `startup`.
    """

    web_user: str
    paths: tuple[str, ...]
    updated_at: datetime
    updated_by: str


def load_all(connection: Statements) -> dict[str, Permission]:
    """Return all permissions by user name, in the order of the names."""
    rows = connection.execute(
        "SELECT web_user, paths, updated_at, updated_by FROM menu_permission ORDER BY web_user"
    )
    return {
        row["web_user"]: Permission(
            web_user=row["web_user"],
            paths=tuple(json.loads(row["paths"])),
            updated_at=datetime.fromisoformat(row["updated_at"]).astimezone(UTC),
            updated_by=row["updated_by"],
        )
        for row in rows
    }


def save(connection: Statements, permission: Permission) -> None:
    """Store the permissions of one user, replacing earlier ones."""
    connection.execute(
        "INSERT INTO menu_permission (web_user, paths, updated_at, updated_by) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (web_user) DO UPDATE SET paths = excluded.paths, updated_at = excluded.updated_at, "
        "updated_by = excluded.updated_by",
        (
            permission.web_user,
            json.dumps(permission.paths),
            iso_utc(permission.updated_at),
            permission.updated_by,
        ),
    )


def delete(connection: Statements, web_user: str) -> None:
    """Remove one user's entry."""
    connection.execute("DELETE FROM menu_permission WHERE web_user = ?", (web_user,))
