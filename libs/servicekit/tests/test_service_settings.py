# ruff: noqa: RUF009 - group() only declares fields, as attrs.field does
"""The settings that every service has."""

import attrs
import pytest

from servicekit.config import ConfigError, group, load
from servicekit.service_settings import Listening, Logging


@attrs.frozen(kw_only=True)
class Settings:
    """A service's settings, no more than every one has."""

    web: Listening = group(Listening)
    logging: Logging = group(Logging)


def test_without_settings_a_service_listens_on_localhost_and_logs_json() -> None:
    settings = load(Settings, {}, own_prefixes=())

    assert (settings.web.host, settings.web.port, settings.web.metrics_port) == ("127.0.0.1", 3000, None)
    assert settings.web.trusted_proxies == ()
    assert (settings.logging.as_log_settings().level, settings.logging.as_log_settings().format) == (
        "INFO",
        "json",
    )


def test_the_metrics_port_must_differ_from_the_public_port() -> None:
    with pytest.raises(ConfigError, match="METRICS_PORT: 3000 is PORT already; allowed: another port"):
        load(Settings, {"METRICS_PORT": "3000"}, own_prefixes=())


def test_one_setting_selects_logs_for_people() -> None:
    settings = load(Settings, {"LOG_FORMAT": "console", "LOG_LEVEL": "DEBUG"}, own_prefixes=())

    assert settings.logging.as_log_settings().format == "console"
    assert settings.logging.as_log_settings().level == "DEBUG"
