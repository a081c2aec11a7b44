"""Valid declarations of reports."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from erp_gateway.reports.html.errors import TemplateError
from erp_gateway.reports.html.registry import (
    MAX_CODE_CHARS,
    HtmlReport,
    HtmlReportRegistry,
    HtmlReportRegistryError,
    RunQuery,
)
from erp_gateway.values.parameters.declare import ReportParameter

Declare = Callable[..., HtmlReport]


async def no_data(run_query: RunQuery, values: Mapping[str, object]) -> Mapping[str, object]:
    return {}


@pytest.fixture
def declare(templates: Path) -> Declare:
    """Return what declares a report that is right but for what is named."""
    (templates / "report.html").write_text("<h1>Informe</h1>")

    def declaring(code: str = "ventas", **other: Any) -> HtmlReport:
        fields = {"title": "Ventas", "folder": templates, "template": "report.html", "data": no_data}
        return HtmlReport(code=code, **{**fields, **other})

    return declaring


def test_reports_are_found_by_code_and_listed_in_their_order(declare: Declare) -> None:
    reports = [declare("b"), declare("a")]
    registry = HtmlReportRegistry(reports)
    assert list(registry) == reports
    assert registry.find("a") is reports[1]
    assert registry.find("A") is None
    assert registry.template_of(reports[0]).render({}) == "<h1>Informe</h1>"


@pytest.mark.parametrize("code", ["ventas", "Ventas.2026_03-a", "x" * MAX_CODE_CHARS])
def test_these_are_codes(declare: Declare, code: str) -> None:
    assert HtmlReportRegistry([declare(code)]).find(code) is not None


@pytest.mark.parametrize("code", ["", ".", "..", "a/b", "a b", "ñ", "a%2F", "x" * (MAX_CODE_CHARS + 1)])
def test_these_are_no_codes(declare: Declare, code: str) -> None:
    with pytest.raises(HtmlReportRegistryError, match="the code must be"):
        HtmlReportRegistry([declare(code)])


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"title": " "}, "it has no title"),
        ({"template": "absent.html"}, r"there is no template 'absent\.html'"),
        ({"folder": Path("/absent")}, "there is no folder /absent"),
        ({"parameters": [ReportParameter(name="D", type="date")] * 2}, r"parameters\[1\]\.name"),
        ({"parameters": [ReportParameter(name="", type="date")]}, r"parameters\[0\]\.name"),
    ],
)
def test_a_faulty_report_is_named_with_its_fault(
    declare: Declare, other: dict[str, Any], reason: str
) -> None:
    with pytest.raises(HtmlReportRegistryError, match=rf"^HTML report 'stock': .*{reason}"):
        HtmlReportRegistry([declare(), declare("stock", **other)])


def test_a_template_that_lets_text_through_stops_the_start(declare: Declare, templates: Path) -> None:
    (templates / "open.html").write_text("\n\n${x | n}")
    with pytest.raises(HtmlReportRegistryError, match=r"'ventas': template open\.html, line 3: the filter n"):
        HtmlReportRegistry([declare(template="open.html")])


def test_a_code_is_declared_once(declare: Declare) -> None:
    with pytest.raises(HtmlReportRegistryError, match="'ventas': declared twice"):
        HtmlReportRegistry([declare(), declare()])


def test_templates_are_read_again_with_reload(declare: Declare, templates: Path) -> None:
    report = declare()
    kept, anew = HtmlReportRegistry([report]), HtmlReportRegistry([report], reload=True)
    (templates / "report.html").write_text("<h1>Otro</h1>")
    assert kept.template_of(report).render({}) == "<h1>Informe</h1>"
    assert anew.template_of(report).render({}) == "<h1>Otro</h1>"
    (templates / "report.html").write_text("${x | n}")
    with pytest.raises(TemplateError, match=r"report\.html, line 1"):
        anew.template_of(report)
