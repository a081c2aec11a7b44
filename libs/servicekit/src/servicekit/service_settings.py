"""Groups of settings that every service has: address and log."""

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from servicekit.config.declare import setting
from servicekit.config.parsers import Network, choice, integer, networks, path, text
from servicekit.config.problems import Problem
from servicekit.config.warnings import trusts_everybody
from servicekit.logs import LogSettings


def authorities(name: str, *, whose: str = "") -> Path | None:
    """Declare the setting of a file with certificate authorities."""
    help_line = f"PEM file with certificate authorities to trust{whose} in addition to the system's."
    return setting(name, help=help_line, parse=path(), default=None)


@frozen(kw_only=True)
class Listening:
    """Address of a service and its trusted proxies."""

    host: str = setting(
        "HOST",
        help="Address to listen on. Use 0.0.0.0 for all interfaces.",
        parse=text(),
        default="127.0.0.1",
    )
    port: int = setting(
        "PORT", help="Port to listen on. 0 picks a free one.", parse=integer(0, 65535), default=3000
    )
    trusted_proxies: tuple[Network, ...] = setting(
        "TRUSTED_PROXIES",
        help="Addresses or networks of your proxies. X-Forwarded-* headers count only from these.",
        parse=networks(),
        default=(),
    )
    metrics_port: int | None = setting(
        "METRICS_PORT",
        help="Port of GET /metrics. Without it there are no metrics. Keep it unreachable from outside.",
        parse=integer(1, 65535),
        default=None,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between settings."""
        if self.metrics_port == self.port:
            yield Problem(
                "METRICS_PORT",
                f"{self.port} is PORT already; allowed: another port",
                f"{self.port} ya es PORT; se admite: otro puerto",
            )

    def warnings(self) -> Iterator[Problem]:
        """Yield unsafe settings."""
        if trusts_everybody(self.trusted_proxies):
            yield Problem(
                "TRUSTED_PROXIES",
                "covers every address: clients can claim any IP address; name the proxies alone",
                "abarca todas las direcciones: un cliente puede decir que viene de cualquiera; nombre solo "
                "los proxies",
            )


@frozen(kw_only=True)
class Logging:
    """Logging."""

    level: str = setting(
        "LOG_LEVEL",
        help="Least severe level to log. Audit records and responses with 4xx and 5xx are always logged.",
        parse=choice("DEBUG", "INFO", "WARNING", "ERROR"),
        default="INFO",
    )
    format: str = setting(
        "LOG_FORMAT",
        help="json writes one object per line. console is for reading in a terminal.",
        parse=choice("json", "console"),
        default="json",
    )

    def as_log_settings(self) -> LogSettings:
        """Return the settings of `configure_logging`."""
        return LogSettings(level=self.level, format="console" if self.format == "console" else "json")
