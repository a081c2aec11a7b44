"""Queries of HANA's through SAP's own driver: what comes back, in which types, and what is refused.

The cases are those by which engines were compared, and the ones that reports are made of.
"""

# ruff: noqa: DTZ001 - a TIMESTAMP of the database has no zone

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from erpsim.hana.process import PASSWORD, USER, run_hana

dbapi = pytest.importorskip("hdbcli.dbapi")

_NAMES = {
    3: "INTEGER", 4: "BIGINT", 7: "DOUBLE", 9: "VARCHAR", 11: "NVARCHAR",
    14: "DATE", 15: "TIME", 16: "TIMESTAMP",
}  # fmt: skip
_DECIMAL = 5
_FLOATING_DIGITS = 34


@pytest.fixture(scope="module")
def connection() -> Iterator[Any]:
    with run_hana("--seed", "small") as process:
        opened = dbapi.connect(
            address="127.0.0.1", port=process.port, user=USER, password=PASSWORD,
            currentSchema="SBO_DEMO", autocommit=False, reconnect=False,
        )  # fmt: skip
        yield opened
        opened.close()


def ask(
    connection: Any, sql: str, values: tuple[object, ...] = ()
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the types of the columns as HANA calls them, and the rows."""
    cursor = connection.cursor()
    cursor.execute(sql, values) if values else cursor.execute(sql)
    types = [
        _NAMES[column[1]]
        if column[1] != _DECIMAL
        else "DECIMAL"
        if column[4] == _FLOATING_DIGITS
        else f"DECIMAL({column[4]},{column[5]})"
        for column in cursor.description
    ]
    rows = [tuple(row) for row in cursor.fetchall()]
    cursor.close()
    return types, rows


def D(text: str) -> Decimal:  # noqa: N802 - as short as the cases want it
    return Decimal(text)


DAY = dt.datetime(2025, 11, 3)
CASES: list[tuple[str, tuple[object, ...], str, list[tuple[Any, ...]]]] = [
    (
        'SELECT MAX("DocDate") AS "ultimo" FROM ORDR',
        (),
        "TIMESTAMP",
        [(dt.datetime(2025, 12, 30),)],
    ),
    (
        'SELECT "DocDate" AS "dia" FROM ORDR ORDER BY "dia" LIMIT 1',
        (),
        "TIMESTAMP",
        [(DAY,)],
    ),
    (
        'SELECT SUM("DocTotal") AS "s", AVG("DocTotal") AS "a", MIN("DocTotal") AS "m" FROM ORDR',
        (),
        "DECIMAL(38,6) DECIMAL DECIMAL(21,6)",
        [(D("31642606"), D("791065.15"), D("26561"))],
    ),
    (
        "SELECT COUNT(*) FROM ordr",
        (),
        "BIGINT",
        [(40,)],
    ),
    (
        "SELECT n, Label FROM sample.numbers WHERE N < 2",
        (),
        "INTEGER NVARCHAR",
        [(0, "Fila 0"), (1, "Fila 1")],
    ),
    (
        'SELECT n."N" FROM SAMPLE.NUMBERS n WHERE "N" = 3',
        (),
        "INTEGER",
        [(3,)],
    ),
    (
        'SELECT SUM("N"), AVG("N") FROM SAMPLE.NUMBERS WHERE N < 4',
        (),
        "BIGINT DECIMAL",
        [(6, D("1.5"))],
    ),
    (
        'SELECT SUM("AMOUNT") FROM SAMPLE.NUMBERS WHERE N < 4',
        (),
        "DECIMAL(38,6)",
        [(D("0.75"),)],
    ),
    (
        'SELECT 9999999999 AS "b", 1.50 AS "d", 1e3 AS "e", -5 AS "m", NULL AS "n" FROM DUMMY',
        (),
        "BIGINT DECIMAL(3,2) DOUBLE INTEGER NVARCHAR",
        [(9_999_999_999, D("1.5"), 1000.0, -5, None)],
    ),
    (
        "SELECT DATE'2024-02-29' AS D, TIME'12:30:00' AS T FROM DUMMY",
        (),
        "DATE TIME",
        [(dt.date(2024, 2, 29), dt.time(12, 30))],
    ),
    (
        "SELECT 7/2 AS X FROM DUMMY",
        (),
        "DECIMAL",
        [(D("3.5"),)],
    ),
    (
        "SELECT 7/2.0*2 AS X, 2+3*4 AS Y, (2+3)*4 AS Z FROM DUMMY",
        (),
        "DECIMAL INTEGER INTEGER",
        [(7, 14, 20)],
    ),
    (
        'SELECT "DocTotal" - "VatSum" FROM ORDR WHERE "DocEntry" = 1',
        (),
        "DECIMAL(22,6)",
        [(D("74620"),)],
    ),
    (
        'SELECT "DocTotal" * 1.19 FROM ORDR WHERE "DocEntry" = 1',
        (),
        "DECIMAL(24,8)",
        [(D("105669.62"),)],
    ),
    (
        (
            'SELECT ROUND("DocTotal" / 3, 2), CAST("DocTotal" / 3 AS DECIMAL(21,2)) FROM ORDR WHERE '
            '"DocEntry" = 3'
        ),
        (),
        "DECIMAL DECIMAL(21,2)",
        [(D("261498.67"), D("261498.66"))],
    ),
    (
        "SELECT ROUND(2.01 / 2, 2), ROUND(155, -1), ROUND(-2.5), MOD(7, 3) FROM DUMMY",
        (),
        "DECIMAL INTEGER DECIMAL(2,1) INTEGER",
        [(D("1.01"), 160, -3, 1)],
    ),
    (
        "SELECT FLOOR(-1.5), CEIL(1.2), ABS(-3), SIGN(-2.5) FROM DUMMY",
        (),
        "DECIMAL(2,0) DECIMAL(2,0) INTEGER INTEGER",
        [(-2, 2, 3, -1)],
    ),
    (
        "SELECT GREATEST(1, 3, 2), LEAST(1, NULL) FROM DUMMY",
        (),
        "INTEGER INTEGER",
        [(3, None)],
    ),
    (
        "SELECT '5' + 1 FROM DUMMY",
        (),
        "DECIMAL",
        [(6,)],
    ),
    (
        "SELECT COUNT(*) FROM ORDR WHERE \"DocDate\" >= '20251201'",
        (),
        "BIGINT",
        [(21,)],
    ),
    (
        "SELECT COUNT(*) FROM ORDR WHERE \"DocDate\" >= '2025-12-01'",
        (),
        "BIGINT",
        [(21,)],
    ),
    (
        "SELECT COUNT(*) FROM ORDR WHERE \"DocDate\" >= '2025-12-01 00:00:01'",
        (),
        "BIGINT",
        [(20,)],
    ),
    (
        "SELECT COUNT(*) FROM ORDR WHERE \"DocDate\" BETWEEN '20251103' AND '2025-11-04'",
        (),
        "BIGINT",
        [(2,)],
    ),
    (
        'SELECT COUNT(*) FROM ORDR WHERE "DocDate" >= ?',
        (dt.date(2025, 12, 1),),
        "BIGINT",
        [(21,)],
    ),
    (
        'SELECT COUNT(*) FROM ORDR WHERE "DocDate" >= ?',
        (dt.date(1, 1, 1),),
        "BIGINT",
        [(40,)],
    ),
    (
        (
            "SELECT TO_DATE('2024-01-31'), TO_DATE('31/01/2024', 'DD/MM/YYYY'), "
            "ADD_MONTHS(TO_DATE('20240131'), 1) FROM DUMMY"
        ),
        (),
        "DATE DATE DATE",
        [(dt.date(2024, 1, 31), dt.date(2024, 1, 31), dt.date(2024, 2, 29))],
    ),
    (
        (
            'SELECT DAYS_BETWEEN("DocDate", "DocDueDate"), ADD_DAYS("DocDate", 3), '
            "ADD_DAYS(DATE'2024-02-28', 1) FROM ORDR WHERE \"DocEntry\" = 1"
        ),
        (),
        "INTEGER TIMESTAMP DATE",
        [(7, dt.datetime(2025, 11, 6), dt.date(2024, 2, 29))],
    ),
    (
        (
            'SELECT YEAR("DocDate"), MONTH("DocDate"), EXTRACT(DAY FROM "DocDate"), '
            'WEEKDAY("DocDate"), DAYNAME("DocDate"), QUARTER("DocDate"), LAST_DAY("DocDate") FROM ORDR '
            'WHERE "DocEntry" = 1'
        ),
        (),
        "INTEGER INTEGER INTEGER INTEGER NVARCHAR NVARCHAR DATE",
        [(2025, 11, 3, 0, "MONDAY", "2025-Q4", dt.date(2025, 11, 30))],
    ),
    (
        (
            'SELECT TO_VARCHAR("DocDate", \'YYYY-MM\') AS "mes", SUM("DocTotal") AS "t" FROM '
            "ORDR GROUP BY TO_VARCHAR(\"DocDate\", 'YYYY-MM') ORDER BY 1"
        ),
        (),
        "NVARCHAR DECIMAL(38,6)",
        [("2025-11", D("13306720")), ("2025-12", D("18335886"))],
    ),
    (
        ("SELECT TO_VARCHAR(TO_TIMESTAMP('2024-01-02 03:04:05')), TO_VARCHAR(DATE'2024-01-02') FROM DUMMY"),
        (),
        "NVARCHAR NVARCHAR",
        [("2024-01-02 03:04:05.0000000", "2024-01-02")],
    ),
    (
        "SELECT SECONDS_BETWEEN('2024-01-01 00:00:00', '2024-01-01 00:01:30') FROM DUMMY",
        (),
        "BIGINT",
        [(90,)],
    ),
    (
        "SELECT COUNT(*) FROM OCRD WHERE \"CardCode\" LIKE 'c%'",
        (),
        "BIGINT",
        [(0,)],
    ),
    (
        "SELECT COUNT(*) FROM OCRD WHERE \"CardCode\" LIKE 'C%'",
        (),
        "BIGINT",
        [(9,)],
    ),
    (
        "SELECT COUNT(*) FROM OCRD WHERE \"CardCode\" = 'c00001'",
        (),
        "BIGINT",
        [(0,)],
    ),
    (
        "SELECT COUNT(*) FROM OCRD WHERE \"CardCode\" LIKE_REGEXPR '^C0+1$'",
        (),
        "BIGINT",
        [(1,)],
    ),
    (
        (
            "SELECT UPPER('año'), LEFT('abc', 2), SUBSTRING('abcde', 2, 3), LOCATE('abc', 'c'), "
            "LENGTH('ñandú'), TRIM(LEADING '0' FROM '0070'), LPAD('7', 3, '0'), REPLACE('aXb', 'X', "
            "'-') FROM DUMMY"
        ),
        (),
        "NVARCHAR NVARCHAR NVARCHAR INTEGER INTEGER NVARCHAR NVARCHAR NVARCHAR",
        [("AÑO", "ab", "bcd", 3, 5, "70", "007", "a-b")],
    ),
    (
        "SELECT CONCAT('a', NULL), 'a' || 1, IFNULL(NULL, 'x'), NULLIF(1, 1), '' FROM DUMMY",
        (),
        "NVARCHAR NVARCHAR NVARCHAR INTEGER NVARCHAR",
        [(None, "a1", "x", None, "")],
    ),
    (
        (
            "SELECT TO_DECIMAL('12.349', 10, 2), TO_INTEGER('12'), TO_INTEGER(-3.7), TO_VARCHAR(1.50) "
            "FROM DUMMY"
        ),
        (),
        "DECIMAL(10,2) INTEGER INTEGER NVARCHAR",
        [(D("12.34"), 12, -3, "1.50")],
    ),
    (
        (
            'SELECT STRING_AGG("CardCode", \',\' ORDER BY "CardCode" DESC) FROM OCRD WHERE '
            "\"CardCode\" < 'C00004'"
        ),
        (),
        "NVARCHAR",
        [("C00003,C00002,C00001",)],
    ),
    (
        "SELECT 'Z' FROM DUMMY WHERE 'Z' < 'a'",
        (),
        "NVARCHAR",
        [("Z",)],
    ),
    (
        "SELECT SESSION_CONTEXT('NADA'), CURRENT_SCHEMA, CURRENT_USER FROM DUMMY",
        (),
        "NVARCHAR NVARCHAR NVARCHAR",
        [(None, "SBO_DEMO", "SYSTEM")],
    ),
    (
        "SELECT COUNT(*) FROM ORDR WITH HINT (NO_RESULT_CACHE)",
        (),
        "BIGINT",
        [(40,)],
    ),
    (
        "SELECT SCHEMA_NAME FROM SYS.SCHEMAS ORDER BY SCHEMA_NAME",
        (),
        "NVARCHAR",
        [("SAMPLE",), ("SBO_DEMO",), ("SYS",)],
    ),
    (
        (
            "SELECT DATA_TYPE_NAME, LENGTH, SCALE FROM TABLE_COLUMNS WHERE TABLE_NAME = 'ORDR' AND "
            "COLUMN_NAME = 'DocTotal'"
        ),
        (),
        "VARCHAR INTEGER INTEGER",
        [("DECIMAL", 21, 6)],
    ),
    (
        'SELECT "CardCode" FROM OCRD MINUS SELECT "CardCode" FROM ORDR ORDER BY 1 LIMIT 1',
        (),
        "NVARCHAR",
        [("P00001",)],
    ),
    (
        ('SELECT "DocEntry" FROM ORDR UNION ALL SELECT "DocEntry" FROM OINV ORDER BY "DocEntry" LIMIT 2'),
        (),
        "INTEGER",
        [(1,), (1,)],
    ),
    (
        "SELECT 1 AS A FROM DUMMY UNION SELECT 1.5 FROM DUMMY ORDER BY A",
        (),
        "DECIMAL(11,1)",
        [(1,), (D("1.5"),)],
    ),
    (
        (
            "SELECT TOP 2 \"DocEntry\", CASE WHEN \"DocTotal\" > 100000 THEN 'alto' ELSE 'bajo' END "
            "FROM ORDR ORDER BY 1"
        ),
        (),
        "INTEGER NVARCHAR",
        [(1, "bajo"), (2, "alto")],
    ),
    (
        'SELECT "DocEntry" FROM ORDR ORDER BY 1 LIMIT ? OFFSET ?',
        (2, 1),
        "INTEGER",
        [(2,), (3,)],
    ),
    (
        'SELECT "DocEntry" FROM ORDR WHERE "DocEntry" IN (?, ?) ORDER BY 1 DESC',
        (2, 1),
        "INTEGER",
        [(2,), (1,)],
    ),
    (
        'SELECT "DocEntry" FROM ORDR WHERE "DocTotal" = (SELECT MAX("DocTotal") FROM ORDR)',
        (),
        "INTEGER",
        [(37,)],
    ),
    (
        (
            'SELECT COUNT(DISTINCT "CardCode") FROM ORDR WHERE EXISTS (SELECT 1 FROM RDR1 L WHERE '
            'L."DocEntry" = ORDR."DocEntry")'
        ),
        (),
        "BIGINT",
        [(9,)],
    ),
    (
        (
            'SELECT T."mes", T."n" FROM (SELECT MONTH("DocDate") AS "mes", COUNT(*) AS "n" FROM ORDR '
            'GROUP BY MONTH("DocDate")) T WHERE T."n" > 1 ORDER BY T."mes" DESC'
        ),
        (),
        "INTEGER BIGINT",
        [(12, 21), (11, 19)],
    ),
    (
        (
            'WITH V AS (SELECT "CardCode", SUM("DocTotal") AS "T" FROM OINV GROUP BY "CardCode") '
            'SELECT O."CardName", V."T" FROM V INNER JOIN OCRD O ON O."CardCode" = V."CardCode" ORDER '
            'BY V."T" DESC LIMIT 1'
        ),
        (),
        "NVARCHAR DECIMAL(38,6)",
        [("Maestranza Soto S.A.", D("5326009"))],
    ),
    (
        (
            'SELECT "DocEntry", ROW_NUMBER() OVER (ORDER BY "DocEntry" DESC) AS "r", LAG("DocTotal") '
            'OVER (ORDER BY "DocEntry") AS "antes", SUM("DocTotal") OVER (ORDER BY "DocEntry") AS '
            '"suma" FROM ORDR ORDER BY "DocEntry" LIMIT 2'
        ),
        (),
        "INTEGER BIGINT DECIMAL(21,6) DECIMAL(38,6)",
        [(1, 40, None, D("88798")), (2, 39, D("88798"), D("371623"))],
    ),
    (
        "SELECT N FROM (SELECT 1 AS N FROM DUMMY UNION ALL SELECT NULL FROM DUMMY) X ORDER BY N",
        (),
        "INTEGER",
        [(None,), (1,)],
    ),
    (
        ("SELECT N FROM (SELECT 1 AS N FROM DUMMY UNION ALL SELECT NULL FROM DUMMY) X ORDER BY N DESC"),
        (),
        "INTEGER",
        [(1,), (None,)],
    ),
    (
        (
            'SELECT C."CardCode", COUNT(O."DocEntry") FROM OCRD C LEFT OUTER JOIN ORDR O ON '
            'O."CardCode" = C."CardCode" WHERE C."CardCode" IN (\'C00001\', \'P00001\') GROUP BY '
            'C."CardCode" HAVING COUNT(*) > 0 ORDER BY 1'
        ),
        (),
        "NVARCHAR BIGINT",
        [("C00001", 5), ("P00001", 0)],
    ),
    (
        'SELECT DISTINCT "CANCELED" FROM ORDR ORDER BY 1',
        (),
        "NVARCHAR",
        [("N",), ("Y",)],
    ),
    (
        "SELECT MAP(2, 1, 'uno', 2, 'dos', 'más') FROM DUMMY",
        (),
        "NVARCHAR",
        [("dos",)],
    ),
    (
        "SELECT DUMMY FROM SYS.DUMMY",
        (),
        "VARCHAR",
        [("X",)],
    ),
    (
        (
            'SELECT SBO_DEMO.ORDR."DocEntry" FROM SBO_DEMO.ORDR WHERE "SBO_DEMO"."ORDR"."DocEntry" < 3 '
            'ORDER BY SBO_DEMO.ORDR."DocEntry"'
        ),
        (),
        "INTEGER",
        [(1,), (2,)],
    ),
    ("SELECT -TINY, TINY - 201 FROM SAMPLE.TYPES WHERE TINY = 200", (), "INTEGER INTEGER", [(-200, -1)]),
]

REFUSED: list[tuple[str, int, str]] = [
    (
        'SELECT "Nope" FROM ORDR',
        260,
        "invalid column name: Nope: line 1 col 8 (at pos 7)",
    ),
    (
        "SELECT DocNum FROM ORDR",
        260,
        "invalid column name: DOCNUM: line 1 col 8 (at pos 7)",
    ),
    (
        'SELECT "docnum" FROM ORDR',
        260,
        "invalid column name: docnum",
    ),
    (
        'SELECT "DocTotal" AS "t" FROM ORDR WHERE "t" > 1',
        260,
        "invalid column name: t",
    ),
    (
        'SELECT COUNT(*) AS "n", "CardCode" AS "c" FROM ORDR GROUP BY "c"',
        260,
        "invalid column name: c",
    ),
    (
        'SELECT SAMPLE.ORDR."DocEntry" FROM ORDR',
        260,
        "invalid column name: SAMPLE.ORDR.DocEntry",
    ),
    (
        'SELECT SBO_DEMO.O."DocEntry" FROM ORDR O',
        260,
        "invalid column name: SBO_DEMO.O.DocEntry",
    ),
    (
        'SELECT 1 FROM "ordr"',
        259,
        "invalid table name:  Could not find table/view ordr in schema SBO_DEMO",
    ),
    (
        "SELECT 1 FROM NADA.ORDR",
        362,
        "invalid schema name: NADA",
    ),
    (
        'SELECT "DocEntry" FROM ORDR, RDR1',
        268,
        "column ambiguously defined: DocEntry",
    ),
    (
        'SELECT "CardCode", SUM("DocTotal") FROM ORDR',
        276,
        "missing aggregation or grouping: CardCode: line 1 col 8 (at pos 7)",
    ),
    (
        'SELECT "CardName", COUNT(*) FROM ORDR GROUP BY "CardCode"',
        276,
        "missing aggregation or grouping: CardName",
    ),
    (
        "SELECT NOPE(1) FROM DUMMY",
        328,
        "invalid name of function or procedure: NOPE",
    ),
    (
        "SELECT DATE_TRUNC('month', \"DocDate\") FROM ORDR",
        328,
        "invalid name of function or procedure: DATE_TRUNC",
    ),
    (
        "SELECT 1/0 FROM DUMMY",
        304,
        "division by zero undefined",
    ),
    (
        "SELECT MOD(7, 0) FROM DUMMY",
        304,
        "division by zero undefined",
    ),
    (
        'SELECT 1 / ("N" - 5) FROM SAMPLE.NUMBERS',
        304,
        "division by zero undefined",
    ),
    (
        "SELECT COUNT(*) FROM ORDR WHERE \"DocDate\" >= 'gestern'",
        303,
        "invalid DATE, TIME or TIMESTAMP value: gestern",
    ),
    (
        "SELECT TO_DATE('2024-02-30') FROM DUMMY",
        303,
        "invalid DATE, TIME or TIMESTAMP value",
    ),
    (
        "SELECT TO_DATE('31-01', 'YYYY-MM-DD') FROM DUMMY",
        303,
        "invalid DATE, TIME or TIMESTAMP value",
    ),
    (
        'SELECT COUNT(*) FROM OCRD WHERE "CardCode" = 5',
        339,
        "invalid number",
    ),
    (
        "SELECT 'a' + 1 FROM DUMMY",
        339,
        "invalid number",
    ),
    (
        "SELECT TO_INTEGER('abc') FROM DUMMY",
        339,
        "invalid number",
    ),
    (
        "SELECT 2000000000 + 2000000000 FROM DUMMY",
        314,
        "numeric overflow",
    ),
    (
        'SELECT (SELECT "DocEntry" FROM ORDR) FROM DUMMY',
        305,
        "single-row query returns more than one row",
    ),
    (
        "SELECT 1",
        257,
        "sql syntax error: ",
    ),
    (
        "SELECT EXISTS (SELECT 1 FROM DUMMY) FROM DUMMY",
        257,
        "sql syntax error: ",
    ),
    (
        "SELECT 1 FROM DUMMY WHERE 1",
        257,
        "sql syntax error: ",
    ),
    (
        "SELECT a::INTEGER FROM DUMMY",
        257,
        'sql syntax error: incorrect syntax near ":": line 1 col 9 (at pos 8)',
    ),
    (
        "SELECT 7 % 2 FROM DUMMY",
        257,
        'sql syntax error: incorrect syntax near "%"',
    ),
    (
        "SELECT 1 FROM DUMMY LIMIT 5, 10",
        257,
        'sql syntax error: incorrect syntax near ","',
    ),
    (
        "SELECT 'x FROM DUMMY",
        257,
        "sql syntax error",
    ),
    (
        'SELECT "DocDate" + 1 FROM ORDR',
        7,
        "erpsim does not simulate calculating with TIMESTAMP",
    ),
    (
        'SELECT "DocEntry" FROM ORDR FOR UPDATE',
        7,
        "erpsim does not simulate FOR UPDATE",
    ),
    (
        "SELECT MONTHS_BETWEEN('2024-01-01', '2024-03-01') FROM DUMMY",
        7,
        "erpsim does not simulate the function",
    ),
    (
        "SELECT DAYS_BETWEEN('2024-01-01 12:00:00', '2024-01-02') FROM DUMMY",
        7,
        "erpsim does not simulate DAYS_BETWEEN",
    ),
    (
        "SELECT TO_VARCHAR(7/2) FROM DUMMY",
        7,
        "erpsim does not simulate DECIMAL as a text",
    ),
    (
        "SELECT TO_VARCHAR(1.5, '999') FROM DUMMY",
        7,
        "erpsim does not simulate TO_VARCHAR with a pattern",
    ),
    (
        'SELECT "A" FROM (SELECT 1 AS "A", 2 AS "a" FROM DUMMY) X',
        7,
        "erpsim does not simulate two columns",
    ),
    (
        "CREATE TABLE X (A INTEGER)",
        7,
        "erpsim does not simulate the statement CREATE",
    ),
    (
        "CALL P()",
        7,
        "erpsim does not simulate the statement CALL",
    ),
    (
        'UPDATE ORDR SET "DocNum" = 1',
        7,
        "erpsim does not simulate changing the company's tables",
    ),
    (
        "SELECT * FROM ORDR NATURAL JOIN OINV",
        7,
        "erpsim does not simulate NATURAL JOIN",
    ),
    (
        'SELECT 1 FROM ORDR WHERE SUM("DocTotal") > 1',
        275,
        "aggregate function not allowed: line 1 col 26 (at pos 25)",
    ),
    ("SELECT SUM(COUNT(*)) FROM ORDR", 7, "an aggregate inside another"),
    ("SELECT SQRT(-1) FROM DUMMY", 7, "a result that is no finite number"),
    ("SELECT 1e400 FROM DUMMY", 7, "a result that is no finite number"),
    (f"SELECT {'(' * 3000}1{')' * 3000} FROM DUMMY", 7, "a statement nested so deeply"),
    ("SELECT 1 FROM DUMMY ORDER BY 2", 280, "ORDER BY item must be the number of a SELECT-list"),
    ("SELECT 1 FROM DUMMY UNION SELECT 1, 2 FROM DUMMY", 7, "different numbers of columns"),
    ("INSERT INTO SAMPLE.NUMBERS (N) VALUES (1, 2)", 269, "too many values"),
    ("INSERT INTO SAMPLE.NUMBERS (N, LABEL) VALUES (1)", 270, "not enough values"),
    (
        "DELETE FROM SYS.DUMMY",
        258,
        "insufficient privilege: Not authorized",
    ),
]


@pytest.mark.parametrize(("sql", "values", "types", "rows"), CASES, ids=[case[0][:60] for case in CASES])
def test_a_query_answers_with_hanas_types_and_values(
    connection: Any, sql: str, values: tuple[object, ...], types: str, rows: list[tuple[Any, ...]]
) -> None:
    assert ask(connection, sql, values) == (types.split(), rows)


@pytest.mark.parametrize(("sql", "code", "words"), REFUSED, ids=[case[0][:60] for case in REFUSED])
def test_a_query_is_refused_with_the_hana_code_and_message(
    connection: Any, sql: str, code: int, words: str
) -> None:
    with pytest.raises(dbapi.Error) as refused:
        ask(connection, sql)
    assert (refused.value.errorcode, words in refused.value.errortext) == (code, True), (
        refused.value.errortext
    )


def test_the_case_table_has_at_least_sixty_cases() -> None:
    assert len(CASES) >= 60


def test_unnamed_columns_are_named_after_their_expression(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(
        'select count(*), max("DocTotal"), 1, extract(day from "DocDate") from ORDR group by "DocDate"'
    )
    assert [column[0] for column in cursor.description] == [
        "COUNT(*)", "MAX(DocTotal)", "1", "EXTRACT(DAY FROM DocDate)",
    ]  # fmt: skip


def test_the_clock_is_the_companys(connection: Any) -> None:
    types, ((day, moment, clock),) = ask(
        connection, "SELECT CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_TIME FROM DUMMY"
    )
    assert types == ["DATE", "TIMESTAMP", "TIME"]
    assert (moment.date(), moment.time().replace(microsecond=0)) == (day, clock)


def test_queries_of_sqlalchemys_dialect_at_connect_and_in_reflection(connection: Any) -> None:
    assert ask(connection, "SELECT CURRENT_TRANSACTION_ISOLATION_LEVEL FROM DUMMY")[1] == [
        ("READ COMMITTED",)
    ]
    assert ask(connection, 'SELECT COUNT(*) FROM (SELECT "ItemCode" FROM OITM)')[1] == [(60,)]
    tables = (
        "SELECT TABLE_NAME FROM SYS.TABLES WHERE SCHEMA_NAME = 'SBO_DEMO' AND TABLE_NAME = 'OITM' "
        "AND IS_USER_DEFINED_TYPE = 'FALSE' AND IS_TEMPORARY = 'FALSE'"
    )
    assert ask(connection, tables)[1] == [("OITM",)]
    assert ask(connection, "SELECT VIEW_NAME FROM SYS.VIEWS")[1] == []
    assert ask(connection, "SELECT IS_NULLABLE, DEFAULT_VALUE, COMMENTS FROM SYS.VIEW_COLUMNS")[1] == []


@pytest.mark.parametrize(
    "asked",
    [
        "CONSTRAINT_NAME, COLUMN_NAME FROM SYS.CONSTRAINTS WHERE IS_PRIMARY_KEY='TRUE' ORDER BY POSITION",
        "CONSTRAINT_NAME FROM SYS.CONSTRAINTS WHERE IS_UNIQUE_KEY='TRUE' AND CHECK_CONDITION IS NOT NULL",
        (
            "CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_SCHEMA_NAME, REFERENCED_TABLE_NAME, "
            "REFERENCED_COLUMN_NAME, UPDATE_RULE, DELETE_RULE FROM SYS.REFERENTIAL_CONSTRAINTS"
        ),
        '"INDEX_NAME", "COLUMN_NAME", "CONSTRAINT" FROM SYS.INDEX_COLUMNS ORDER BY POSITION',
        "1 FROM SYS.INDEXES WHERE INDEX_NAME = 'ANY'",
        "SEQUENCE_NAME FROM SYS.SEQUENCES WHERE SCHEMA_NAME = 'SBO_DEMO'",
        "1 FROM SYS.VIEWS WHERE DEFINITION IS NULL",
    ],
)
def test_the_catalogue_lists_no_keys_indexes_and_sequences(connection: Any, asked: str) -> None:
    assert ask(connection, f"SELECT {asked}")[1] == []


def test_each_table_has_a_number_and_no_comment(connection: Any) -> None:
    rows = ask(connection, "SELECT TABLE_OID, COMMENTS FROM SYS.TABLES")[1]
    assert len({number for number, _ in rows}) == len(rows)
    assert {comment for _, comment in rows} == {None}
