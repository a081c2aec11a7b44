"""The real driver against the simulated server."""

# ruff: noqa: DTZ001 - a TIMESTAMP of the database has no zone

import datetime as dt
import threading
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from erpsim.hana.process import PASSWORD, USER, HanaProcess, run_hana

dbapi = pytest.importorskip("hdbcli.dbapi")


def connect(hana: HanaProcess, **options: Any) -> Any:
    patient = {"connectTimeout": 60_000}  # the driver's own 10 s run out where the machine has other work
    wanted = {"user": USER.lower(), "password": PASSWORD, "autocommit": False, "reconnect": False, **patient}
    return dbapi.connect(address="127.0.0.1", port=hana.port, **wanted | options)


def read_all(cursor: Any, sql: str) -> None:
    cursor.execute(sql)
    cursor.fetchall()


def rows_of(cursor: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in cursor.fetchall()]


@pytest.mark.parametrize(("user", "password"), [("system", "wrong"), ("nobody", "erpsim")])
def test_only_the_right_password_logs_in(hana: HanaProcess, user: str, password: str) -> None:
    with pytest.raises(dbapi.Error) as refused:
        connect(hana, user=user, password=password)
    assert refused.value.errorcode == 10


def test_every_type_arrives_with_its_value_and_as_null(hana: HanaProcess) -> None:
    connection = connect(hana, currentSchema='"SAMPLE"')
    cursor = connection.cursor()
    cursor.execute("SELECT * FROM TYPES")
    names = [column[0] for column in cursor.description]
    values, nulls = rows_of(cursor)
    assert set(nulls) == {None}
    row = {name: bytes(v) if isinstance(v, memoryview) else v for name, v in zip(names, values, strict=True)}
    assert row == {
        "TINY": 200,
        "SMALL": -32_000,
        "INT": 2_000_000_000,
        "BIG": 9_000_000_000_000_000_000,
        "DEC": Decimal("1.25"),
        "FIX8": Decimal("-10.5"),
        "FIX12": Decimal("12345.6789"),
        "FIX16": Decimal("0.000001"),
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
    connection.close()


def test_bound_values_do_not_appear_in_the_sql(hana: HanaProcess) -> None:
    connection = connect(hana, currentSchema='"SAMPLE"')
    cursor = connection.cursor()
    sql = 'SELECT "N", "AMOUNT" FROM NUMBERS WHERE "N" = ? OR "LABEL" = ? OR "MADE" < ? ORDER BY 1'
    cursor.execute(sql, (5, "Fila 7", dt.datetime(2024, 1, 1, 0, 0, 1)))
    found = rows_of(cursor)
    assert found[:3] == [(0, Decimal(0)), (5, Decimal("0.625")), (7, Decimal("0.875"))]
    connection.rollback()
    connection.close()
    journal = hana.journal()
    assert not any(entry["commit"] for entry in journal)
    (executed,) = [entry for entry in journal if entry["event"] == "EXECUTE"]
    assert executed["sql"] == sql
    assert executed["values"] == [["5", "Fila 7", "2024-01-01 00:00:01"]]


def test_rows_are_sent_in_packets_as_they_are_fetched(hana: HanaProcess) -> None:
    connection = connect(hana, currentSchema='"SAMPLE"')
    cursor = connection.cursor()
    cursor.execute('SELECT "N" FROM NUMBERS ORDER BY "N"')
    first = [row[0] for row in cursor.fetchmany(150)]
    cursor.close()
    assert first == list(range(150))
    sent = sum(entry["rows"] for entry in hana.journal())
    assert 150 <= sent < 1000
    connection.close()


def test_text_lobs_are_read_in_pieces(hana: HanaProcess) -> None:
    connection = connect(hana, currentSchema='"SAMPLE"')
    cursor = connection.cursor()
    cursor.execute('SELECT "LENGTH", "CONTENT" FROM NOTES ORDER BY 1')
    assert [(length, content == "ñ😀a"[length % 3] * length) for length, content in rows_of(cursor)] == [
        (0, True),
        (10, True),
        (1024, True),
        (1025, True),
        (6000, True),
    ]
    assert "READLOB" in [entry["event"] for entry in hana.journal()]
    connection.close()


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT * FROM NOPE", 259),
        ("SELECT NOPE FROM NUMBERS", 260),
        ("SELECT FROM WHERE", 257),
        ("SELECT NOPE(1) FROM DUMMY", 328),
        ("SET SCHEMA NOPE", 362),
    ],
)
def test_errors_carry_the_numbers_of_the_real_server(hana: HanaProcess, sql: str, code: int) -> None:
    connection = connect(hana, currentSchema='"SAMPLE"')
    with pytest.raises(dbapi.Error) as refused:
        connection.cursor().execute(sql)
    assert refused.value.errorcode == code
    connection.close()


def test_a_read_only_transaction_refuses_writes_until_it_ends(hana: HanaProcess) -> None:
    connection = connect(hana, currentSchema='"SAMPLE"')
    cursor = connection.cursor()
    cursor.execute("SET TRANSACTION READ ONLY")
    with pytest.raises(dbapi.Error) as refused:
        cursor.execute('INSERT INTO NUMBERS ("N") VALUES (-1)')
    assert refused.value.errorcode == 7
    connection.rollback()
    cursor.execute('DELETE FROM NUMBERS WHERE "N" = -1')
    assert cursor.rowcount == 0
    connection.close()


