"""Reading from the simulated SAP HANA: what goes over the wire, what comes back, and every kind of end."""

# ruff: noqa: DTZ001 - a TIMESTAMP of the database has no zone

import asyncio
import datetime as dt
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from structlog.contextvars import bound_contextvars, merge_contextvars
from structlog.testing import capture_logs

from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.engines.engine import Work
from erp_gateway.queries.engines.hana import HanaEngine, load_driver
from erp_gateway.queries.engines.rows import ValueDoesNotFitError
from erp_gateway.queries.errors import (
    DatabaseBusy,
    DatabaseConnectTimeout,
    DatabaseDriverMissing,
    DatabaseFailed,
    DatabaseLoginFailed,
    DatabaseTimeout,
    DatabaseUnreachable,
    UnknownColumn,
    UnknownTable,
)
from erp_gateway.queries.registry import QueryRegistry
from erp_gateway.queries.values import Value
from erp_gateway.settings.erp_database import ErpDatabase
from erpsim.hana.process import HanaProcess, run_hana
from erpsim.hana.protocol.cesu8 import HALF
from servicekit.config import Secret
from servicekit.errors import InvalidBody, ServiceError
from servicekit.testing.ports import free_port

if TYPE_CHECKING:
    from tests.hana.conftest import OpenClient, Ticker

TIMEOUT_S = 20.0
SLOW = "SELECT 'SLOW' FROM DUMMY"
NUMBERS = 'SELECT "N", "LABEL", "AMOUNT", "MADE" FROM NUMBERS ORDER BY "N"'


def events(hana: HanaProcess) -> list[str]:
    return [entry["event"] for entry in hana.journal()]


def statements(hana: HanaProcess) -> list[str]:
    return [entry["sql"] for entry in hana.journal() if entry["event"] in {"EXECUTE", "EXECUTEDIRECT"}]


async def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


