"""Permissions: kept, answered at once, never without an administrator, whoever else changes them."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from store_beside import beside
from store_insides import SQLITE_ONLY, sqlite_writer

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditFilter, AuditItem, AuditStore
from erp_gateway.people.permissions.errors import LastAdministrator, PermissionsNotFound
from erp_gateway.people.permissions.patterns import MAX_PATTERNS, InvalidPatternsError, parse_patterns
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.store.database import Database, open_database
from erp_gateway.store.errors import StoreNotUsable, StoreUnavailable
from erp_gateway.store.places import StorePlace
from erp_gateway.values.audit_event import Actor
from servicekit.clock import ManualClock

ROOT = Actor(web_user="root", ip="10.0.0.1", request_id="01J")


@pytest_asyncio.fixture
async def service(database: Database, recorder: AuditRecorder, clock: ManualClock) -> PermissionService:
    opened = PermissionService(database, recorder, clock)
    await opened.reload()
    return opened


async def give(service: PermissionService, web_user: str, *paths: str) -> None:
    await service.replace(web_user, parse_patterns(paths), actor=ROOT)


async def records(store: AuditStore) -> list[AuditItem]:
    return [entry async for entry in store.walk(AuditFilter())]


@asynccontextmanager
async def in_another_process(place: StorePlace, clock: ManualClock) -> AsyncIterator[PermissionService]:
    """Open the same store a second time, as a command in another process does."""
    async with open_database(place) as database:
        other = PermissionService(database, AuditRecorder(AuditStore(database), clock), clock)
        await other.reload()
        yield other


@pytest.mark.asyncio
async def test_a_user_without_an_entry_has_no_permission(service: PermissionService) -> None:
    assert service.paths("ana") == ()
    assert not service.allows("ana", "/x")
    assert not service.is_admin("ana")
    assert service.find("ana") is None
    assert service.list_all() == ()


@pytest.mark.asyncio
async def test_a_change_applies_at_once_and_is_stored(
    service: PermissionService, store_place: StorePlace, clock: ManualClock
) -> None:
    await give(service, "ana", "/x/*", "/y")
    clock.advance(60)
    changed = await service.replace("ana", parse_patterns(["/z", "/x/*"]), actor=ROOT)

    assert service.paths("ana") == ("/z", "/x/*")
    assert service.allows("ana", "/x/1")
    assert not service.allows("ana", "/y")
    assert (changed.updated_by, changed.updated_at) == ("root", clock.now())
    assert service.find("ana") == changed
    async with in_another_process(store_place, clock) as other:
        assert other.find("ana") == changed


@pytest.mark.asyncio
async def test_permissions_are_listed_by_user_name(service: PermissionService) -> None:
    for web_user in ("carla", "ana", "bea"):
        await give(service, web_user, "/x")
    assert [permission.web_user for permission in service.list_all()] == ["ana", "bea", "carla"]


@pytest.mark.asyncio
async def test_names_that_differ_in_case_are_different_users(service: PermissionService) -> None:
    await give(service, "ana", "*")
    assert not service.is_admin("Ana")


@pytest.mark.asyncio
async def test_the_last_administrator_is_neither_reduced_nor_removed(service: PermissionService) -> None:
    await give(service, "ana", "*")
    await give(service, "bea", "/x")
    with pytest.raises(LastAdministrator):
        await give(service, "ana", "/x")
    with pytest.raises(LastAdministrator):
        await service.remove("ana", actor=ROOT)
    with pytest.raises(LastAdministrator):
        await service.revoke("ana", parse_patterns(["*"]), actor=ROOT)
    assert service.is_admin("ana")

    await give(service, "bea", "*")
    await service.remove("ana", actor=ROOT)
    assert service.find("ana") is None
    assert service.is_admin("bea")


@pytest.mark.asyncio
async def test_of_two_administrators_removing_each_other_at_once_one_remains(
    service: PermissionService,
) -> None:
    await give(service, "ana", "*")
    await give(service, "bea", "*")
    results = await asyncio.gather(
        service.remove("ana", actor=ROOT), give(service, "bea", "/x"), return_exceptions=True
    )
    assert sorted(type(result).__name__ for result in results) == ["LastAdministrator", "NoneType"]
    assert service.is_admin("ana") != service.is_admin("bea")


@pytest.mark.asyncio
async def test_a_command_in_another_process_cannot_remove_the_last_administrator(
    service: PermissionService, store_place: StorePlace, clock: ManualClock
) -> None:
    await give(service, "ana", "*")
    await give(service, "bea", "*")
    async with in_another_process(store_place, clock) as other:
        await other.remove("ana", actor=ROOT)  # the running service does not know of it yet
        with pytest.raises(LastAdministrator):
            await service.remove("bea", actor=ROOT)


@pytest.mark.asyncio
async def test_a_reload_finds_a_change_of_another_process(
    service: PermissionService, store_place: StorePlace, clock: ManualClock
) -> None:
    await service.reload_if_changed()
    async with in_another_process(store_place, clock) as other:
        await give(other, "ana", "/x")
        assert service.paths("ana") == ()
        await service.reload_if_changed()
        assert service.paths("ana") == ("/x",)


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_a_reload_without_changes_reads_no_permissions(
    service: PermissionService, database: Database
) -> None:
    await service.reload_if_changed()
    await give(service, "ana", "/x")
    statements: list[str] = []
    await sqlite_writer(database).run(lambda connection: connection.set_trace_callback(statements.append))
    await service.reload_if_changed()
    assert statements == ["PRAGMA data_version"]


@pytest.mark.asyncio
async def test_a_failed_reload_is_repeated(
    service: PermissionService, database: Database, store_place: StorePlace, clock: ManualClock
) -> None:
    await service.reload_if_changed()
    async with in_another_process(store_place, clock) as other:
        await give(other, "ana", "/x")

    beside(store_place).ask("ALTER TABLE menu_permission RENAME TO taken_away")
    with pytest.raises(StoreUnavailable):
        await service.reload_if_changed()
    beside(store_place).ask("ALTER TABLE taken_away RENAME TO menu_permission")
    await service.reload_if_changed()
    assert service.paths("ana") == ("/x",)


@pytest.mark.asyncio
async def test_permissions_in_memory_follow_the_order_of_the_commits(
    service: PermissionService, store_place: StorePlace, clock: ManualClock
) -> None:
    chance = random.Random(5)

    async def change(number: int) -> None:
        await asyncio.sleep(chance.random() / 200)
        await give(service, "ana", f"/x{number}")

    async def look() -> None:
        await asyncio.sleep(chance.random() / 200)
        await service.reload()

    await asyncio.gather(*(change(number) for number in range(30)), *(look() for _ in range(30)))

    async with in_another_process(store_place, clock) as other:
        assert other.find("ana") == service.find("ana")


@pytest.mark.asyncio
async def test_a_change_is_applied_and_audited_after_its_caller_disconnects(
    service: PermissionService,
    database: Database,
    store_place: StorePlace,
    clock: ManualClock,
    audit_store: AuditStore,
) -> None:
    with beside(store_place).hold():
        task = asyncio.create_task(give(service, "ana", "/x"))
        for _ in range(20):  # until its turn has come
            await asyncio.sleep(0)
        assert not database._waiting
        task.cancel()
    await asyncio.wait({task})

    assert task.cancelled()
    assert service.paths("ana") == ("/x",)
    assert [(entry.key, entry.result) for entry in await records(audit_store)] == [("ana", "ok")]
    async with in_another_process(store_place, clock) as other:
        assert other.find("ana") == service.find("ana")


@pytest.mark.asyncio
async def test_a_store_that_refuses_changes_nothing(service: PermissionService, database: Database) -> None:
    await give(service, "ana", "/x")
    database.stop()
    with pytest.raises(StoreUnavailable):
        await give(service, "ana", "/y")
    assert service.paths("ana") == ("/x",)


@pytest.mark.asyncio
async def test_grant_adds_and_revoke_removes_patterns(service: PermissionService) -> None:
    await give(service, "ana", "/x", "/y")
    await service.grant("ana", parse_patterns(["/z", "/x"]), actor=ROOT)
    assert service.paths("ana") == ("/x", "/y", "/z")
    await service.revoke("ana", parse_patterns(["/y", "/never"]), actor=ROOT)
    assert service.paths("ana") == ("/x", "/z")
    await service.grant("bea", parse_patterns(["/x"]), actor=ROOT)
    assert service.paths("bea") == ("/x",)


@pytest.mark.asyncio
async def test_grant_respects_the_limit(service: PermissionService, audit_store: AuditStore) -> None:
    await give(service, "ana", *(f"/x{number}" for number in range(MAX_PATTERNS)))
    with pytest.raises(InvalidPatternsError):
        await service.grant("ana", parse_patterns(["/one/more"]), actor=ROOT)
    assert len(await records(audit_store)) == 1


@pytest.mark.asyncio
async def test_revoke_and_remove_without_an_entry_are_rejected(
    service: PermissionService, audit_store: AuditStore
) -> None:
    with pytest.raises(PermissionsNotFound):
        await service.remove("ana", actor=ROOT)
    with pytest.raises(PermissionsNotFound):
        await service.revoke("ana", parse_patterns(["/x"]), actor=ROOT)
    assert await records(audit_store) == []


@pytest.mark.asyncio
async def test_configured_administrators_get_the_wildcard_and_keep_their_patterns(
    service: PermissionService, audit_store: AuditStore
) -> None:
    await give(service, "ana", "/x")
    await give(service, "bea", "/y", "*")
    await service.grant_administrators(["ana", "bea", "carla"])

    assert service.paths("ana") == ("*", "/x")
    assert service.paths("bea") == ("/y", "*")
    assert service.paths("carla") == ("*",)
    ana, bea = service.find("ana"), service.find("bea")
    assert ana is not None
    assert bea is not None
    assert (ana.updated_by, bea.updated_by) == ("startup", "root")
    granted = [(entry.web_user, entry.key) for entry in (await records(audit_store))[2:]]
    assert granted == [("startup", "ana"), ("startup", "carla")]


@pytest.mark.asyncio
async def test_a_store_error_at_the_start_names_the_setting(
    service: PermissionService, store_place: StorePlace
) -> None:
    beside(store_place).ask("ALTER TABLE menu_permission RENAME TO taken_away")
    with pytest.raises(StoreNotUsable, match=r"ana of ADMIN_WEB_USERS.*menu_permission"):
        await service.grant_administrators(["ana"])


@pytest.mark.asyncio
async def test_an_administrator_only_by_configuration_counts_as_the_last_one(
    service: PermissionService,
) -> None:
    await service.grant_administrators(["ana"])
    with pytest.raises(LastAdministrator):
        await service.remove("ana", actor=ROOT)


@pytest.mark.asyncio
async def test_changes_and_refusals_are_recorded_with_the_routes_that_changed(
    service: PermissionService, audit_store: AuditStore
) -> None:
    await service.grant_administrators(["ana"])
    await give(service, "bea", "/x", "/y/*")
    await service.grant("bea", ["*", "/x"], actor=ROOT)
    await service.revoke("bea", ["/y/*", "/z"], actor=ROOT)
    await give(service, "bea", "*", "/x")
    await give(service, "bea", "/w")
    await service.remove("bea", actor=ROOT)
    with pytest.raises(LastAdministrator):
        await give(service, "ana", "/x")

    observed = [
        (entry.action, entry.key, entry.result, entry.detail, entry.reason)
        for entry in await records(audit_store)
    ]
    assert observed == [
        ("permissions_replace", "ana", "ok", {"added": ["*"]}, None),
        ("permissions_replace", "bea", "ok", {"added": ["/x", "/y/*"]}, None),
        ("permissions_replace", "bea", "ok", {"added": ["*"]}, None),
        ("permissions_replace", "bea", "ok", {"removed": ["/y/*"]}, None),
        ("permissions_replace", "bea", "ok", {}, None),
        ("permissions_replace", "bea", "ok", {"added": ["/w"], "removed": ["*", "/x"]}, None),
        ("permissions_remove", "bea", "ok", {"removed": ["/w"]}, None),
        ("permissions_replace", "ana", "denied", {}, "last_administrator"),
    ]
    startup, *others = await records(audit_store)
    assert startup.web_user == "startup"
    for entry in others:
        assert (entry.web_user, entry.ip, entry.request_id) == ("root", "10.0.0.1", "01J")


@pytest.mark.asyncio
async def test_a_change_that_the_store_refused_is_audited_as_failed(
    service: PermissionService, store_place: StorePlace, audit_store: AuditStore
) -> None:
    beside(store_place).ask("ALTER TABLE menu_permission RENAME TO taken_away")
    with pytest.raises(StoreUnavailable):
        await give(service, "ana", "/x")
    (entry,) = await records(audit_store)
    assert (entry.result, entry.reason) == ("error", "store_unavailable")
