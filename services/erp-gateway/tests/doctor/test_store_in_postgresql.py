"""The doctor of a store in PostgreSQL: a real server, with one fault at a time."""

import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from pathlib import Path

import pytest
from installation import Examined, Installation
from postgresql_server import NOBODY, PASSWORD, PostgresServer, run_postgresql

from erp_gateway.doctor.store_postgresql import judge_server
from erp_gateway.store.database import hold_process_lock, open_database
from erp_gateway.store.postgresql.looking import ServerFacts
from erpsim.company.clock import SystemClock
from erpsim.process.certificates import self_signed
from erpsim.simulator import Listening
from servicekit.testing.ports import free_port

Install = Callable[..., AbstractAsyncContextManager[Installation]]

pytestmark = pytest.mark.asyncio

UNTOLD = {"store.space": "space_untold", "store.backup": "backup_untold"}
TEMPLATE = "template_of_stores"
BEHIND = ("encryption", "fitness", "lock", "content", "version", "space", "audit-chain")


@pytest.fixture
def database(postgresql: PostgresServer) -> Iterator[str]:
    """Return the name of a database with an empty store."""
    name = postgresql.new_database(TEMPLATE)
    yield name
    postgresql.drop_database(name)


async def examined(install: Install, url: str, *, administrator: bool = False) -> Examined:
    async with install() as installation:
        installation.environ["STORE_URL"] = url
        only = ["--only", "store", *(["--only", "people"] if administrator else [])]
        return await installation.examine(*only)


def store_found(found: Examined, *outcomes: str) -> dict[str, str | None]:
    return {name: cause for name, cause in found.found(*outcomes).items() if name.startswith("store.")}


async def test_a_healthy_store_is_ok_and_only_read(
    install: Install, postgresql: PostgresServer, database: str
) -> None:
    async with install(listening=Listening(report_gateway_port=0)) as installation:
        installation.connect_reports()
        installation.environ["STORE_URL"] = postgresql.url(database)
        await installation.grant("ana", postgresql.place(database))
        counted = "SELECT last_value, (SELECT count(*) FROM audit_log) FROM store_changes"
        before = postgresql.ask(counted, database)
        found = await installation.examine("--only", "store", "--only", "people", "--only", "report-gateway")
        assert postgresql.ask(counted, database) == before
        _, table, _ = await installation.run("--only", "store")
    assert found.found("warn", "fail") == {}
    assert found.found("skipped") == {**UNTOLD, "report-gateway.export": "export_not_asked"}
    assert found.found("ok").keys() >= {
        "store.audit-chain",
        "store.encryption",
        "people.administrators",
        "report-gateway.registered",
    }
    result = {each["name"]: each["figures"] for each in found.report["checks"]}
    assert result["store.audit-chain"]["records"] == 1
    assert result["store.lock"] == {"held": False}
    assert database in table
    assert PASSWORD not in table
    assert database not in str(found.report)


async def test_the_serving_process_is_named_and_not_disturbed(
    install: Install, postgresql: PostgresServer, database: str
) -> None:
    with hold_process_lock(postgresql.place(database)):
        async with install() as installation:
            installation.environ["STORE_URL"] = postgresql.url(database)
            found = await installation.examine("--only", "store")
            _, table, _ = await installation.run("--only", "store")
    assert found.found("warn", "fail") == {}
    assert next(each for each in found.report["checks"] if each["name"] == "store.lock")["figures"] == {
        "held": True
    }
    assert f"process {os.getpid()}" in table


@pytest.mark.parametrize(
    ("changed", "check", "cause"),
    [
        ({PASSWORD: "wrong"}, "login", "store_login_refused"),
        ({"app:": "nobody:"}, "login", "store_login_refused"),
        ({"/store": "/other"}, "login", "store_database_unknown"),
        ({"?": "?nonsense=1&"}, "login", "store_url_unreadable"),
        ({"?": "?sslmode=require&"}, "login", "store_tls_failed"),
        ({"?": "?sslmode=verify-full&sslrootcert=/nonexistent&"}, "login", "store_tls_failed"),
    ],
    ids=lambda each: "" if isinstance(each, dict) else str(each),
)
async def test_a_fault_of_the_url_is_named(
    install: Install,
    postgresql: PostgresServer,
    database: str,
    changed: Mapping[str, str],
    check: str,
    cause: str,
) -> None:
    url = f"{postgresql.url(database)}?connect_timeout=20"
    for old, new in changed.items():
        url = url.replace(old, new)
    found = await examined(install, url)
    assert found.found("fail", "warn") == {f"store.{check}": cause}
    assert found.code == 2
    skipped = {name for name, why in found.found("skipped").items() if why == "depends_on"}
    assert skipped == {f"store.{each}" for each in BEHIND}


