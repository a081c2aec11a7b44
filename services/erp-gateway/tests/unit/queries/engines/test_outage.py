"""Lines about a database that can't be reached: one a minute for each cause, and one when it is back."""

from structlog.testing import capture_logs

from erp_gateway.queries.engines.outage import OutageLog

UNREACHABLE, LOGIN_REFUSED = -10709, 10


class Times:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_outage_of_three_minutes_writes_one_line_a_minute_with_a_count() -> None:
    times = Times()
    outage = OutageLog("hana", monotonic=times)
    with capture_logs() as lines:
        for second in range(180):
            times.now = float(second)
            outage.failed(UNREACHABLE, "Connection failed")
        outage.connected()
        outage.connected()
    assert [(line["event"], line.get("code"), line.get("repeated")) for line in lines] == [
        ("database_error", UNREACHABLE, None),
        ("database_error", UNREACHABLE, 59),
        ("database_error", UNREACHABLE, 59),
        ("database_connected_again", None, 59),
    ]
    assert {line["engine"] for line in lines} == {"hana"}


def test_each_cause_has_its_own_line() -> None:
    outage = OutageLog("hana", monotonic=Times())
    with capture_logs() as lines:
        for code in (UNREACHABLE, LOGIN_REFUSED, UNREACHABLE, LOGIN_REFUSED):
            outage.failed(code, "x")
    assert [line["code"] for line in lines] == [UNREACHABLE, LOGIN_REFUSED]


def test_a_connection_that_comes_and_goes_does_not_write_a_line_each_time() -> None:
    outage = OutageLog("hana", monotonic=Times())
    with capture_logs() as lines:
        for _ in range(20):
            outage.failed(UNREACHABLE, "x")
            outage.connected()
    assert [line["event"] for line in lines] == ["database_error", "database_connected_again"]
