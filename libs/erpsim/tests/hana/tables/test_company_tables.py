"""The company behind the wire, asked by the real driver."""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from erpsim.hana.process import PASSWORD, USER, run_hana

dbapi = pytest.importorskip("hdbcli.dbapi")


@pytest.fixture(scope="module")
def cursor() -> Iterator[Any]:
    with run_hana("--seed", "small") as process:
        connection = dbapi.connect(address="127.0.0.1", port=process.port, user=USER, password=PASSWORD)
        try:
            yield connection.cursor()
        finally:
            connection.close()


def test_items_are_rows_with_their_types(cursor: Any) -> None:
    cursor.execute(
        'SELECT "ItemCode", "OnHand", "validFor" FROM "SBO_DEMO"."OITM" WHERE "ItemCode" = ?', ["0007"]
    )
    code, stock, valid = cursor.fetchone()
    assert (code, valid) == ("0007", "Y")
    assert isinstance(stock, Decimal)
    assert stock > 0


def test_dates_are_midnight_timestamps(cursor: Any) -> None:
    cursor.execute('SELECT "DocDate" FROM "SBO_DEMO"."OINV" ORDER BY "DocEntry" LIMIT 1')
    assert cursor.fetchone()[0] == dt.datetime(2025, 11, 10)  # noqa: DTZ001 - a TIMESTAMP has no zone


def test_lines_join_their_documents(cursor: Any) -> None:
    cursor.execute(
        'SELECT COUNT(*) FROM "SBO_DEMO"."PDN1" L JOIN "SBO_DEMO"."OPDN" H ON H."DocEntry" = L."DocEntry"'
    )
    assert cursor.fetchone()[0] > 50


def test_the_catalogue_lists_tables_and_columns(cursor: Any) -> None:
    cursor.execute("SELECT COUNT(*) FROM SYS.TABLES WHERE SCHEMA_NAME = 'SBO_DEMO' AND TABLE_NAME = 'CUFD'")
    assert cursor.fetchone()[0] == 1
    cursor.execute(
        "SELECT DATA_TYPE_NAME FROM SYS.TABLE_COLUMNS WHERE TABLE_NAME = 'OITW' AND COLUMN_NAME = 'OnHand'"
    )
    assert cursor.fetchone()[0] == "DECIMAL"


def test_the_catalogue_shows_the_version_and_each_users_rights(cursor: Any) -> None:
    cursor.execute("SELECT VERSION FROM SYS.M_DATABASE")
    assert [row[0].count(".") for row in cursor.fetchall()] == [4]
    result = (
        "SELECT OBJECT_TYPE, OBJECT_NAME, PRIVILEGE FROM SYS.EFFECTIVE_PRIVILEGES"
        " WHERE USER_NAME = ? AND SCHEMA_NAME = 'SBO_DEMO' ORDER BY OBJECT_NAME, PRIVILEGE"
    )
    granted = {
        "READER": [("SCHEMA", None, "SELECT")],
        "CLERK": [("TABLE", name, "SELECT") for name in ("OCRD", "OITM", "OITW")],
        "STRANGER": [],
        USER: [("SCHEMA", None, each) for each in ("DELETE", "INSERT", "SELECT", "UPDATE")],
    }
    for user, expected in granted.items():
        cursor.execute(result, [user])
        assert [tuple(row) for row in cursor.fetchall()] == expected
        cursor.execute("SELECT COUNT(*) FROM GRANTED_PRIVILEGES WHERE GRANTEE = ?", [user])
        assert cursor.fetchone()[0] >= len(expected)


def test_a_table_that_the_company_lacks_is_refused(cursor: Any) -> None:
    with pytest.raises(dbapi.Error, match="invalid table name"):
        cursor.execute('SELECT 1 FROM "SBO_DEMO"."NONE"')
