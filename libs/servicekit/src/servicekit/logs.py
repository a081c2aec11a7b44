"""Logs to the console: JSON lines or readable text, the same redaction for our own lines and for libraries'."""

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Final, Literal, TextIO

import attrs

from servicekit.config import Secret

current_request_id: Final[ContextVar[str | None]] = ContextVar("current_request_id", default=None)
"""The id of the request being answered; every log line of the request carries it as `request_id`."""


@attrs.frozen(kw_only=True)
class LogSettings:
    """How to log. `level` is a standard level name; `format` is `json` or `console` (colours on a terminal only)."""

    level: str = "INFO"
    format: Literal["json", "console"] = "json"


def configure_logging(
    settings: LogSettings, *, secrets: Iterable[Secret] = (), stream: TextIO | None = None
) -> None:
    """Send structlog and the standard library's logging to one stream, in one form.

    Args:
        settings: Level and form.
        secrets: Values that are replaced by `***` wherever they turn up in a line (see `config.secrets_of`).
        stream: Where to; standard output by default. Commands that print results there pass standard error.
    """
    raise NotImplementedError
