"""A query that really runs: it can be stopped, and holds nobody else up."""

import threading
import time
from typing import Any

import pytest

from erpsim.hana.process import PASSWORD, USER, HanaProcess

dbapi = pytest.importorskip("hdbcli.dbapi")

ENDLESS = (
    "SELECT COUNT(*) FROM NUMBERS A, NUMBERS B, NUMBERS C, NUMBERS D, NUMBERS E "
    "WHERE MOD(A.N * B.N - C.N * D.N + E.N, 1000) = 1000"
)
"""10^15 rows to look at, and none to find."""

PATIENT = {"connectTimeout": 60_000}
"""The driver's own 10 s run out where the machine has other work."""


def connect(hana: HanaProcess, **options: Any) -> Any:
    wanted = {"autocommit": False, "reconnect": False, "currentSchema": "SAMPLE", **PATIENT, **options}
    return dbapi.connect(address="127.0.0.1", port=hana.port, user=USER, password=PASSWORD, **wanted)


def answer(connection: Any, sql: str) -> tuple[Any, ...]:
    cursor = connection.cursor()
    cursor.execute(sql)
    return tuple(cursor.fetchone())


@pytest.mark.parametrize("sql", [ENDLESS, ENDLESS.replace("COUNT(*)", "A.N")], ids=["counting", "finding"])
def test_a_running_query_is_cancelled_without_delaying_other_connections(hana: HanaProcess, sql: str) -> None:
    running, other = connect(hana), connect(hana)
    codes: list[int] = []

    def run() -> None:
        try:
            answer(running, sql)
        except dbapi.Error as error:
            codes.append(error.errorcode)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(2)  # it runs now
    taken = []
    for number in range(20):
        started = time.monotonic()
        assert answer(other, f"SELECT LABEL FROM NUMBERS WHERE N = {number}") == (f"Fila {number}",)
        taken.append(time.monotonic() - started)
    assert thread.is_alive(), "the query has to run still, or nothing was shown"
    started = time.monotonic()
    assert running.cancel() is True
    thread.join(10)
    ended_s = time.monotonic() - started
    assert codes == [139]
    assert sorted(taken)[len(taken) // 2] < 1.0, f"promised are 0.1 s: {taken}"
    assert ended_s < 10, "promised is 1 s"
    assert answer(running, "SELECT 'noch da' FROM DUMMY") == ("noch da",)
    running.close()
    other.close()


def test_a_disconnect_stops_the_running_query(hana: HanaProcess) -> None:
    connection = connect(hana, communicationTimeout=300)
    with pytest.raises(dbapi.Error) as lost:
        answer(connection, ENDLESS)
    assert lost.value.errorcode == -10807
    deadline = time.monotonic() + 30
    while "client_gone" not in [entry["event"] for entry in hana.journal()]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_cancelled_change_is_undone_with_its_transaction(hana: HanaProcess) -> None:
    changing, other = connect(hana), connect(hana)
    cursor = changing.cursor()
    cursor.execute("INSERT INTO NUMBERS (N) VALUES (-7)")
    timer = threading.Timer(0.3, changing.cancel)
    timer.start()
    with pytest.raises(dbapi.Error) as refused:
        cursor.execute(f"INSERT INTO NUMBERS (N) SELECT N FROM NUMBERS WHERE N = ({ENDLESS})")
    timer.join()
    assert refused.value.errorcode == 139
    changing.commit()
    assert answer(other, "SELECT COUNT(*) FROM NUMBERS WHERE N < 0") == (0,)
    changing.close()
    other.close()
