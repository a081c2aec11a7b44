"""The metrics that Prometheus and Grafana are configured to read exist in the running services."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from stack.addresses import Addresses
from stack.exchange import exchange

FOLDER = Path(__file__).resolve().parents[1] / "deploy" / "observability"
NOT_OURS = {"up"}
"""Series that Prometheus makes itself."""

_STRING = re.compile(r'"[^"]*"')
_GROUPING = re.compile(r"\b(?:by|on|ignoring|without|group_left|group_right)\s*\([^)]*\)")
_SELECTOR = re.compile(r"\b([a-z_][a-z0-9_]*)\b\s*(?:\{([^}]*)\})?(?!\s*\()")
_WORDS = {"and", "or", "unless", "offset", "bool"}


def named(expression: str) -> dict[str, set[str]]:
    """Return the series that an expression names, each with the labels it asks for."""
    plain = _GROUPING.sub("", _STRING.sub('""', expression))
    plain = re.sub(r"\[[^\]]*\]|\b\d+[smhd]\b", "", plain)
    found: dict[str, set[str]] = {}
    for name, selector in _SELECTOR.findall(plain):
        if name not in _WORDS:
            labels = {part.partition("=")[0].strip(" !~") for part in selector.split(",") if part.strip()}
            found.setdefault(name, set()).update(labels - {"job"})
    return found


def expressions() -> list[str]:
    rules = yaml.safe_load((FOLDER / "alerts.yml").read_text("utf-8"))
    alerts = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    panels = dashboard()["panels"]
    return alerts + [target["expr"] for panel in panels for target in panel.get("targets", [])]


def dashboard() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
    return read


@pytest.fixture(scope="module")
def published(own_ports: Addresses, administrator: str, clerk: str) -> dict[str, set[str]]:
    """Names of all series of both services, with the labels that they carry where there is one already."""
    found: dict[str, set[str]] = {}
    for port in (own_ports.metrics, own_ports.returns_metrics):
        page = exchange(port, "GET", "/metrics").content.decode()
        for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", page, re.MULTILINE):
            for suffix in ("_bucket", "_count", "_sum") if kind == "histogram" else ("",):
                found.setdefault(f"{name}{suffix}", set())
        for name, labels in re.findall(r"^([a-z_]+)\{([^}]*)\} ", page, re.MULTILINE):
            found.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return found


def test_an_expression_is_parsed_into_its_series_and_labels() -> None:
    expression = (
        'histogram_quantile(0.9, sum by (job, le) (rate(a_bucket{job=~"x", b!="1"}[5m]))) > c offset 5m or up'
    )
    assert named(expression) == {"a_bucket": {"b"}, "c": set(), "up": set()}


@pytest.mark.parametrize("expression", expressions())
def test_every_series_of_alerts_and_dashboard_is_published(
    published: dict[str, set[str]], expression: str
) -> None:
    for name, labels in named(expression).items():
        if name not in NOT_OURS:
            assert name in published, f"nobody publishes {name}"
            assert not published[name] or labels <= published[name], f"{name} has no label {labels}"


def test_panels_have_ids_of_their_own_and_a_place() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


@pytest.mark.parametrize(
    ("series", "labels"),
    [
        ("erp_logins_total", 'outcome="rejected"'),
        ("ledger_writes_total", 'state="unknown"'),
        ("audit_failures_total", 'action="login"'),
    ],
)
def test_a_series_used_by_an_alert_is_zero_before_its_first_event(
    own_ports: Addresses, series: str, labels: str
) -> None:
    """A counter that appears with its first event has not increased, as Prometheus counts."""
    page = exchange(own_ports.metrics, "GET", "/metrics").content.decode()
    assert f"{series}{{{labels}}} 0.0" in page
