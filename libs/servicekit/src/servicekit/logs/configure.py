"""Wiring structlog and the standard library's logging to one stream."""

import logging
import os
import sys
from collections.abc import Iterable, MutableMapping
from contextlib import suppress
from typing import Any, Final, Literal, TextIO, final

import attrs
import msgspec
import structlog
from typing_extensions import override

from servicekit.config.secret import Secret
from servicekit.logs.redaction import Redaction
from servicekit.logs.request_context import current_request

EventDict = MutableMapping[str, Any]

_FIRST: Final = ("timestamp", "level", "event")


@attrs.frozen(kw_only=True)
class LogSettings:
    """How to log.

    Attributes:
        level: The lowest level written: `DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`.
        format: `json` for one JSON object a line, `console` for people (in colours on a terminal, unless the
            environment has `NO_COLOR`).
    """

    level: str = "INFO"
    format: Literal["json", "console"] = "json"


def configure_logging(
    settings: LogSettings, *, secrets: Iterable[Secret] = (), stream: TextIO | None = None
) -> None:
    """Send structlog and the standard library's logging (also warnings) to one stream, in one form.

    Args:
        settings: Level and form.
        secrets: Values that are masked wherever they turn up in a line (see `config.secrets_of`).
        stream: Where to; standard output by default. Commands that print results there pass standard error.
    """
    output = _Output(sys.stdout if stream is None else stream)
    level = logging.getLevelNamesMapping()[settings.level]
    shared: list[structlog.typing.Processor] = [
        structlog.processors.format_exc_info,  # the plain trace: the others print local variables
        Redaction(secrets),
        _add_request_id,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer = _render_json if settings.format == "json" else _console_renderer(output)
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: output,
        cache_logger_on_first_use=False,  # what logs often holds a bound logger
    )
    handler = _Handler(output)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.captureWarnings(capture=True)


@final
class _Output:
    """The end of the chain, for structlog (one method for each level) and for the standard library.

    A stream that is gone (a closed pipe) loses lines; it never fails who logs.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")

    def write(self, line: str) -> None:
        with suppress(OSError, ValueError):  # ValueError: the stream was closed
            self.stream.write(line + "\n")
            self.stream.flush()

    msg = debug = info = warning = error = critical = exception = write


class _Handler(logging.Handler):
    def __init__(self, output: _Output) -> None:
        super().__init__()
        self._output = output

    @override
    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001 - a library's broken format string must not break the library's caller
            line = f"unprintable record of {record.name}"
        self._output.write(line)


def _add_request_id(_logger: object, _method: str, event: EventDict) -> EventDict:
    request = current_request.get()
    if request is not None:
        event["request_id"] = request.request_id
    return event


def _render_json(_logger: object, _method: str, event: EventDict) -> str:
    first = {name: event.pop(name) for name in _FIRST if name in event}
    return msgspec.json.encode(first | dict(event)).decode()


def _console_renderer(output: _Output) -> structlog.typing.Processor:
    colours = output.stream.isatty() and not os.environ.get("NO_COLOR")
    render = structlog.dev.ConsoleRenderer(
        colors=colours, exception_formatter=structlog.dev.plain_traceback, pad_level=False
    )

    def render_event(logger: Any, method: str, event: EventDict) -> str:
        trace = event.pop("exception", None)
        line = render(logger, method, event)
        if trace is None:
            return line
        return line + "".join(f"\n    {part}" for part in str(trace).split("\n"))

    return render_event
