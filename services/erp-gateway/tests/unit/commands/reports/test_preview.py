"""`report preview`, as an author runs it: the example of docs/extensions.md, drawn by the real command."""

import os
import re
import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from erp_gateway.commands.parser import add_report_command
from erp_gateway.commands.reports.preview import PreviewRefusedError, read_arguments

pytestmark = pytest.mark.check

PAGE = (Path(__file__).parents[6] / "docs" / "extensions.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(acme_erp/[\w./]+)`:\n\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
TEMPLATE = "acme_erp/templates/balances.html"
WAIT_S = 60.0

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return what writes the example and starts the command in its folder."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    started: list[subprocess.Popen[str]] = []

    def starting(*arguments: str, engine: str = "weasyprint", **settings: str) -> "subprocess.Popen[str]":
        environ = {
            **os.environ,
            **settings,
            "PYTHONPATH": str(tmp_path),
            "CONFIG_FILE": os.devnull,
            "ENVIRONMENT": "test",
            "ERP_SL_URL": "http://192.0.2.1:50000/b1s/v1",
            "ERP_SL_COMPANY_DB": "SBO_DEMO",
            "ERP_SL_USER": "manager",
            "ERP_SL_PASSWORD": "x",
            "HTML_PDF_ENGINE": engine,
            "EXTENSIONS": "acme_erp",
        }
        command = [sys.executable, "-m", "erp_gateway", "report", "preview", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, cwd=tmp_path, env=environ, **pipes))  # type: ignore[call-overload]
        return started[-1]

    yield starting
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_a_report_is_drawn_on_its_fixture_as_html_and_pdf(start: Start, tmp_path: Path) -> None:
    process = start("balances", "--values", "minimum=250000")
    out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, err) == (0, "")
    page, pdf = (tmp_path / "report-preview" / f"balances.{kind}" for kind in ("html", "pdf"))
    assert out.splitlines() == [f"report-preview/{page.name}", f"report-preview/{pdf.name}"]
    assert "Uno &amp; Cía." in page.read_text(encoding="utf-8")
    assert "250000" in page.read_text(encoding="utf-8")
    assert pdf.read_bytes().startswith(b"%PDF-")


def test_where_nothing_prints_it_is_drawn_as_html_alone(start: Start) -> None:
    out, err = start("balances", "--values", "minimum=250000", engine="none").communicate(timeout=WAIT_S)
    assert (out.splitlines(), err) == (["report-preview/balances.html"], "")


def test_why_nothing_prints_is_told_beside_what_was_drawn(start: Start, tmp_path: Path) -> None:
    process = start("balances", engine="browser", BROWSER_BIN=str(tmp_path / "absent"))
    out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, out) == (1, "report-preview/balances.html\n")
    assert err.splitlines()[-1].startswith("error: 503 browser_unavailable: No hay un navegador disponible")
    assert err.endswith(f"(BROWSER_BIN: {tmp_path}/absent is no executable file)\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["balance"], "error: there is no HTML report 'balance'; did you mean 'balances'?"),
        (["balances", "--values", "minimum"], "error: 'minimum' is no NAME=VALUE"),
        (["balances", "--values", "minimum=much"], "error: values.minimum: Debe ser un número. (--values)"),
        (
            ["balances", "--values", "minimo=1"],
            "error: there is no parameter 'minimo'; did you mean 'minimum'? (--values)",
        ),
        (
            ["balances", "--live", "--values", "minimum=x"],
            "error: values.minimum: Debe ser un número. (--values)",
        ),
        (["balances", "--fixture", "absent.json"], "error: there is no fixture absent.json"),
        (["balances", "--live"], "error: its data function answers 503 not_configured"),
    ],
)
def test_what_can_not_be_drawn_is_told_in_one_line(start: Start, arguments: list[str], said: str) -> None:
    process = start(*arguments)
    out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, out) == (1, "")
    assert err.startswith(said)
    assert err.count("\n") == 1


def test_watching_draws_anew_and_tells_template_and_line_of_what_fails(start: Start, tmp_path: Path) -> None:
    process = start("balances", "--watch")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "report-preview/balances.html\n"
    process.stdout.readline()
    template = tmp_path / TEMPLATE
    good = template.read_text(encoding="utf-8")
    template.write_text(good.replace("${total}", "${totals}"), encoding="utf-8")
    assert "template balances.html, line 26: NameError: 'totals' is not defined" in process.stderr.readline()
    template.write_text(good.replace("<td>Total<", "<td>Suma<"), encoding="utf-8")
    assert process.stdout.readline() == "report-preview/balances.html\n"
    process.stdout.readline()
    assert "<td>Suma<" in (tmp_path / "report-preview/balances.html").read_text(encoding="utf-8")
    process.send_signal(signal.SIGINT)
    assert process.wait(WAIT_S) == 0


def test_values_may_be_lists_and_ranges() -> None:
    assert read_arguments(["a=1", "a=2", "a=3", "b=1..9", "c=x=y"]) == {
        "a": ["1", "2", "3"],
        "b": {"from": "1", "to": "9"},
        "c": "x=y",
    }
    with pytest.raises(PreviewRefusedError, match="is no NAME=VALUE"):
        read_arguments(["=1"])


def test_values_given_one_by_one_all_count() -> None:
    parser = ArgumentParser()
    add_report_command(parser.add_subparsers())
    asked = parser.parse_args(["report", "preview", "x", "--values", "a=1", "b=2", "--values", "c=3"])
    assert asked.values == ["a=1", "b=2", "c=3"]