@pytest.mark.asyncio
async def test_each_read_has_a_connection_that_only_reads_and_rolls_back(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    sql = 'SELECT "N", "LABEL" FROM NUMBERS WHERE "LABEL" = ?'
    for _ in range(2):
        rows = await client.read("q", sql, ["Fila 7"])
        assert rows.rows == [{"N": 7, "LABEL": "Fila 7"}]
    assert statements(hana) == ['SET SCHEMA "SAMPLE"', "SET TRANSACTION READ ONLY", sql] * 2
    happened = events(hana)
    assert happened.count("CONNECT") == happened.count("ROLLBACK") == happened.count("DISCONNECT") == 2
    assert "COMMIT" not in happened


@pytest.mark.asyncio
async def test_no_message_of_any_read_carries_the_commit_flag(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    await client.read("q", "SELECT * FROM TYPES", [])
    await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" < ?', [Decimal(3000)])
    with pytest.raises(DatabaseFailed):
        await client.read("q", "SELECT NOPE FROM NOPE", [])
    hana.fault(phase="execute", sql="SLOW", delay_s=20)
    with pytest.raises(DatabaseTimeout):
        await client.read("q", SLOW, [], timeout_s=0.3)
    assert len(hana.journal()) > 20
    assert [entry for entry in hana.journal() if entry["commit"]] == []


@pytest.mark.asyncio
async def test_values_are_bound_and_never_part_of_the_sql(client: DatabaseClient, hana: HanaProcess) -> None:
    sql = 'SELECT "N" FROM NUMBERS WHERE "LABEL" = ? AND "N" >= ? AND "MADE" > ? AND "AMOUNT" < ?'
    hostile = "x' OR 1=1; DROP TABLE NUMBERS --"
    values: list[Value] = [hostile, Decimal(5), dt.date(2024, 1, 2), Decimal("1234567890.123456")]
    assert (await client.read("q", sql, values)).rows == []
    (executed,) = [entry for entry in hana.journal() if entry["event"] == "EXECUTE"]
    assert executed["values"] == [[hostile, "5", "2024-01-02 00:00:00", "1234567890.123456"]]
    texts = {entry["sql"] for entry in hana.journal()}
    assert texts == {"", 'SET SCHEMA "SAMPLE"', "SET TRANSACTION READ ONLY", sql}


@pytest.mark.asyncio
async def test_a_schema_of_any_spelling_stays_one_quoted_name(
    hana: HanaProcess, address_of: Callable[..., ErpDatabase], open_client: "OpenClient"
) -> None:
    engine = HanaEngine(address_of(hana.port, schema='My "own" x'), load_driver())
    client = open_client(engine)
    with pytest.raises(DatabaseFailed):
        await client.read("q", "SELECT 1 FROM DUMMY", [])
    assert statements(hana) == ['SET SCHEMA "My ""own"" x"']


@pytest.mark.asyncio
async def test_a_write_that_slipped_through_is_refused_by_the_read_only_transaction(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    with pytest.raises(DatabaseFailed) as refused:
        await client.read("q", 'DELETE FROM NUMBERS WHERE "N" = 5', [])
    assert "read only" in str(refused.value.__cause__)
    assert (await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" = 5', [])).rows == [{"N": 5}]


@pytest.mark.asyncio
async def test_every_type_arrives_as_a_plain_value_with_all_its_digits(client: DatabaseClient) -> None:
    values, nulls = (await client.read("q", "SELECT * FROM TYPES", [])).rows
    assert set(nulls.values()) == {None}
    assert {name: str(value) for name, value in values.items() if isinstance(value, Decimal)} == {
        "DEC": "1.25",
        "FIX8": "-10.50",  # the driver says -10.5
        "FIX12": "12345.6789",
        "FIX16": "0.000001",
    }
    rest = {name: value for name, value in values.items() if not isinstance(value, Decimal)}
    assert rest == {
        "TINY": 200,
        "SMALL": -32_000,
        "INT": 2_000_000_000,
        "BIG": 9_000_000_000_000_000_000,
        "SINGLE": 0.5,
        "DBL": 0.1,
        "YES": True,
        "TEXT": "Ñandú 😀",
        "PLAIN": "plain",
        "BIN": b"\x00\xff",
        "DAY": dt.date(2024, 2, 29),
        "CLOCK": dt.time(23, 59, 58),
        "MOMENT": dt.datetime(2024, 2, 29, 12, 34, 56, 123_456),
        "SECOND": dt.datetime(2024, 2, 29, 12, 34, 56),
        "NOTE": "x" * 3000 + "😀",
        "RAW": b"\x01\x02" * 2000,
    }
    assert {type(value) for value in rest.values()} == {
        int, float, bool, str, bytes, dt.date, dt.time, dt.datetime,
    }  # fmt: skip


@pytest.mark.asyncio
async def test_long_texts_are_read_whole(client: DatabaseClient, hana: HanaProcess) -> None:
    rows = (await client.read("q", 'SELECT "LENGTH", "CONTENT" FROM NOTES ORDER BY 1', [])).rows
    lengths = [0, 10, 1024, 1025, 6000]
    assert [row["LENGTH"] for row in rows] == lengths
    assert [row["CONTENT"] for row in rows] == ["ñ😀a"[n % 3] * n for n in lengths]
    assert "READLOB" in events(hana)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "text",
    ["a" * 65_535 + "😀" + "b" * 10, "a" * 65_535 + ("😀" + "a" * 65_533) * 3 + "😀b", "a" + "😀" * 100_000],
    ids=["at the end of the first piece", "at the end of each piece", "in many pieces"],
)
async def test_a_surrogate_pair_between_two_pieces_is_read_whole(client: DatabaseClient, text: str) -> None:
    rows = (await client.read("q", f"SELECT TO_NCLOB('{text}') AS X FROM DUMMY", [])).rows
    assert rows[0]["X"] == text


@pytest.mark.asyncio
@pytest.mark.parametrize("function", ["TO_NVARCHAR", "TO_NCLOB"])
@pytest.mark.parametrize("text", [f"ab{HALF}", f"{HALF}{HALF}ñ", f"a{HALF}😀b"])
async def test_half_a_character_is_shown_as_a_replacement_in_a_text(
    client: DatabaseClient, function: str, text: str
) -> None:
    rows = (await client.read("q", f"SELECT {function}('{text}') AS X FROM DUMMY", [])).rows
    assert rows == [{"X": text.replace(HALF, "\ufffd")}]


@pytest.mark.asyncio
async def test_half_a_character_behind_the_first_piece_leaves_the_rest_of_the_text(
    client: DatabaseClient,
) -> None:
    text = "a" * 70_000 + HALF + "😀" * 40_000 + HALF
    rows = (await client.read("q", f"SELECT TO_NCLOB('{text}') AS X FROM DUMMY", [])).rows
    assert rows == [{"X": text.replace(HALF, "\ufffd")}]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ('SELECT "N" FROM NUMBERS WHERE "N" = ?', Decimal("5.5")),
        ('SELECT "N" FROM NUMBERS WHERE "AMOUNT" = ?', Decimal("0.1234567")),
        ('SELECT "FIX8" FROM TYPES WHERE "FIX8" = ?', Decimal("3.755")),
        ('SELECT "FIX8" FROM TYPES WHERE "FIX8" = ?', Decimal("0.2500000000000000000000000000001")),
        ('SELECT "TEXT" FROM TYPES WHERE "DAY" = ?', Decimal(5)),
        ('SELECT "N" FROM NUMBERS WHERE "N" = ?', Decimal("-1e37")),
        ('SELECT "N" FROM NUMBERS WHERE "N" = ?', Decimal(2**31)),
        ('SELECT "BIG" FROM TYPES WHERE "BIG" = ?', Decimal(-(2**63) - 1)),
        ('SELECT "SMALL" FROM TYPES WHERE "SMALL" = ?', Decimal(-(2**15) - 1)),
        ('SELECT "TINY" FROM TYPES WHERE "TINY" = ?', Decimal(-1)),
        ('SELECT "N" FROM NUMBERS WHERE TO_DECIMAL("N", 10, 0) = ?', Decimal("2.9")),
        ('SELECT "N" FROM NUMBERS WHERE CAST("N" AS DECIMAL(38, 0)) <= ?', Decimal("0.5")),
    ],
    ids=[
        "fraction of an integer",
        "seventh decimal",
        "third decimal",
        "31st decimal",
        "number for a day",
        "over 64 bits",
        "over INTEGER",
        "below BIGINT",
        "below SMALLINT",
        "below TINYINT",
        "decimal of DECIMAL(10, 0)",
        "decimal of DECIMAL(38, 0)",
    ],
)
async def test_a_number_that_the_driver_would_cut_is_refused(
    client: DatabaseClient, hana: HanaProcess, sql: str, value: Decimal
) -> None:
    with pytest.raises(ValueDoesNotFitError) as refused:
        await client.read("q", sql, [value])
    assert refused.value.position == 0
    assert "EXECUTE" not in events(hana)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("column", "value"),
    [("N", "abc"), ("AMOUNT", Decimal("9" * 38)), ("AMOUNT", Decimal("1e33"))],
)
async def test_a_value_of_the_wrong_kind_for_its_column_is_the_clients_fault(
    client: DatabaseClient, hana: HanaProcess, column: str, value: Any
) -> None:
    with pytest.raises(InvalidBody) as refused:
        await client.read("q", f'SELECT "N" FROM NUMBERS WHERE "{column}" = ?', [value])
    assert [problem.path for problem in refused.value.errors] == ["params"]
    assert "EXECUTE" not in events(hana)


