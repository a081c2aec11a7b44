"""Log lines as they come out: one form for all loggers, no secrets, no forged lines."""

import io
import json
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest
import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from typing_extensions import override

from servicekit.config import Secret
from servicekit.errors import ServiceError
from servicekit.logs import LogSettings, configure_logging, current_request

Format = Literal["json", "console"]


@pytest.fixture
def configured() -> Callable[..., io.StringIO]:
    def configure(
        format: Format = "json",  # noqa: A002 - as the setting is called
        level: str = "INFO",
        secrets: tuple[Secret, ...] = (),
        stream: io.StringIO | None = None,
    ) -> io.StringIO:
        stream = stream or io.StringIO()
        configure_logging(LogSettings(level=level, format=format), secrets=secrets, stream=stream)
        return stream

    return configure


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


PLANTED = "SENTINEL-local"


def crash(password: str) -> None:
    token = password + "-copy"
    raise ValueError(f"no length {len(token)}")


def forge() -> None:
    raise ValueError("x\n2026-01-31T00:00:00Z [info] AUDIT")


def test_a_log_line_is_one_json_object_starting_with_time_level_event(configured: Any) -> None:
    stream = configured()
    structlog.get_logger().info("order_created", number=3, text="ñ")
    (line,) = lines(stream)
    assert list(line)[:3] == ["timestamp", "level", "event"]
    assert line["timestamp"].endswith("Z")
    assert (line["level"], line["event"], line["number"], line["text"]) == ("info", "order_created", 3, "ñ")


def test_every_level_method_of_structlog_writes(configured: Any) -> None:
    stream = configured(level="DEBUG")
    log = structlog.get_logger()
    for method in ("debug", "info", "warning", "error", "critical", "exception"):
        getattr(log, method)("done")
    assert [line["level"] for line in lines(stream)] == [
        "debug",
        "info",
        "warning",
        "error",
        "critical",
        "error",
    ]


def test_standard_library_loggers_write_the_same_format(configured: Any) -> None:
    stream = configured()
    logging.getLogger("some.library").warning("took %d s", 3)
    (line,) = lines(stream)
    assert line | {"timestamp": ""} == {
        "timestamp": "",
        "level": "warning",
        "event": "took 3 s",
        "logger": "some.library",
    }


def test_lines_below_the_level_are_not_written(configured: Any) -> None:
    stream = configured(level="WARNING")
    structlog.get_logger().info("quiet")
    logging.getLogger("some.library").info("quiet")
    structlog.get_logger().warning("loud")
    assert [line["event"] for line in lines(stream)] == ["loud"]


def test_configuring_again_replaces_the_stream(configured: Any) -> None:
    old, new = configured(), configured()
    structlog.get_logger().info("here")
    logging.getLogger("some.library").warning("here")
    assert old.getvalue() == ""
    assert len(lines(new)) == 2


