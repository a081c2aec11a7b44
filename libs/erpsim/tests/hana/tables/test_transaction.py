"""Changes through SAP's own driver: transactions of connections, and what a user may do."""

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from erpsim.hana.process import PASSWORD, USER, HanaProcess, run_hana

dbapi = pytest.importorskip("hdbcli.dbapi")

Connect = Callable[..., Any]


@pytest.fixture(scope="module")
def process() -> Iterator[HanaProcess]:
    with run_hana("--seed", "small", "--numbers", "10") as running:
        yield running


@pytest.fixture
def connect(process: HanaProcess) -> Iterator[Connect]:
    opened: list[Any] = []

    def make(user: str = USER, **options: Any) -> Any:
        wanted = {"autocommit": False, "reconnect": False, "currentSchema": "SAMPLE", **options}
        opened.append(
            dbapi.connect(address="127.0.0.1", port=process.port, user=user, password=PASSWORD, **wanted)
        )
        return opened[-1]

    yield make
    for connection in opened:
        connection.close()


def rows(connection: Any, sql: str, *values: object) -> list[tuple[Any, ...]]:
    cursor = connection.cursor()
    cursor.execute(sql, values) if values else cursor.execute(sql)
    return [tuple(row) for row in cursor.fetchall()]


def run(connection: Any, sql: str, *values: object) -> int:
    cursor = connection.cursor()
    cursor.execute(sql, values) if values else cursor.execute(sql)
    count: int = cursor.rowcount
    return count


def refusal(connection: Any, sql: str, *values: object) -> int:
    with pytest.raises(dbapi.Error) as refused:
        rows(connection, sql, *values)
    code: int = refused.value.errorcode
    return code


COUNT = "SELECT COUNT(*) FROM NUMBERS WHERE N >= 100"


def test_changes_are_visible_to_other_connections_after_commit(connect: Connect) -> None:
    one, other = connect(), connect()
    assert (
        run(one, "INSERT INTO NUMBERS (N, LABEL, AMOUNT) VALUES (?, ?, ?)", 100, "cien", Decimal("1.5")) == 1
    )
    assert (rows(one, COUNT), rows(other, COUNT)) == ([(1,)], [(0,)])
    one.commit()
    assert rows(other, COUNT) == [(1,)]
    assert run(other, "UPDATE NUMBERS SET LABEL = LABEL || '!', AMOUNT = AMOUNT * 2 WHERE N = 100") == 1
    assert rows(other, "SELECT LABEL, AMOUNT FROM NUMBERS WHERE N = 100") == [("cien!", Decimal(3))]
    assert run(other, "DELETE FROM NUMBERS WHERE N >= 100") == 1
    other.commit()
    assert rows(one, COUNT) == [(0,)]


def test_rollback_and_close_undo_changes(connect: Connect, process: HanaProcess) -> None:
    one, other = connect(), connect()
    run(one, "INSERT INTO NUMBERS (N) VALUES (101)")
    one.rollback()
    assert rows(one, COUNT) == [(0,)]
    run(one, "INSERT INTO NUMBERS (N) VALUES (102)")
    one.close()
    assert rows(other, COUNT) == [(0,)]
    leaving = dbapi.connect(address="127.0.0.1", port=process.port, user=USER, password=PASSWORD)
    leaving.close()


def test_autocommit_keeps_each_change(connect: Connect) -> None:
    one, other = connect(autocommit=True), connect()
    run(one, "INSERT INTO NUMBERS (N) VALUES (103)")
    assert rows(other, COUNT) == [(1,)]
    run(one, "DELETE FROM NUMBERS WHERE N = 103")
    assert rows(other, COUNT) == [(0,)]


def test_a_failed_statement_is_rolled_back_on_its_own(connect: Connect) -> None:
    one, other = connect(), connect()
    run(one, "INSERT INTO NUMBERS (N) VALUES (104)")
    assert refusal(one, "SELECT 1 / (N - 104) FROM NUMBERS") == 304
    assert refusal(one, "UPDATE NUMBERS SET N = 1 / (N - 104)") == 304
    assert refusal(one, "SELECT NOPE FROM NUMBERS") == 260
    assert rows(one, COUNT) == [(1,)]
    one.commit()
    assert rows(other, COUNT) == [(1,)]
    run(other, "DELETE FROM NUMBERS WHERE N = 104")
    other.commit()


