"""Every alert is explained, tried on made-up series, and reads figures that the services publish."""

import re
from typing import Any

import yaml
from prometheus_client import CollectorRegistry
from tools.packages import ROOT

from erp_gateway.metrics import GatewayMetrics
from erp_gateway.store.store_metrics import publish_store_figures

RULES = ROOT / "deploy/observability/alerts.yml"


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def test_each_alert_has_a_row_with_the_first_step() -> None:
    page = (ROOT / "docs/operate.md").read_text("utf-8")
    cells = re.findall(r"^\| ((?:`[A-Z]\w+`(?:, )?)+) \|", page, re.MULTILINE)
    explained = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert explained == {rule["alert"] for rule in rules()}


def test_each_alert_has_a_test() -> None:
    tried = (ROOT / "deploy/observability/alerts_test.yml").read_text("utf-8")
    assert [rule["alert"] for rule in rules() if f'"{rule["alert"]}"' not in tried] == []


def test_alerts_of_store_and_doctor_read_figures_that_exist() -> None:
    registry = CollectorRegistry()
    GatewayMetrics(registry, doctor_report=ROOT / "none.json")
    publish_store_figures(registry, ROOT / "none.sqlite", ROOT / "none")
    published = {metric.name for metric in registry.collect()}
    for rule in rules():
        for name in re.findall(r"\b((?:store|doctor|certificate)_[a-z_]+)\b", rule["expr"]):
            assert name in published, rule["alert"]