def test_warnings_are_logged(configured: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        stream = configured()
        warnings.warn("careful", UserWarning, stacklevel=1)
    (line,) = lines(stream)
    assert "UserWarning: careful" in line["event"]
    assert line["logger"] == "py.warnings"


@pytest.mark.parametrize("format", ["json", "console"])
def test_a_stack_trace_shows_no_local_variable(configured: Any, format: Format) -> None:  # noqa: A002 - as above
    stream = configured(format)
    try:
        crash(PLANTED)
    except ValueError:
        structlog.get_logger().exception("crashed")
        logging.getLogger("some.library").exception("crashed too")
    shown = stream.getvalue()
    assert shown.count("ValueError: no length 19") == 2
    assert "in crash" in shown
    assert PLANTED not in shown


@pytest.mark.parametrize("format", ["json", "console"])
def test_secrets_reach_no_line(configured: Any, format: Format) -> None:  # noqa: A002 - as above
    stream = configured(format, secrets=(Secret("SENTINEL-configured"),))
    log = structlog.get_logger()
    log.info("login", password="SENTINEL", body={"token": "SENTINEL"}, text="Bearer SENTINEL")
    log.info("called SENTINEL-configured", value=Secret("SENTINEL"))
    logging.getLogger("some.library").warning("with %s", {"Authorization": "Basic SENTINEL"})
    logging.getLogger("some.library").warning("password=%s", "SENTINEL")
    assert len(stream.getvalue().splitlines()) == 4
    assert "SENTINEL" not in stream.getvalue()


@pytest.mark.parametrize("format", ["json", "console"])
def test_user_text_can_not_forge_a_line(configured: Any, format: Format) -> None:  # noqa: A002 - as above
    stream = configured(format)
    forged = 'x\n{"event":"AUDIT"}\r\n2026-01-31T00:00:00Z [info] AUDIT\u2028AUDIT\x1b[2J'
    structlog.get_logger().info("seen", text=forged, nested={"a\nb": forged})
    logging.getLogger("some.library").warning(forged)
    shown = stream.getvalue()
    assert len(shown.splitlines()) == 2
    assert "\x1b" not in shown


def test_the_lines_of_a_console_trace_are_indented(configured: Any) -> None:
    stream = configured("console")
    try:
        forge()
    except ValueError:
        structlog.get_logger().exception("crashed")
    first, *trace = stream.getvalue().splitlines()
    assert "crashed" in first
    assert trace
    assert all(line.startswith("    ") for line in trace)


@attrs.frozen
class FakeRequest:
    request_id: str
    traceparent: str | None = None

    def secret_values(self) -> tuple[str, ...]:
        return ()


def test_every_log_line_of_a_request_carries_its_id(configured: Any) -> None:
    stream = configured()
    token = current_request.set(FakeRequest("id-7"))
    structlog.get_logger().info("inside")
    logging.getLogger("some.library").warning("inside")
    current_request.reset(token)
    structlog.get_logger().info("outside")
    assert [line.get("request_id") for line in lines(stream)] == ["id-7", "id-7", None]
    assert all("traceparent" not in line for line in lines(stream))


def test_every_log_line_of_a_traced_request_carries_its_trace_header(configured: Any) -> None:
    stream = configured()
    trace = f"00-{'a' * 32}-{'b' * 16}-01"
    token = current_request.set(FakeRequest("id-7", trace))
    structlog.get_logger().info("inside")
    current_request.reset(token)
    assert [line["traceparent"] for line in lines(stream)] == [trace]


class Terminal(io.StringIO):
    @override
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "no_color", "coloured"),
    [(Terminal, "", True), (Terminal, "1", False), (io.StringIO, "", False)],
    ids=["terminal", "terminal with NO_COLOR", "pipe"],
)
def test_only_a_terminal_without_no_color_gets_colours(
    configured: Any,
    monkeypatch: pytest.MonkeyPatch,
    stream: type[io.StringIO],
    no_color: str,
    coloured: bool,
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    written = configured("console", stream=stream())
    structlog.get_logger().info("seen")
    assert ("\x1b[" in written.getvalue()) is coloured
    assert "seen" in written.getvalue()


class BrokenPipe(io.StringIO):
    @override
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_closed_stream_does_not_fail_the_caller(configured: Any) -> None:
    closed = configured()
    closed.close()
    structlog.get_logger().info("lost")
    configured(stream=BrokenPipe())
    structlog.get_logger().info("lost")
    logging.getLogger("some.library").warning("lost")


@pytest.mark.check
def test_only_audit_lines_use_the_reserved_queue_share(tmp_path: Path) -> None:
    """Neither a library nor a text of a user can take it."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with path.open("w") as stream:
        output = configure_logging(LogSettings(), stream=stream)
    log = structlog.get_logger()
    text = "x" * 8000
    for _ in range(1500):
        log.info("seen AUDIT", event_of="AUDIT", text=text)
        logging.getLogger("some.library").warning("AUDIT %s", text)
    assert output.dropped.other > 1000
    for _ in range(100):
        log.info("AUDIT", text=text)
        log.error("audit_write_failed", text=text)
    assert output.dropped.audit == 0
    os.close(reading)
    output.close()


def test_a_recovered_log_reports_its_dropped_lines_once(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    with path.open("w") as stream:
        output = configure_logging(LogSettings(), stream=stream)
    for number in range(3000):
        structlog.get_logger().info("seen", number=number, text="x" * 8000)
    dropped = output.dropped.other
    assert dropped > 0
    closing = threading.Thread(target=output.close)
    closing.start()
    with os.fdopen(reading) as file:
        written = [json.loads(line) for line in file]
    closing.join()
    lines = [line for line in written if line["event"] == "log_lines_dropped"]
    assert [(line["level"], line["audit"], line["other"]) for line in lines] == [("warning", 0, dropped)]
    assert [line["number"] for line in written if line["event"] == "seen"] == list(range(3000 - dropped))


def test_a_malformed_library_log_call_raises_no_error(configured: Any) -> None:
    stream = configured()
    logging.getLogger("some.library").warning("%d", "SENTINEL")
    assert stream.getvalue() == "unprintable record of some.library\n"


def test_an_unencodable_character_is_written_escaped() -> None:
    raw = io.BytesIO()
    configure_logging(LogSettings(), stream=io.TextIOWrapper(raw, encoding="ascii"))
    structlog.get_logger().info("ñandú")
    assert b"\\xf1and\\xfa" in raw.getvalue()


def test_the_default_stream_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LogSettings())
    structlog.get_logger().info("seen")
    assert json.loads(capsys.readouterr().out)["event"] == "seen"
    assert sys.stdout is not None


@pytest.mark.asyncio
@pytest.mark.parametrize("level", ["WARNING", "ERROR", "CRITICAL"])
async def test_guaranteed_lines_are_written_at_every_level(
    configured: Callable[..., io.StringIO], make_endpoint: Any, make_app: Any, open_client: Any, level: str
) -> None:
    async def audited(_request: Request) -> Response:
        structlog.get_logger("recorder").info("AUDIT", action="sl_create")
        structlog.get_logger("recorder").info("something else")
        raise UpstreamAway

    async def left(_request: Request) -> Response:
        raise ClientDisconnect

    stream = configured(level=level)
    client = open_client(
        make_app(
            make_endpoint("GET", "/fine"),
            make_endpoint("POST", "/fine", audited),
            make_endpoint("GET", "/left", left),
        )
    )
    for method, path in (("GET", "/fine"), ("POST", "/fine"), ("GET", "/absent")):
        await client.request(method, path)
    with pytest.raises(AssertionError):  # the client itself waits in vain
        await client.get("/left")
    assert [(line["event"], line.get("status"), line["level"]) for line in lines(stream)] == [
        ("AUDIT", None, "info"),
        ("request_finished", 502, "warning"),
        ("request_finished", 404, "info"),
    ]


class UpstreamAway(ServiceError):  # noqa: N818 - a refusal, as in errors.py
    """A class of a test."""

    status = 502
    code = "upstream_away"
    detail = "No responde."
