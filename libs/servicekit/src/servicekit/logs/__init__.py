"""Logs to the console: JSON lines or readable text, one redaction for our own lines and for libraries."""

from servicekit.logs.configure import LogSettings, configure_logging
from servicekit.logs.line_writer import DroppedLines
from servicekit.logs.output import LogOutput
from servicekit.logs.redaction import Redaction, is_secret_name
from servicekit.logs.request_context import current_request

__all__ = [
    "DroppedLines",
    "LogOutput",
    "LogSettings",
    "Redaction",
    "configure_logging",
    "current_request",
    "is_secret_name",
]