@pytest.mark.asyncio
@pytest.mark.parametrize("end", [".00", "." + "0" * 36], ids=["2", "36"])
async def test_a_number_with_zeros_behind_the_point_fits_its_place(client: DatabaseClient, end: str) -> None:
    rows = await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" = ?', [Decimal(f"5{end}")])
    assert rows.rows == [{"N": 5}]
    rows = await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "AMOUNT" = ?', [Decimal(f"0{end}")])
    assert all(isinstance(row["N"], int) for row in rows.rows)


@pytest.mark.asyncio
async def test_a_floating_decimal_keeps_its_decimals(client: DatabaseClient) -> None:
    sql = 'SELECT "DEC" FROM TYPES WHERE "DEC" = ?'
    assert (await client.read("q", sql, [Decimal("1.25")])).rows == [{"DEC": Decimal("1.25")}]
    assert (await client.read("q", sql, [Decimal("1.2")])).rows == []


class Outcomes:
    """Takes note of how reads ended."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Ignore the gauges."""

    def ended(self, *, name: str, outcome: str, duration_s: float) -> None:
        """Take one."""
        del name, duration_s
        self.seen.append(outcome)


@pytest.mark.asyncio
async def test_a_number_that_does_not_fit_is_counted_as_the_clients_fault(address: ErpDatabase) -> None:
    outcomes = Outcomes()
    engine = HanaEngine(address, load_driver())
    client = DatabaseClient(
        engine, QueryRegistry([]), places=1, timeout_s=TIMEOUT_S, max_rows=10, observer=outcomes
    )
    try:
        with pytest.raises(ValueDoesNotFitError):
            await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" = ?', [Decimal("5.5")])
    finally:
        await client.aclose()
    assert outcomes.seen == ["invalid_body"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("column", "value"),
    [("TINY", 255), ("SMALL", -(2**15)), ("INT", 2**31 - 1), ("BIG", 2**63 - 1), ("BIG", -(2**63))],
)
async def test_the_ends_of_an_integer_type_fit_it(client: DatabaseClient, column: str, value: int) -> None:
    sql = f'SELECT "{column}" FROM TYPES WHERE "{column}" = ?'
    assert (await client.read("q", sql, [Decimal(value)])).rows == []


