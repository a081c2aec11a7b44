"""Stored data of web users, on both engines, and upgrades of an older store."""

import json
from datetime import UTC, datetime
from functools import partial

import pytest

from erp_gateway.people.user_activity import (
    UserActivity,
    load_activity,
    save_active,
    save_people,
    save_sign_in,
)
from erp_gateway.store.database import Database, open_database
from erp_gateway.store.migrations import load_migrations
from erp_gateway.store.places import StorePlace
from erp_gateway.store.statements import Statements

NOW = datetime(2026, 3, 2, 14, 0, tzinfo=UTC)
OF_0_1_0 = load_migrations()[:10]
"""The form that the store of 0.1.0 has."""

SIGNED_IN = UserActivity(has_signed_in=True, is_active=True)


def permit(statements: Statements, *users: str) -> None:
    for user in users:
        statements.execute(
            "INSERT INTO menu_permission (web_user, paths, updated_at, updated_by) VALUES (?, ?, ?, ?)",
            (user, json.dumps(["*"]), "2026-01-01T00:00:00.000Z", "cli"),
        )


@pytest.mark.asyncio
async def test_a_sign_in_is_stored_and_marks_the_user_active(database: Database) -> None:
    for active in (False, True):
        await database.write(lambda statements: save_sign_in(statements, "ana", NOW))
        assert await database.write(load_activity) == {"ana": SIGNED_IN}
        await database.write(partial(save_active, web_user="ana", is_active=active))
    assert await database.write(load_activity) == {"ana": SIGNED_IN}


@pytest.mark.asyncio
async def test_unknown_names_typed_at_sign_in_leave_no_rows(database: Database) -> None:
    await database.write(lambda statements: permit(statements, "ana"))
    for name in ("ana", "stranger", "ana "):
        await database.write(partial(save_active, web_user=name, is_active=False))
    assert await database.write(load_activity) == {"ana": UserActivity(is_active=False)}


@pytest.mark.parametrize(
    ("is_complete", "of_dora"),
    [(True, UserActivity(has_signed_in=True, is_active=False)), (False, SIGNED_IN)],
)
@pytest.mark.asyncio
async def test_a_list_of_people_is_stored(
    database: Database, is_complete: bool, of_dora: UserActivity
) -> None:
    await database.write(lambda statements: permit(statements, "ana", "ghost"))
    await database.write(lambda statements: save_sign_in(statements, "dora", NOW))
    listed = {"ana": True, "bea": False}
    for _ in range(2):
        await database.write(partial(save_people, active=listed, is_complete=is_complete))
    ghost = {"ghost": UserActivity(is_active=False)} if is_complete else {}
    assert await database.write(load_activity) == {
        "ana": UserActivity(is_active=True),
        "bea": UserActivity(is_active=False),
        "dora": of_dora,
        **ghost,
    }


def fill_0_1_0(statements: Statements) -> None:
    permit(statements, "ana", "bea", "nadie")
    for user, action, result, at in (
        ("ana", "login", "ok", "2026-01-01T00:00:00.000Z"),
        ("ana", "login", "ok", "2026-02-01T00:00:00.000Z"),
        ("bea", "login_failed", "denied", "2026-02-01T00:00:00.000Z"),
        ("carla", "logout", "ok", "2026-02-01T00:00:00.000Z"),
        ("eva", "login", "error", "2026-02-01T00:00:00.000Z"),
        (None, "login_failed", "denied", "2026-02-01T00:00:00.000Z"),
    ):
        statements.execute(
            "INSERT INTO audit_log (at, web_user, action, result, chain) VALUES (?, ?, ?, ?, ?)",
            (at, user, action, result, ""),
        )
    for user in ("ana", "dora"):
        statements.execute(
            "INSERT INTO web_session (web_user, token_digest, employee_id, first_name, last_name, email, "
            "password_mark, signed_in_at, used_at) VALUES (?, ?, 1, '', '', '', ?, ?, ?)",
            (user, user.encode(), b"m", "2026-01-15T00:00:00.000Z", "2026-01-15T00:00:00.000Z"),
        )


@pytest.mark.asyncio
async def test_a_store_of_0_1_0_keeps_its_sign_ins(store_place: StorePlace) -> None:
    async with open_database(store_place, migrations=OF_0_1_0) as older:
        await older.write(fill_0_1_0)
    async with open_database(store_place) as database:
        kept = await database.read("SELECT web_user, signed_in_at FROM web_user_seen ORDER BY web_user")
        assert [tuple(row) for row in kept] == [
            ("ana", "2026-02-01T00:00:00.000Z"),
            ("dora", "2026-01-15T00:00:00.000Z"),
        ]
        assert set((await database.write(load_activity)).values()) == {UserActivity(has_signed_in=True)}
