"""A HANA beside a Service Layer, as one process serves them: one company behind both."""

# ruff: noqa: DTZ001 - a TIMESTAMP of the database has no zone

import datetime as dt
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from erpsim.hana.process import PASSWORD, USER

dbapi = pytest.importorskip("hdbcli.dbapi")

pytestmark = pytest.mark.check  # processes of its own

LOGIN = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": "erpsim"}
COMMAND = (sys.executable, "-m", "erpsim", "serve", "--port", "0", "--seed", "small", "--hana-port", "0")


@pytest.fixture(scope="module")
def line() -> Iterator[str]:
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline()
        process.terminate()
        assert process.wait(30) == 0


@pytest.fixture
def connection(line: str) -> Iterator[Any]:
    match = re.search(r"HANA 127\.0\.0\.1:(\d+)", line)
    assert match is not None, line
    opened = dbapi.connect(
        address="127.0.0.1", port=int(match[1]), user=USER, password=PASSWORD, currentSchema="SBO_DEMO"
    )
    yield opened
    opened.close()


def call(line: str, path: str, body: object, method: str = "POST", session: str = "") -> Any:
    url = line.split()[2].rstrip(",")
    headers = {"Cookie": f"B1SESSION={session}; ROUTEID=.node1", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/{path}", json.dumps(body).encode(), headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        raise AssertionError(error.read()) from error
    return json.loads(text) if text else None


def rows(connection: Any, sql: str, *values: object) -> list[tuple[Any, ...]]:
    cursor = connection.cursor()
    cursor.execute(sql, values) if values else cursor.execute(sql)
    return [tuple(row) for row in cursor.fetchall()]


def test_an_order_is_in_the_next_query_made_changed_and_cancelled(line: str, connection: Any) -> None:
    session = call(line, "Login", LOGIN)["SessionId"]
    before = rows(connection, "SELECT COUNT(*) FROM ORDR")[0][0]
    order = call(
        line,
        "Orders",
        {
            "CardCode": "C00001",
            "DocDate": "2026-01-05",
            "DocDueDate": "2026-01-31",
            "DocumentLines": [{"ItemCode": "0007", "Quantity": 2, "UnitPrice": 1250.5}],
        },
        session=session,
    )
    entry = order["DocEntry"]
    sql = (
        'SELECT H."DocDate", H."Comments", H."CANCELED", L."Quantity", L."Price" FROM ORDR H '
        'INNER JOIN RDR1 L ON L."DocEntry" = H."DocEntry" WHERE H."DocEntry" = ?'
    )
    made = (dt.datetime(2026, 1, 5), None, "N", Decimal(2), Decimal("1250.5"))
    assert rows(connection, sql, entry) == [made]
    assert rows(connection, "SELECT COUNT(*) FROM ORDR") == [(before + 1,)]
    call(line, f"Orders({entry})", {"Comments": "cambiado"}, "PATCH", session)
    assert [row[1] for row in rows(connection, sql, entry)] == ["cambiado"]
    call(line, f"Orders({entry})/Cancel", {}, session=session)
    assert [row[2] for row in rows(connection, sql, entry)] == ["Y"]


def test_a_new_user_field_is_a_column_at_once(line: str, connection: Any) -> None:
    session = call(line, "Login", LOGIN)["SessionId"]
    with pytest.raises(dbapi.Error, match="invalid column name"):
        rows(connection, 'SELECT "U_NUEVO" FROM ORDR')
    field = {"TableName": "ORDR", "Name": "NUEVO", "Description": "Nuevo", "Type": "db_Alpha", "EditSize": 10}
    call(line, "UserFieldsMD", field, session=session)
    assert rows(connection, 'SELECT DISTINCT "U_NUEVO" FROM ORDR') == [(None,)]
    named = "SELECT COUNT(*) FROM SYS.TABLE_COLUMNS WHERE TABLE_NAME = 'ORDR' AND COLUMN_NAME = 'U_NUEVO'"
    assert rows(connection, named) == [(1,)]


def test_a_taken_hana_port_is_reported(connection: Any, line: str) -> None:
    match = re.search(r"HANA 127\.0\.0\.1:(\d+)", line)
    assert match is not None
    again = subprocess.run([*COMMAND[:-1], match[1]], capture_output=True, text=True, timeout=60, check=False)
    assert (again.returncode, f"port {match[1]} on 127.0.0.1 is taken" in again.stderr) == (1, True)


def test_without_a_hana_server_its_engine_is_not_loaded() -> None:
    loaded = "import sys, erpsim.__main__, erpsim.simulator; print('duckdb' in sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, timeout=60, check=True
    )
    assert process.stdout == "False\n"