@pytest.mark.asyncio
@pytest.mark.parametrize("column", ["DEC", "DBL", "FIX16", "TEXT"])
@pytest.mark.parametrize("whole", [2**63, 10**22, -(10**22)])
async def test_an_integer_above_64_bits_is_bound_like_any_other(
    client: DatabaseClient, column: str, whole: int
) -> None:
    sql = f'SELECT "{column}" FROM TYPES WHERE "{column}" = ?'
    assert (await client.read("q", sql, [Decimal(whole)])).rows == []


@pytest.mark.asyncio
async def test_two_columns_of_one_name_are_refused_not_lost(client: DatabaseClient) -> None:
    with pytest.raises(DatabaseFailed):
        await client.read("q", 'SELECT 1 AS "D", 2 AS "D" FROM DUMMY', [])


@pytest.mark.asyncio
async def test_rows_beyond_the_cap_stay_on_the_server(client: DatabaseClient, hana: HanaProcess) -> None:
    rows = await client.read("q", NUMBERS, [], timeout_s=TIMEOUT_S)
    assert (len(rows.rows), rows.truncated) == (5000, True)
    assert [row["N"] for row in rows.rows] == list(range(5000))
    assert sum(entry["rows"] for entry in hana.journal()) <= 7000  # of 100,000; packets of 1,000
    assert {entry["fetch_size"] for entry in hana.journal() if entry["event"] == "FETCHNEXT"} == {5001}


@pytest.mark.asyncio
async def test_exactly_as_many_rows_as_the_cap_are_not_truncated(client: DatabaseClient) -> None:
    sql = 'SELECT "N" FROM NUMBERS WHERE "N" < 300'
    assert (await client.read("q", sql, [], max_rows=300)).truncated is False
    assert (await client.read("q", sql, [], max_rows=299)).truncated is True


