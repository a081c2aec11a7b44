"""SQL of the tables of sessions and failed logins."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from attrs import field, frozen

from erp_gateway.store.database import Database
from erp_gateway.store.statements import Row, Statements
from erp_gateway.values.web_user import WebUser
from erp_gateway.web.session import WebSession
from servicekit.clock import iso_utc
from servicekit.throttle import BlockScope, Failures

_COLUMNS: Final = (
    "web_user, token_digest, employee_id, first_name, last_name, email, password_mark, signed_in_at, used_at"
)

SELECT_FAILURES: Final = "SELECT scope, counted, failed_at FROM login_failure ORDER BY last_at"


@frozen(kw_only=True)
class StoredSession:
    """A session as it is stored.

    Attributes:
        session: user, login time and token digest.
        password_fingerprint: see `people.auth.password_fingerprint`.
        used_at: aware UTC time of the last stored use.
    """

    session: WebSession
    password_fingerprint: bytes = field(repr=False)
    used_at: datetime


@frozen(kw_only=True)
class StoredState:
    """All stored sessions and failed logins.

    Attributes:
        sessions: in no order.
        written_at: time of the last write of any process; None before the first.
        failures: failed logins; the key that failed last comes last.
    """

    sessions: Sequence[StoredSession]
    written_at: datetime | None
    failures: Sequence[Failures]


async def load(database: Database, now: datetime) -> StoredState:
    """Read the stored sessions and failed logins; `now` turns the times of failed logins into ages.

    Raises:
        StoreUnavailable: the store cannot be read.
    """
    sessions = await database.read(f"SELECT {_COLUMNS} FROM web_session")  # noqa: S608 - fixed texts
    written = await database.read("SELECT written_at FROM web_session_clock")
    failures = await database.read(SELECT_FAILURES)
    return StoredState(
        sessions=[_parse_session(row) for row in sessions],
        written_at=_parse_time(written[0]["written_at"]) if written else None,
        failures=parse_failures(failures, now),
    )


def save_session(
    statements: Statements, session: WebSession, password_fingerprint: bytes, used_at: datetime
) -> None:
    """Store a session, replacing an earlier one of its user."""
    user = session.user
    statements.execute(
        f"INSERT INTO web_session ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "  # noqa: S608 - fixed texts
        "ON CONFLICT (web_user) DO UPDATE SET token_digest = excluded.token_digest, "
        "employee_id = excluded.employee_id, first_name = excluded.first_name, "
        "last_name = excluded.last_name, email = excluded.email, password_mark = excluded.password_mark, "
        "signed_in_at = excluded.signed_in_at, used_at = excluded.used_at",
        (
            user.name,
            session.token_digest,
            user.employee_id,
            user.first_name,
            user.last_name,
            user.email,
            password_fingerprint,
            iso_utc(session.signed_in_at),
            iso_utc(used_at),
        ),
    )


def select_uses(statements: Statements) -> dict[bytes, tuple[str, datetime]]:
    """Map the token digest of each stored session to its web user and last use."""
    rows = statements.execute("SELECT token_digest, web_user, used_at FROM web_session")
    return {bytes(row["token_digest"]): (row["web_user"], _parse_time(row["used_at"])) for row in rows}


def set_used(statements: Statements, token_digest: bytes, used_at: datetime) -> None:
    """Store the last use of a session; does nothing if the session is not stored."""
    statements.execute(
        "UPDATE web_session SET used_at = ? WHERE token_digest = ?", (iso_utc(used_at), token_digest)
    )


def delete_session(statements: Statements, token_digest: bytes) -> None:
    """Remove a session; a newer one of the same user stays."""
    statements.execute("DELETE FROM web_session WHERE token_digest = ?", (token_digest,))


def set_written(statements: Statements, now: datetime) -> None:
    """Store the time of this write."""
    statements.execute(
        "INSERT INTO web_session_clock (id, written_at) VALUES (1, ?) "
        "ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at",
        (iso_utc(now),),
    )


def save_failures(statements: Statements, failures: Iterable[Failures], now: datetime) -> None:
    """Replace the stored failed logins of these users and addresses."""
    for each in failures:
        if not each.ages_s:
            statements.execute(
                "DELETE FROM login_failure WHERE scope = ? AND counted = ?", (each.scope.value, each.key)
            )
            continue
        times = [iso_utc(now - timedelta(seconds=age_s)) for age_s in each.ages_s]
        statements.execute(
            "INSERT INTO login_failure (scope, counted, failed_at, last_at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (scope, counted) DO UPDATE SET failed_at = excluded.failed_at, "
            "last_at = excluded.last_at",
            (each.scope.value, each.key, json.dumps(times), times[-1]),
        )


def delete_failures_before(statements: Statements, moment: datetime) -> None:
    """Delete failed logins that no longer count."""
    statements.execute("DELETE FROM login_failure WHERE last_at <= ?", (iso_utc(moment),))


def delete_all_failures(statements: Statements) -> None:
    """Delete all failed logins and all requests to lift blocks."""
    for table in ("login_failure", "login_block_lift"):
        statements.execute(f"DELETE FROM {table}")  # noqa: S608 - fixed texts


def delete_all_sessions(statements: Statements) -> None:
    """Delete all sessions."""
    for table in ("web_session", "web_session_clock"):
        statements.execute(f"DELETE FROM {table}")  # noqa: S608 - fixed texts


def parse_failures(rows: Iterable[Row], now: datetime) -> list[Failures]:
    """Parse the rows of `SELECT_FAILURES`; `now` turns their times into ages."""
    return [_parse_failures(row, now) for row in rows]


def request_lift(statements: Statements, scope: BlockScope, key: str) -> None:
    """Delete a key's failed logins, and ask the running process to forget them as well."""
    statements.execute("DELETE FROM login_failure WHERE scope = ? AND counted = ?", (scope.value, key))
    statements.execute(
        "INSERT INTO login_block_lift (scope, counted) VALUES (?, ?) ON CONFLICT (scope, counted) DO NOTHING",
        (scope.value, key),
    )


SELECT_LIFTS: Final = "SELECT scope, counted FROM login_block_lift"


def parse_lifts(rows: Iterable[Row]) -> list[tuple[BlockScope, str]]:
    """Parse the rows of `SELECT_LIFTS`."""
    return [(BlockScope(row["scope"]), row["counted"]) for row in rows]


def delete_lifts(statements: Statements, keys: Iterable[tuple[BlockScope, str]]) -> None:
    """Delete requests that were carried out."""
    for scope, key in keys:
        statements.execute("DELETE FROM login_block_lift WHERE scope = ? AND counted = ?", (scope.value, key))


def _parse_session(row: Row) -> StoredSession:
    session = WebSession(
        user=WebUser(
            name=row["web_user"],
            employee_id=row["employee_id"],
            first_name=row["first_name"],
            last_name=row["last_name"],
            email=row["email"],
        ),
        signed_in_at=_parse_time(row["signed_in_at"]),
        token_digest=bytes(row["token_digest"]),
    )
    return StoredSession(
        session=session, password_fingerprint=bytes(row["password_mark"]), used_at=_parse_time(row["used_at"])
    )


def _parse_failures(row: Row, now: datetime) -> Failures:
    times = [_parse_time(text) for text in json.loads(row["failed_at"])]
    return Failures(
        scope=BlockScope(row["scope"]),
        key=row["counted"],
        # If the clock was set back, the age is 0 instead of negative, so the block ends no sooner.
        ages_s=tuple(max(0.0, (now - time).total_seconds()) for time in times),
    )


def _parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
