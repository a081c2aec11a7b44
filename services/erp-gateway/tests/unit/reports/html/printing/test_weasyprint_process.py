"""The process that WeasyPrint runs in, started as the printer starts it but for its environment."""

import subprocess
import sys
from pathlib import Path

import pytest

from erp_gateway.reports.html.printing import weasyprint_process

pytestmark = pytest.mark.check


def run(*arguments: str) -> tuple[int, str]:
    """Return the exit code and what was said."""
    command = [sys.executable, "-m", weasyprint_process.__name__, *arguments]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=150)
    return ended.returncode, ended.stderr


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return tmp_path / "document.html"


def test_the_exit_code_reports_success(document: Path) -> None:
    document.write_text("<p>ñandú</p>", encoding="utf-8")
    pdf = document.with_suffix(".pdf")
    assert run(str(document), str(pdf), "30")[0] == 0
    assert pdf.read_bytes().startswith(b"%PDF-")


def test_a_document_that_is_not_there_is_a_failure(document: Path) -> None:
    code, said = run(str(document), str(document.with_suffix(".pdf")), "30")
    assert code == 1
    assert "FileNotFoundError" in said


def test_it_ends_by_itself_when_it_computes_for_too_long(document: Path) -> None:
    document.write_text("<table>" + "<tr><td>x</td></tr>" * 200_000 + "</table>")
    code, _ = run(str(document), str(document.with_suffix(".pdf")), "3")
    assert code < 0, "a signal ended it"