def test_another_connection_cancels_the_running_statement(hana: HanaProcess) -> None:
    hana.fault(phase="execute", sql="SLOW", delay_s=20)
    connection = connect(hana, currentSchema='"SAMPLE"')
    cancelled: list[bool] = []
    timer = threading.Timer(0.2, lambda: cancelled.append(connection.cancel()))
    timer.start()
    started = time.monotonic()
    with pytest.raises(dbapi.Error) as refused:
        connection.cursor().execute("SELECT 'SLOW' FROM DUMMY")
    timer.join()
    assert refused.value.errorcode == 139
    assert cancelled == [True]
    assert time.monotonic() - started < 10
    cursor = connection.cursor()
    cursor.execute("SELECT 1 FROM DUMMY")
    assert rows_of(cursor) == [(1,)]
    connection.close()


def test_the_server_detects_a_client_that_stopped_reading(hana: HanaProcess) -> None:
    hana.fault(phase="execute", sql="SLOW", delay_s=20)
    connection = connect(hana, communicationTimeout=300)
    with pytest.raises(dbapi.Error) as lost:
        connection.cursor().execute("SELECT 'SLOW' FROM DUMMY")
    assert lost.value.errorcode == -10807
    deadline = time.monotonic() + 30
    while "client_gone" not in [entry["event"] for entry in hana.journal()]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.check
@pytest.mark.parametrize("phase", ["init", "authenticate", "connect"])
def test_a_connection_attempt_can_hang_or_be_dropped(hana: HanaProcess, phase: str) -> None:
    hana.fault(phase=phase, delay_s=20, times=1)
    started = time.monotonic()
    with pytest.raises(dbapi.Error, match="timeout"):
        connect(hana, connectTimeout=3000)
    assert time.monotonic() - started < 15
    hana.reset()
    hana.fault(phase=phase, drop="close", times=1)
    with pytest.raises(dbapi.Error):
        connect(hana)
    connect(hana).close()


@pytest.mark.parametrize(
    "rule",
    [
        {"phase": "fetch", "drop": "close"},
        {"phase": "fetch", "drop": "reset"},
        {"phase": "fetch", "cut_at": 40},
        {"phase": "execute", "drop": "close", "sql": "NUMBERS"},
    ],
    ids=["fetch-closed", "fetch-reset", "fetch-truncated", "execute-closed"],
)
def test_a_connection_can_be_lost_at_any_point(hana: HanaProcess, rule: dict[str, Any]) -> None:
    connection = connect(hana, currentSchema='"SAMPLE"')
    hana.fault(**rule)
    with pytest.raises(dbapi.Error) as lost:
        read_all(connection.cursor(), 'SELECT "N" FROM NUMBERS')
    assert lost.value.errorcode < 0


def test_a_fault_can_be_an_error_and_strike_a_number_of_times(hana: HanaProcess) -> None:
    hana.fault(phase="execute", sql="DUMMY", skip=1, times=1, error=[258, "insufficient privilege"])
    connection = connect(hana)
    cursor = connection.cursor()
    codes = []
    for _ in range(3):
        try:
            cursor.execute("SELECT 1 FROM DUMMY")
            codes.append(0)
        except dbapi.Error as error:
            codes.append(error.errorcode)
    assert codes == [0, 258, 0]
    connection.close()


def test_a_trickled_reply_is_complete(hana: HanaProcess) -> None:
    hana.fault(phase="execute", sql="NUMBERS", trickle_s=0.002)
    connection = connect(hana, currentSchema='"SAMPLE"')
    cursor = connection.cursor()
    cursor.execute('SELECT COUNT(*) FROM NUMBERS WHERE "N" < 10')
    assert rows_of(cursor) == [(10,)]
    connection.close()


def test_all_connections_can_be_cut_at_once(hana: HanaProcess) -> None:
    connection = connect(hana)
    assert hana.cut() >= 1
    with pytest.raises(dbapi.Error):
        connection.cursor().execute("SELECT 1 FROM DUMMY")


def test_tls_shows_a_certificate_that_a_client_can_trust(tmp_path: Path) -> None:
    certificate = tmp_path / "hana.pem"
    with run_hana("--tls-certificate", str(certificate)) as hana:
        options = {"encrypt": True, "sslHostNameInCertificate": "localhost"}
        with pytest.raises(dbapi.Error):
            connect(hana, **options)
        connection = connect(hana, **options, sslTrustStore=str(certificate))
        cursor = connection.cursor()
        cursor.execute("SELECT 1 FROM DUMMY")
        assert rows_of(cursor) == [(1,)]
        connection.close()


def test_session_functions_and_top_are_understood(hana: HanaProcess) -> None:
    connection = connect(hana, currentSchema='"SAMPLE"')
    cursor = connection.cursor()
    cursor.execute('SELECT TOP 2 "N", CURRENT_SCHEMA AS "S", CURRENT_USER AS "U" FROM NUMBERS ORDER BY 1')
    assert rows_of(cursor) == [(0, "SAMPLE", "SYSTEM"), (1, "SAMPLE", "SYSTEM")]
    cursor.execute("SELECT DAYS_BETWEEN('2024-01-01', ADD_DAYS('2024-01-01', 3)) AS \"D\" FROM DUMMY")
    assert rows_of(cursor) == [(3,)]
    connection.close()