def test_a_table_locked_by_another_transaction_is_refused_at_once(connect: Connect) -> None:
    one, other = connect(), connect()
    run(one, "UPDATE NUMBERS SET LABEL = 'uno' WHERE N = 1")
    assert refusal(other, "UPDATE NUMBERS SET LABEL = 'dos' WHERE N = 2") == 131
    assert rows(other, "SELECT LABEL FROM NUMBERS WHERE N = 1") == [("Fila 1",)]
    one.rollback()
    assert run(other, "UPDATE NUMBERS SET LABEL = 'dos' WHERE N = 2") == 1
    other.rollback()


def test_queries_combine_the_companys_tables_and_own_changes(connect: Connect) -> None:
    one = connect()
    run(one, "INSERT INTO NUMBERS (N) VALUES (105)")
    assert rows(one, "SELECT COUNT(*) FROM SBO_DEMO.OCRD WHERE \"CardCode\" = 'C00001'") == [(1,)]
    one.rollback()


def test_a_read_only_mode_ends_with_the_transaction(connect: Connect) -> None:
    one = connect()
    run(one, "SET TRANSACTION READ ONLY")
    assert refusal(one, "DELETE FROM NUMBERS") == 7
    one.rollback()
    assert run(one, "DELETE FROM NUMBERS WHERE N = -1") == 0
    one.rollback()
    assert refusal(one, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE") == 7


def test_a_user_without_the_right_is_refused(connect: Connect) -> None:
    stranger, reader = connect("STRANGER"), connect("READER")
    assert refusal(stranger, COUNT) == 258
    assert refusal(stranger, "SELECT TABLE_NAME FROM SYS.TABLES") == 258
    assert rows(stranger, "SELECT CURRENT_USER FROM DUMMY") == [("STRANGER",)]
    assert rows(reader, COUNT) == [(0,)]
    assert refusal(reader, "DELETE FROM NUMBERS") == 258
    with pytest.raises(dbapi.Error, match="insufficient privilege: Not authorized"):
        rows(stranger, 'SELECT 1 FROM SBO_DEMO."ORDR"')


def test_a_right_on_some_tables_does_not_cover_the_rest(connect: Connect) -> None:
    clerk, stranger = connect("CLERK"), connect("STRANGER")
    assert rows(clerk, "SELECT COUNT(*) FROM SBO_DEMO.OCRD WHERE \"CardCode\" = 'C00001'") == [(1,)]
    assert refusal(clerk, 'SELECT 1 FROM SBO_DEMO."ORDR"') == 258
    assert refusal(clerk, "DELETE FROM NUMBERS") == 258
    assert len(rows(stranger, "SELECT VERSION FROM M_DATABASE")) == 1
    assert rows(stranger, "SELECT PRIVILEGE FROM EFFECTIVE_PRIVILEGES WHERE USER_NAME = CURRENT_USER") == []


def test_session_variables_can_be_read_back(connect: Connect) -> None:
    one = connect()
    run(one, "SET 'APPLICATIONUSER' = 'ana'")
    assert rows(one, "SELECT SESSION_CONTEXT('APPLICATIONUSER') FROM DUMMY") == [("ana",)]
    assert refusal(one, "SET SYSTEM LICENSE 'x'") == 7


@pytest.mark.parametrize(
    "day", [dt.date(1, 1, 1), dt.date(1582, 10, 4), dt.date(1582, 10, 15), dt.date(9999, 12, 31)]
)
def test_dates_of_all_centuries_can_be_bound_and_read(connect: Connect, day: dt.date) -> None:
    one = connect()
    moment = dt.datetime.combine(day, dt.time())
    assert rows(
        one, "SELECT ADD_DAYS(?, 0), TO_DATE(?) FROM DUMMY WHERE ADD_DAYS(?, 0) = ?", day, day, day, moment
    ) == [(moment, day)]
    assert rows(one, "SELECT TO_VARCHAR(TO_DATE(?)) FROM DUMMY", day) == [(day.isoformat(),)]


def test_many_rows_are_inserted_with_one_statement(connect: Connect) -> None:
    one = connect()
    cursor = one.cursor()
    cursor.executemany("INSERT INTO NUMBERS (N, LABEL) VALUES (?, ?)", [(200, "a"), (201, None), (202, "c")])
    assert rows(one, "SELECT N, LABEL FROM NUMBERS WHERE N >= 200 ORDER BY LABEL") == [
        (201, None), (200, "a"), (202, "c"),
    ]  # fmt: skip
    assert run(one, "INSERT INTO NUMBERS (N, LABEL) SELECT N + 100, LABEL FROM NUMBERS WHERE N >= 200") == 3
    one.rollback()
    assert rows(one, COUNT) == [(0,)]
