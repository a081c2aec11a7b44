"""The command that `backup` tells copies the store; restored elsewhere, it is whole."""

import asyncio
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from postgresql_server import PASSWORD, PostgresServer

from erp_gateway.audit.chain_check import ChainCheck, check_chain
from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.store import AuditStore
from erp_gateway.store.database import open_database
from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.postgresql.backup import dump_command
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from servicekit.clock import ManualClock
from servicekit.config import Secret

EVENT = AuditEvent(action=AuditAction.LOGIN, result=AuditResult.OK, actor=Actor(web_user="ñ"))


def run(postgresql: PostgresServer, *words: str) -> None:
    environ = {**os.environ, "PGPASSWORD": PASSWORD, "PATH": f"{postgresql.binaries}:{os.environ['PATH']}"}
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


async def records(place: PostgresPlace, clock: ManualClock, *, add: int) -> ChainCheck:
    async with open_database(place) as database:
        for _ in range(add):
            await AuditStore(database).add(EVENT, clock.now())
        return await check_chain(AuditChain(database))


def test_the_printed_command_dumps_the_store_and_the_dump_restores_it(
    postgresql: PostgresServer, empty_database: PostgresPlace, tmp_path: Path, clock: ManualClock
) -> None:
    asyncio.run(records(empty_database, clock, add=5))
    dump = tmp_path / "it's a copy.dump"
    command = dump_command(empty_database, dump)
    assert PASSWORD not in command
    run(postgresql, *shlex.split(command))
    asyncio.run(records(empty_database, clock, add=2))

    restored = postgresql.new_database()
    url = postgresql.url(restored)
    run(postgresql, "pg_restore", "--no-owner", "--exit-on-error", f"--dbname={url}", str(dump))
    check = asyncio.run(records(postgresql.place(restored), clock, add=0))
    assert (check.faults, check.records) == ([], 5)
    check = asyncio.run(records(postgresql.place(restored), clock, add=1))
    assert (check.faults, check.records) == ([], 6)
    postgresql.drop_database(restored)


def test_parameters_of_the_url_stay_and_those_with_secrets_do_not() -> None:
    url = "postgresql://app:s3cret@db:5433/store?sslmode=verify-full&sslpassword=t0psecret"
    command = dump_command(PostgresPlace(Secret(url)), Path("copy"))
    assert "sslmode=verify-full" in command
    assert "port=5433" in command
    assert "s3cret" not in command
    assert "t0psecret" not in command


@pytest.mark.parametrize(
    ("servers", "asked", "told"),
    [
        ("db", "", None),
        ("db1,db2", "", "target_session_attrs=primary"),
        ("db1:5432,db1:5433", "", "target_session_attrs=primary"),
        ("db1,db2", "?target_session_attrs=standby", "target_session_attrs=standby"),
    ],
)
def test_with_several_servers_the_primary_is_dumped(servers: str, asked: str, told: str | None) -> None:
    command = dump_command(PostgresPlace(Secret(f"postgresql://app@{servers}/store{asked}")), Path("copy"))
    words = shlex.split(command)[-1].split()
    assert [word for word in words if word.startswith("target_session_attrs")] == ([told] if told else [])


def test_an_invalid_url_is_rejected_without_quoting_it() -> None:
    with pytest.raises(StoreNotUsable) as caught:
        dump_command(PostgresPlace(Secret("postgresql://app:s3cret%zz@db/store")), Path("copy"))
    assert "s3cret" not in str(caught.value)
