"""A warning that requests cause is logged once a minute."""

from structlog.testing import capture_logs

from servicekit.request_log.rare_warning import RareWarning


def test_a_minute_passes_between_two_lines() -> None:
    now = [100.0]
    with capture_logs() as logs:
        warning = RareWarning("odd", monotonic=lambda: now[0])
        for moment in (100.0, 100.0, 159.9, 160.0, 161.0, 400.0):
            now[0] = moment
            warning(peer=f"{moment}")
    assert [line["peer"] for line in logs] == ["100.0", "160.0", "400.0"]
    assert [line.get("repeated") for line in logs] == [None, 2, 1]