@pytest.mark.asyncio
async def test_a_query_over_its_time_is_cancelled_on_the_server_and_frees_its_place(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    hana.fault(phase="execute", sql="SLOW", delay_s=30)
    for _ in range(3):  # one place for this queue: each run needs the one before to have ended
        with pytest.raises(DatabaseTimeout):
            await client.read("q", SLOW, [], timeout_s=1.5)
    begun = statements(hana).count(SLOW)  # a busy machine may spend all of one's time on connecting
    assert begun > 0
    await eventually(lambda: events(hana).count("cancelled") == begun)
    assert "client_gone" not in events(hana)
    assert (await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" = 1', [])).rows == [{"N": 1}]
    await eventually(lambda: events(hana).count("open") == events(hana).count("close"))


@pytest.mark.proof
@pytest.mark.asyncio
async def test_the_answer_comes_within_one_and_a_half_times_the_limit(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    hana.fault(phase="execute", sql="SLOW", delay_s=30)
    for _ in range(5):
        started = time.perf_counter()
        with pytest.raises(DatabaseTimeout):
            await client.read("q", SLOW, [], timeout_s=1.0)
        assert 1.0 <= time.perf_counter() - started < 1.5


@pytest.mark.asyncio
@pytest.mark.parametrize("phase", ["fetch", "readlob"])
async def test_a_query_that_stalls_while_its_rows_come_is_cancelled(
    client: DatabaseClient, hana: HanaProcess, phase: str
) -> None:
    hana.fault(phase=phase, delay_s=30)
    sql = NUMBERS if phase == "fetch" else "SELECT * FROM TYPES"
    with pytest.raises(DatabaseTimeout):
        await client.read("q", sql, [], timeout_s=1.5)
    await eventually(lambda: "cancelled" in events(hana))


@pytest.mark.asyncio
@pytest.mark.parametrize("phase", ["init", "authenticate", "connect"])
async def test_a_server_that_stalls_at_the_door_costs_no_more_than_the_limit(
    client: DatabaseClient, hana: HanaProcess, phase: str
) -> None:
    hana.fault(phase=phase, delay_s=30)
    started = time.perf_counter()
    with pytest.raises(DatabaseTimeout):
        await client.read("q", SLOW, [], timeout_s=0.5)
    assert time.perf_counter() - started < 15


@pytest.mark.asyncio
async def test_connecting_has_a_limit_of_its_own(
    hana: HanaProcess, address_of: Callable[..., ErpDatabase], open_client: "OpenClient"
) -> None:
    hana.fault(phase="init", delay_s=30)
    client = open_client(HanaEngine(address_of(hana.port, connect_timeout_s=0.2), load_driver()))
    started = time.perf_counter()
    with pytest.raises(DatabaseConnectTimeout) as refused:
        await client.read("q", SLOW, [], timeout_s=20.0)
    assert time.perf_counter() - started < 10, "the query's own limit is twenty seconds"
    assert "no se ejecutó" in refused.value.detail
    assert (refused.value.status, refused.value.code) == (503, "database_timeout")


@pytest.mark.asyncio
async def test_a_login_without_an_answer_is_503_and_a_query_without_one_504(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    hana.fault(phase="authenticate", delay_s=30, times=1)
    with pytest.raises(DatabaseTimeout) as connecting:
        await client.read("q", SLOW, [], timeout_s=0.3)
    hana.fault(phase="execute", sql="SLOW", delay_s=30)
    with pytest.raises(DatabaseTimeout) as reading:
        await client.read("q", SLOW, [], timeout_s=0.3)
    assert [each.value.status for each in (connecting, reading)] == [503, 504]


@pytest.mark.asyncio
async def test_the_driver_times_out_if_the_server_can_not_cancel(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    hana.fault(phase="execute", sql="CANCEL SESSION", delay_s=30)
    hana.fault(phase="execute", sql="SLOW", delay_s=30)
    with pytest.raises(DatabaseTimeout):
        await client.read("q", SLOW, [], timeout_s=0.4)
    await eventually(lambda: "client_gone" in events(hana))
    assert (await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" = 1', [])).rows == [{"N": 1}]


@pytest.mark.asyncio
async def test_a_cancelled_caller_cancels_the_statement(client: DatabaseClient, hana: HanaProcess) -> None:
    hana.fault(phase="execute", sql="SLOW", delay_s=30)
    task = asyncio.create_task(client.read("q", SLOW, []))
    await eventually(lambda: SLOW in statements(hana))
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await eventually(lambda: "cancelled" in events(hana))
    assert (await client.read("q", 'SELECT 1 AS "X" FROM DUMMY', [])).rows == [{"X": 1}]


@pytest.mark.asyncio
async def test_a_connection_lost_between_two_statements_is_not_replaced_by_one_that_may_write(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    whole_reply_then_close = 100_000
    hana.fault(phase="execute", sql="READ ONLY", cut_at=whole_reply_then_close)
    with pytest.raises(DatabaseUnreachable):
        await client.read("q", NUMBERS, [])
    assert events(hana).count("open") == 1
    assert NUMBERS not in statements(hana)


@pytest.mark.asyncio
async def test_a_late_cancel_affects_no_other_statement(client: DatabaseClient, hana: HanaProcess) -> None:
    hana.fault(phase="execute", sql="SLOW", delay_s=0.5, times=1)
    hana.fault(phase="authenticate", skip=1, times=1, delay_s=0.4)  # the login that is to cancel
    with pytest.raises(DatabaseTimeout):
        await client.read("q", SLOW, [], timeout_s=0.3)
    for _ in range(5):
        assert (await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" = 1', [])).rows == [{"N": 1}]


@pytest.mark.asyncio
async def test_reads_and_their_end_need_no_thread_of_the_event_loop(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    hana.fault(phase="execute", sql="SLOW", delay_s=30)
    crowded = ThreadPoolExecutor(1)
    asyncio.get_running_loop().set_default_executor(crowded)
    release = threading.Event()
    busy = asyncio.get_running_loop().run_in_executor(None, release.wait)
    with pytest.raises(DatabaseTimeout):
        await client.read("q", SLOW, [], timeout_s=0.3)
    assert (await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" = 1', [])).rows == [{"N": 1}]
    assert "cancelled" in events(hana)
    release.set()
    await busy


@pytest.mark.asyncio
async def test_a_driver_that_leaves_autocommit_on_is_not_worked_with(
    address: ErpDatabase, hana: HanaProcess, open_client: "OpenClient"
) -> None:
    driver: Any = load_driver()
    careless = SimpleNamespace(
        connect=lambda **options: driver.connect(**{**options, "autocommit": "false"}), Error=driver.Error
    )
    engine = HanaEngine(address, careless)  # type: ignore[arg-type]  # the two names that count here
    client = open_client(engine)
    with pytest.raises(DatabaseFailed):
        await client.read("q", "SELECT 1 FROM DUMMY", [])
    assert statements(hana) == []


@pytest.mark.asyncio
async def test_a_tenant_is_selected_by_its_name(
    hana: HanaProcess, address_of: Callable[..., ErpDatabase], open_client: "OpenClient"
) -> None:
    engine = HanaEngine(address_of(hana.port, database="NDB"), load_driver())
    client = open_client(engine)
    assert (await client.read("q", 'SELECT 1 AS "X" FROM DUMMY', [])).rows == [{"X": 1}]
    assert "DBCONNECTINFO" in events(hana)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("changes", "works"),
    [
        ({"tls_name": "localhost", "ca_file": True}, True),
        ({"server": "localhost", "ca_file": True}, True),
        ({"tls_name": "localhost", "ca_file": None}, False),
        ({"tls_name": "db.example", "ca_file": True}, False),
        ({"tls_name": "localhost", "ca_file": True, "encrypt": False}, False),
    ],
    ids=["name given", "own name", "unknown authority", "another name", "no encryption"],
)
async def test_only_a_trusted_certificate_of_the_right_name_is_talked_to(
    tls_hana: tuple[HanaProcess, Path],
    address_of: Callable[..., ErpDatabase],
    changes: dict[str, Any],
    works: bool,
    open_client: "OpenClient",
) -> None:
    process, certificate = tls_hana
    wanted = {"encrypt": True, **changes, "ca_file": certificate if changes["ca_file"] else None}
    engine = HanaEngine(address_of(process.port, **wanted), load_driver())
    client = open_client(engine)
    if works:
        assert (await client.read("q", 'SELECT 1 AS "X" FROM DUMMY', [])).rows == [{"X": 1}]
    else:
        with pytest.raises((DatabaseUnreachable, DatabaseTimeout)) as refused:
            await client.read("q", "SELECT 1 FROM DUMMY", [], timeout_s=0.5)
        assert refused.value.status == 503


@pytest.fixture(scope="module")
def tls_hana(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HanaProcess, Path]]:
    pytest.importorskip("hdbcli.dbapi")
    certificate = tmp_path_factory.mktemp("hana") / "hana.pem"
    with run_hana("--tls-certificate", str(certificate)) as process:
        yield process, certificate


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "rule",
    [
        {"phase": "fetch", "drop": "close"},
        {"phase": "fetch", "drop": "reset"},
        {"phase": "fetch", "cut_at": 40},
        {"phase": "execute", "drop": "close", "sql": "NUMBERS"},
        {"phase": "execute", "drop": "reset", "sql": "READ ONLY"},
        {"phase": "connect", "drop": "close"},
    ],
    ids=["fetch-closed", "fetch-reset", "fetch-truncated", "execute-closed", "read-only-reset", "connect"],
)
async def test_a_lost_connection_is_an_error_and_never_a_second_session(
    client: DatabaseClient, hana: HanaProcess, rule: dict[str, Any]
) -> None:
    hana.fault(**rule, times=1)
    with pytest.raises(DatabaseUnreachable) as refused:
        await client.read("q", NUMBERS, [])
    assert refused.value.status == (503 if rule["phase"] == "connect" else 502)
    assert events(hana).count("open") == 1
    assert (await client.read("q", 'SELECT "N" FROM NUMBERS WHERE "N" = 1', [])).rows == [{"N": 1}]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("code", "refusal"),
    [
        (258, DatabaseFailed),
        (131, DatabaseBusy),
        (133, DatabaseBusy),
        (613, DatabaseTimeout),
        (139, DatabaseFailed),
        (259, UnknownTable),
        (260, UnknownColumn),
        (999, DatabaseFailed),
    ],
)
async def test_errors_of_the_server_become_answers_without_its_words(
    client: DatabaseClient, hana: HanaProcess, code: int, refusal: type[ServiceError]
) -> None:
    hana.fault(phase="execute", sql="DUMMY", error=[code, "secret words of host db01:30015"])
    with pytest.raises(refusal) as refused:
        await client.read("q", "SELECT 1 FROM DUMMY", [])
    assert "db01" not in str(refused.value.body("r"))


@pytest.mark.asyncio
async def test_an_error_is_logged_with_its_number_and_the_request_it_belongs_to(
    client: DatabaseClient, hana: HanaProcess
) -> None:
    hana.fault(phase="execute", sql="DUMMY", error=[258, "insufficient privilege"])
    with (
        bound_contextvars(request_id="r-1"),
        capture_logs([merge_contextvars]) as logged,
        pytest.raises(DatabaseFailed),
    ):
        await client.read("q", "SELECT 1 FROM DUMMY", [])
    (line,) = logged
    assert (line["event"], line["code"], line["request_id"]) == ("database_error", 258, "r-1")


@pytest.mark.asyncio
async def test_a_refused_login_is_the_services_own_trouble(
    hana: HanaProcess, address_of: Callable[..., ErpDatabase], open_client: "OpenClient"
) -> None:
    engine = HanaEngine(address_of(hana.port, password=Secret("wrong")), load_driver())
    client = open_client(engine)
    with pytest.raises(DatabaseLoginFailed) as refused:
        await client.read("q", "SELECT 1 FROM DUMMY", [])
    assert refused.value.status == 503


@pytest.mark.asyncio
async def test_a_port_without_a_listener_is_unreachable(
    hana: HanaProcess, address_of: Callable[..., ErpDatabase], open_client: "OpenClient"
) -> None:
    client = open_client(HanaEngine(address_of(free_port()), load_driver()))
    with pytest.raises(DatabaseUnreachable) as refused:
        await client.read("q", "SELECT 1 FROM DUMMY", [])
    assert refused.value.status == 503
    assert "127.0.0.1" not in str(refused.value.body("r"))


@pytest.mark.asyncio
async def test_reads_during_an_outage_share_one_log_line(
    hana: HanaProcess, address_of: Callable[..., ErpDatabase], open_client: "OpenClient"
) -> None:
    client = open_client(HanaEngine(address_of(free_port()), load_driver()))
    with capture_logs() as logged:
        for _ in range(5):
            with pytest.raises(DatabaseUnreachable):
                await client.read("q", "SELECT 1 FROM DUMMY", [])
    assert [line["event"] for line in logged] == ["database_error"]


def test_without_the_driver_every_use_says_so(address_of: Callable[..., ErpDatabase]) -> None:
    engine = HanaEngine(address_of(30015), load_driver("no_such_driver.dbapi"))
    with pytest.raises(DatabaseDriverMissing) as refused:
        engine.reading(Work(sql=SLOW, values=(), max_rows=1, timeout_s=1.0))
    assert "WITH_HANA=1" in (refused.value.cause or "")


async def load(client: DatabaseClient, hana: HanaProcess) -> None:
    hana.fault(phase="readlob", delay_s=0.05)
    hana.fault(phase="fetch", skip=20, delay_s=0.05)
    await asyncio.gather(
        client.read("a", NUMBERS, [], timeout_s=TIMEOUT_S),
        client.read("b", "SELECT * FROM TYPES UNION ALL SELECT * FROM TYPES", [], timeout_s=TIMEOUT_S),
    )


@pytest.mark.asyncio
async def test_a_server_slow_with_rows_and_long_texts_does_not_stop_the_process(
    client: DatabaseClient, hana: HanaProcess, ticker: "Ticker"
) -> None:
    hana.fault(phase="readlob", delay_s=4, times=1)
    await client.read("b", "SELECT * FROM TYPES", [], timeout_s=TIMEOUT_S)
    assert 0 < ticker.longest_s < 2.5  # read with its row, the text would have held everything for 4 s


@pytest.mark.proof
@pytest.mark.asyncio
async def test_the_event_loop_is_never_blocked_for_50_ms(
    client: DatabaseClient, hana: HanaProcess, ticker: "Ticker"
) -> None:
    longest: list[float] = []
    for _ in range(3):  # what holds the loop up does so every time; other work of the machine does not
        hana.reset()
        ticker.longest_s = 0.0
        await load(client, hana)
        longest.append(ticker.longest_s)
    assert 0 < min(longest) < 0.05