async def test_an_unreachable_server_and_a_refusing_one_have_different_causes(install: Install) -> None:
    port = free_port()
    found = await examined(install, f"postgresql://app:{PASSWORD}@127.0.0.1:{port}/store")
    assert found.found("fail") == {"store.server": "store_server_away"}
    assert found.found("skipped")["store.login"] == "depends_on"


async def test_a_silent_server_times_out(install: Install) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        port = silent.getsockname()[1]
        started = time.monotonic()
        found = await examined(install, f"postgresql://app:{PASSWORD}@127.0.0.1:{port}/store")
        assert time.monotonic() - started < 60
    assert found.found("fail") == {"store.login": "store_not_opened"}


@pytest.mark.parametrize(
    ("statements", "check", "cause", "outcome"),
    [
        (["UPDATE store_version SET version = 999"], "version", "store_newer", "fail"),
        (["UPDATE store_version SET version = 1"], "version", "store_older", "warn"),
        (["DROP TABLE store_version"], "content", "store_of_another_program", "fail"),
        (["UPDATE store_version SET program = 'x'"], "content", "store_of_another_program", "fail"),
        (["DROP TABLE audit_log CASCADE"], "audit-chain", "store_unreadable", "fail"),
    ],
)
async def test_a_fault_in_the_databases_content_is_reported(
    install: Install,
    postgresql: PostgresServer,
    database: str,
    statements: list[str],
    check: str,
    cause: str,
    outcome: str,
) -> None:
    for statement in statements:
        postgresql.ask(statement, database)
    found = await examined(install, postgresql.url(database))
    assert found.found("warn", "fail") == {f"store.{check}": cause}
    assert found.code == {"warn": 1, "fail": 2}[outcome]


async def test_a_changed_audit_record_is_found(
    install: Install, postgresql: PostgresServer, database: str
) -> None:
    async with install() as installation:
        installation.environ["STORE_URL"] = postgresql.url(database)
        await installation.grant("ana", postgresql.place(database))
        postgresql.ask("UPDATE audit_log SET web_user = 'mallory'", database)
        found = await installation.examine("--only", "store")
    assert found.found("warn", "fail") == {"store.audit-chain": "audit_chain_broken"}


async def test_an_empty_database_is_no_fault_and_another_programs_is_one(
    install: Install, postgresql: PostgresServer
) -> None:
    name = postgresql.new_database()
    try:
        empty = await examined(install, postgresql.url(name))
        assert empty.found("warn", "fail") == {}
        assert store_found(empty, "skipped") == {
            **UNTOLD,
            "store.content": "store_not_made_yet",
            "store.version": "depends_on",
            "store.audit-chain": "depends_on",
        }
        postgresql.ask("CREATE TABLE orders (x BIGINT)", name)
        other = await examined(install, postgresql.url(name))
        assert other.found("fail") == {"store.content": "store_of_another_program"}
    finally:
        postgresql.drop_database(name)


async def test_a_database_of_another_encoding_is_named(install: Install, postgresql: PostgresServer) -> None:
    name = postgresql.new_database(text="ENCODING 'LATIN1' LOCALE 'C'")
    try:
        found = await examined(install, postgresql.url(name))
    finally:
        postgresql.drop_database(name)
    assert found.found("fail") == {"store.fitness": "store_encoding"}
    assert found.found("skipped")["store.content"] == "depends_on"


