"""Configuration of structlog and the standard library's logging: both write to one stream."""

import logging
import os
import sys
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any, Final, Literal, TextIO

import attrs
import msgspec
import structlog
from typing_extensions import override

from servicekit.config.secret import Secret
from servicekit.logs.output import LogOutput
from servicekit.logs.redaction import Redaction
from servicekit.logs.request_context import current_request

EventDict = MutableMapping[str, Any]

_FIRST: Final = ("timestamp", "level", "event")
# Prefixes of events that a full log drops last: `AUDIT`, and its replacement `audit_write_failed`.
_AUDIT: Final = "AUDIT"
# Lines of the audit and of its chain are written at every level: `audit verify --log` needs them.
_PROMISED: Final = frozenset({_AUDIT, "audit_head", "audit_records_deleted"})
_REQUEST: Final = "request_finished"
_BAD_REQUEST: Final = 400


@attrs.frozen(kw_only=True)
class LogSettings:
    """Settings of the log.

    Attributes:
        level: the lowest level written: `DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`. Audit lines and
            lines of requests with a 4xx or 5xx response are written at every level, because operators rely on
            them.
        format: `json` for one JSON object a line, `console` for people (in colours on a terminal, unless the
            environment has `NO_COLOR`).
    """

    level: str = "INFO"
    format: Literal["json", "console"] = "json"


def configure_logging(
    settings: LogSettings, *, secrets: Iterable[Secret] = (), stream: TextIO | None = None
) -> LogOutput:
    """Send structlog and the standard library's logging (also warnings) to one stream, in one form.

    Args:
        settings: level and form.
        secrets: values that are masked anywhere in a line (see `config.secrets_of`).
        stream: output stream; standard output by default. Commands that print results there pass standard
            error.

    Returns:
        the output of the lines. It counts dropped lines and closes itself at exit.
    """
    output = LogOutput(sys.stdout if stream is None else stream)
    level = logging.getLevelNamesMapping()[settings.level]
    shared: list[structlog.typing.Processor] = [
        structlog.processors.format_exc_info,  # the plain trace: the others print local variables
        Redaction(secrets),
        _add_request,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer = _render_json if settings.format == "json" else _console_renderer(output)
    structlog.configure(
        processors=[_from_level(level), *shared, _marking_audit(renderer)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.NOTSET),
        logger_factory=lambda *_: output,
        cache_logger_on_first_use=False,  # Modules that log often bind their logger themselves.
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
    return output


class _Handler(logging.Handler):
    def __init__(self, output: LogOutput) -> None:
        super().__init__()
        self._output = output

    @override
    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001 - a library's broken format string must not break the library's caller
            line = f"unprintable record of {record.name}"
        self._output.write(line)


def _add_request(_logger: object, _method: str, event: EventDict) -> EventDict:
    request = current_request.get()
    if request is not None:
        event["request_id"] = request.request_id
        if request.traceparent is not None:
            event["traceparent"] = request.traceparent
    return event


def _from_level(lowest: int) -> structlog.typing.Processor:
    levels = logging.getLevelNamesMapping()

    def drop_lower(_logger: object, method: str, event: EventDict) -> EventDict:
        if levels[method.upper()] < lowest and not _is_promised(event):
            raise structlog.DropEvent
        return event

    return drop_lower


def _is_promised(event: EventDict) -> bool:
    """Return whether a line is guaranteed: audit lines, and requests answered with 4xx or 5xx."""
    # A request whose client disconnected has no response.
    name = event.get("event")
    return name in _PROMISED or (
        name == _REQUEST and event["status"] >= _BAD_REQUEST and not event.get("client_gone")
    )


def _marking_audit(render: Callable[[Any, str, EventDict], str]) -> structlog.typing.Processor:
    def render_marked(logger: Any, method: str, event: EventDict) -> tuple[tuple[str], dict[str, Any]]:
        is_audit = str(event.get("event")).upper().startswith(_AUDIT)
        return (render(logger, method, event),), {"is_audit": is_audit}

    return render_marked


def _render_json(_logger: object, _method: str, event: EventDict) -> str:
    first = {name: event.pop(name) for name in _FIRST if name in event}
    return msgspec.json.encode(first | dict(event)).decode()


def _console_renderer(output: LogOutput) -> Callable[[Any, str, EventDict], str]:
    colours = output.is_terminal and not os.environ.get("NO_COLOR")
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