async def test_missing_write_rights_on_the_tables_are_reported(
    install: Install, postgresql: PostgresServer, database: str
) -> None:
    postgresql.ask(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
    try:
        postgresql.ask("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", database)
        found = await examined(install, postgresql.url(database).replace("app:", "reader:"))
        assert found.found("fail") == {"store.content": "store_rights_missing"}
    finally:
        postgresql.ask("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM reader", database)
        postgresql.ask("DROP ROLE reader")


@contextmanager
def host_rules(server: PostgresServer, first: str) -> Iterator[None]:
    """Put a line before the server's rules of who may connect from where."""
    ((file,),) = server.ask("SHOW hba_file")
    before = Path(file).read_text()
    ((loaded,),) = server.ask("SELECT pg_conf_load_time()")
    Path(file).write_text(f"{first}\n{before}")
    server.ask("SELECT pg_reload_conf()")
    until = time.monotonic() + 30
    while server.ask("SELECT pg_conf_load_time()") == [(loaded,)] and time.monotonic() < until:
        time.sleep(0.05)
    try:
        yield
    finally:
        Path(file).write_text(before)
        server.ask("SELECT pg_reload_conf()")


async def test_a_server_that_admits_no_such_connection_is_named(
    install: Install, postgresql: PostgresServer, database: str
) -> None:
    with host_rules(postgresql, f"host {database} all 127.0.0.1/32 reject"):
        found = await examined(install, postgresql.url(database))
    assert found.found("fail") == {"store.login": "store_not_admitted"}


async def test_a_connection_to_another_host_should_be_encrypted(
    install: Install, postgresql: PostgresServer, database: str
) -> None:
    url = f"{postgresql.url(database)}?hostaddr=127.0.0.1".replace("@127.0.0.1", "@db.example")
    found = await examined(install, url)
    assert found.found("warn", "fail") == {"store.encryption": "store_not_encrypted"}


@pytest.fixture(scope="module")
def second_server(postgresql: PostgresServer) -> Iterator[tuple[PostgresServer, Path]]:
    """Run a server with TLS, and return it with the certificate to trust."""
    with run_postgresql(postgresql.binaries) as server:
        made = self_signed("db.example", SystemClock())
        ((folder,),) = server.ask("SHOW data_directory")
        key, certificate = Path(folder) / "server.key", Path(folder) / "server.crt"
        key.write_bytes(made.key_pem)
        certificate.write_bytes(made.certificate_pem)
        key.chmod(0o600)
        if os.getuid() == 0:
            os.chown(key, NOBODY, NOBODY)
            os.chown(certificate, NOBODY, NOBODY)
        server.ask("ALTER SYSTEM SET ssl = on")
        server.stop()
        server.start()
        server.ask(f"CREATE DATABASE {TEMPLATE} ENCODING 'UTF8' TEMPLATE template0")
        yield server, certificate


async def test_an_unchecked_certificate_is_a_warning_and_a_checked_one_is_ok(
    install: Install, second_server: tuple[PostgresServer, Path]
) -> None:
    server, certificate = second_server
    name = server.new_database()
    async with open_database(server.place(name)):
        pass
    url = f"{server.url(name)}?hostaddr=127.0.0.1".replace("@127.0.0.1", "@db.example")
    unchecked = await examined(install, f"{url}&sslmode=require")
    assert unchecked.found("warn", "fail") == {"store.encryption": "store_certificate_not_verified"}
    checked = await examined(install, f"{url}&sslmode=verify-full&sslrootcert={certificate}")
    assert checked.found("warn", "fail") == {}
    other = f"{url}&sslmode=verify-full&sslrootcert={certificate}".replace("db.example", "else.example")
    assert (await examined(install, other)).found("fail") == {"store.login": "store_tls_failed"}


async def test_a_server_that_follows_another_takes_no_store(
    install: Install, second_server: tuple[PostgresServer, Path]
) -> None:
    server, certificate = second_server
    server.stop()
    follows = certificate.parent / "standby.signal"
    follows.touch()
    server.start()
    try:
        found = await examined(install, server.url("postgres"))
    finally:
        server.stop()
        follows.unlink()
        server.start()
    assert found.found("fail") == {"store.fitness": "store_server_read_only"}


async def test_of_several_servers_the_one_that_takes_writes_is_looked_at(
    install: Install, postgresql: PostgresServer, database: str
) -> None:
    follower = postgresql.new_follower()
    with postgresql.followed_by(follower):
        both = f"@127.0.0.1:{follower.port},127.0.0.1:{postgresql.port}/"
        url = postgresql.url(database).replace(f"@127.0.0.1:{postgresql.port}/", both)
        found = await examined(install, url)
    assert found.found("fail", "warn") == {}


async def test_an_old_server_is_named() -> None:
    facts = ServerFacts(
        version=120_022,
        encoding="UTF8",
        schema="public",
        read_only=False,
        host="db",
        encrypted=True,
        sslmode="verify-full",
    )
    cause = judge_server(facts).cause
    assert cause is not None
    assert cause.code == "store_server_old"
