"""HTML reports through the whole application: declared by an extension, read from a real SQLite file."""

import asyncio
import os
import re
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pypdfium2  # type: ignore[import-untyped]  # it has no types
import pytest
from prometheus_client.exposition import generate_latest
from structlog.testing import capture_logs

from erp_gateway.reports.html.printing.browser import find_browser

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

MODULE = '''
"""A customer's reports."""

import asyncio
from datetime import date
from pathlib import Path

from erp_gateway.extensions import Extension, HtmlReport, ParameterInput, Query
from erp_gateway.extensions import QueryParameter, ReportParameter

SALES = Query(
    name="ventas",
    title="Ventas",
    sql={"sqlite": "SELECT cliente, total FROM ventas WHERE dia >= :desde ORDER BY cliente"},
    parameters=(QueryParameter(name="desde", type="date"),),
)
SINCE = ReportParameter(
    name="Desde", type="xsd:date", required=True, label="Desde el día", input=ParameterInput(kind="date")
)


async def sales(run_query, values):
    assert isinstance(values["Desde"], date)
    result = await run_query("ventas", {"desde": values["Desde"]})
    return {"since": values["Desde"], "rows": result.rows, "truncated": result.truncated}


async def nothing(run_query, values):
    return {"x": None}


async def crash(run_query, values):
    raise RuntimeError("planted-value")


async def wrong_query(run_query, values):
    return {"rows": (await run_query("vemtas", {"desde": "planted-value"})).rows}


async def wrong_type(run_query, values):
    return {"rows": (await run_query("ventas", {"desde": 20260101})).rows}


async def no_end(run_query, values):
    while True:
        await asyncio.sleep(0.01)


async def own_timeout(run_query, values):
    raise TimeoutError("planted-value")


def report(code, data=nothing, **other):
    return HtmlReport(
        **{"code": code, "title": "Informe " + code, "folder": Path(__file__).parent, "data": data}
        | {"template": code + ".html"} | other
    )


EXTENSION = Extension(
    queries=(SALES,),
    html_reports=(
        report("ventas", sales, title="Ventas: año/día", parameters=(SINCE,)),
        report("roto"),
        report("largo"),
        report("caido", crash, template="ventas.html"),
        report("eterno", no_end, template="ventas.html"),
        report("lento"),
        report("agotado", own_timeout, template="ventas.html"),
        report("perdido", wrong_query, template="ventas.html"),
        report("confuso", wrong_type, template="ventas.html"),
    ),
)
'''
TEMPLATES = {
    "ventas": """<html lang="es"><head><title>Ventas</title><style>
@page { size: A5 landscape; margin: 15mm }</style>
</head><body><h1>Ventas desde ${since}</h1><table>
% for row in rows:
<tr><td>${row["cliente"]}</td><td>${row["total"]}</td></tr>
% endfor
</table><p>${informe.titulo}: ${informe.emision}</p></body></html>""",
    "roto": "uno\n${x.absent}",
    "lento": "<%! import time %>\\\n% while True:\nx<% time.sleep(0.01) %>\n% endwhile\n",
    "largo": "% while True:\n" + "x" * 100 + "\n% endwhile\n",
}
RUN = "/reportes-html/ejecutar"
OTHERS = ("eterno", "lento", "agotado", "perdido", "confuso")
SINCE = {"values": {"Desde": "2026-01-01", "Otro": "se descarta"}}

OpenReports = Callable[..., AbstractAsyncContextManager["Gateway"]]


@pytest.fixture
def extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a customer's module, which lies beside its templates."""
    folder = tmp_path / "customer"
    folder.mkdir()
    name = "customer_reports"
    (folder / f"{name}.py").write_text(MODULE, encoding="utf-8")
    for code, text in TEMPLATES.items():
        (folder / f"{code}.html").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    yield name
    sys.modules.pop(name, None)


@pytest.fixture
def company(tmp_path: Path) -> Path:
    """A database with three sales, one of them of a customer with a hostile name."""
    path = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE ventas (cliente TEXT, total NUMERIC, dia TEXT)")
        connection.executemany(
            "INSERT INTO ventas VALUES (?, ?, ?)",
            [
                ("<script>alert(1)</script>", 10, "2026-02-01"),
                ("Ñuñoa Ltda.", 1234.5, "2026-03-01"),
                ("Vieja", 1, "2025-01-01"),
            ],
        )
    return path


@pytest.fixture
def open_reports(open_gateway: "OpenGateway", sim: "Simulator", extension: str, company: Path) -> OpenReports:
    """Return what opens the application with the reports, and further settings by name."""

    @asynccontextmanager
    async def opening(**further: str) -> "AsyncIterator[Gateway]":
        settings = {
            "EXTENSIONS": extension,
            "ERPDB_ENGINE": "sqlite",
            "ERPDB_DATABASE": str(company),
            "HTML_PDF_ENGINE": "weasyprint",
            "HTML_PDF_SANDBOX": "false",
        }
        async with open_gateway(sim, **{**settings, **further}) as gateway:
            yield gateway

    return opening


async def audited(gateway: "Gateway") -> list[dict[str, Any]]:
    """Return the newest records of reports, oldest first."""
    ana = await gateway.signed_in()
    page = (await gateway.http.get("/api/audit?accion=html_report", headers=ana)).json()
    return [
        {name: item.get(name) for name in ("webUser", "resource", "result", "fields", "detail", "reason")}
        for item in reversed(page["items"])
    ]


def record(
    code: str, form: str, *, reason: str | None = None, fields: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {
        "webUser": "ana",
        "resource": code,
        "result": "error" if reason else "ok",
        "fields": list(fields),
        "detail": {"format": form},
        "reason": reason,
    }


@pytest.mark.asyncio
async def test_html_reports_are_listed_with_their_parameters(open_reports: OpenReports) -> None:
    async with open_reports() as gateway:
        answer = await gateway.http.get("/api/html-reports", headers=await gateway.signed_in())
        assert answer.status_code == 200
        items = answer.json()["items"]
    assert [item["code"] for item in items] == ["ventas", "roto", "largo", "caido", *OTHERS]
    assert items[0] == {
        "code": "ventas",
        "title": "Ventas: año/día",
        "parameters": [
            {
                "name": "Desde",
                "type": "xsd:date",
                "required": True,
                "isDocEntry": False,
                "label": "Desde el día",
                "input": {
                    "kind": "date",
                    "options": [],
                    "optionsFrom": None,
                    "default": None,
                    "minimum": None,
                    "maximum": None,
                    "notBefore": None,
                },
                "isRange": False,
                "isMultiple": False,
            }
        ],
        "tables": [],
    }


@pytest.mark.asyncio
async def test_a_report_is_rendered_escaped_and_under_a_policy(open_reports: OpenReports) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post("/api/html-reports/ventas/render", json=SINCE, headers=ana)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("sandbox; default-src 'none'; ")
        assert "script-src" not in policy
        assert "allow-" not in policy
        text = answer.content.decode("utf-8")
        assert "<h1>Ventas desde 2026-01-01</h1>" in text
        assert "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td><td>10</td>" in text
        assert "<td>Ñuñoa Ltda.</td><td>1234.5</td>" in text
        assert "Vieja" not in text
        assert re.search(r"<p>Ventas.*: Emitido el \d\d-\d\d-\d{4} \d\d:\d\d por ana</p>", text)
        assert await audited(gateway) == [record("ventas", "html", fields=("Desde",))]


@pytest.mark.asyncio
@pytest.mark.parametrize("engine", ["browser", "weasyprint"])
async def test_a_report_is_printed_with_its_paper_size_and_file_name(
    open_reports: OpenReports, engine: str
) -> None:
    if engine == "browser" and find_browser(None, os.environ) is None:
        pytest.skip("no headless browser on this machine")
    async with open_reports(HTML_PDF_ENGINE=engine) as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post("/api/html-reports/ventas/pdf", json=SINCE, headers=ana)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == "application/pdf"
        assert answer.headers["Content-Disposition"].startswith('attachment; filename="')
        assert answer.headers["Content-Disposition"].endswith(
            "filename*=UTF-8''Ventas%20a%C3%B1o%20d%C3%ADa.pdf"
        )
        with pypdfium2.PdfDocument(answer.content) as pdf:
            page = pdf[0]
            assert [round(side / 72 * 25.4) for side in page.get_size()] == [210, 148]
            text = "".join(page.get_textpage().get_text_range().split())
        assert "Ventasdesde2026-01-01<script>alert(1)</script>10ÑuñoaLtda.1234.5" in text
        assert await audited(gateway) == [record("ventas", "pdf", fields=("Desde",))]


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["render", "pdf"])
async def test_a_report_requires_only_the_menu_right(open_reports: OpenReports, form: str) -> None:
    async with open_reports() as gateway:
        luis = await gateway.signed_in("luis")
        address = f"/api/html-reports/ventas/{form}"
        refused = await gateway.http.post(address, json=SINCE, headers=luis)
        assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
        ana = await gateway.signed_in()
        await gateway.http.put("/api/permissions/luis", json={"paths": [RUN]}, headers=ana)
        assert (await gateway.http.post(address, json=SINCE, headers=luis)).status_code == 200


@pytest.mark.asyncio
@pytest.mark.parametrize("query", ["render?foo=1", "pdf?foo=1", "pdf?formato=xlsx"])
async def test_an_unknown_report_query_parameter_is_refused(open_reports: OpenReports, query: str) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post(f"/api/html-reports/ventas/{query}", json=SINCE, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")
        name = query.partition("?")[2].partition("=")[0]
        assert answer.json()["errors"] == [{"path": name, "message": "Este parámetro no existe."}]


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["render", "pdf"])
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"values": {}}, "values.Desde"),
        ({}, "values.Desde"),
        ({"values": {"Desde": "ayer"}}, "values.Desde"),
        ({"values": {"Desde": 1}}, "values.Desde"),
        ({"values": []}, "values"),
        ({"values": {}, "sql": "x"}, "sql"),
    ],
)
async def test_invalid_report_values_are_named(
    open_reports: OpenReports, form: str, body: dict[str, Any], path: str
) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post(f"/api/html-reports/ventas/{form}", json=body, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
        assert [problem["path"] for problem in answer.json()["errors"]] == [path]


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["render", "pdf"])
@pytest.mark.parametrize("code", ["absent", "Ventas", "..%2Fventas", "ventas.html", "%00"])
async def test_an_unknown_report_answers_404(open_reports: OpenReports, form: str, code: str) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post(f"/api/html-reports/{code}/{form}", json=SINCE, headers=ana)
        expected = (400, "invalid_path") if code == "%00" else (404, "html_report_not_found")
        assert (answer.status_code, answer.json()["code"]) == expected


@pytest.mark.asyncio
async def test_a_template_error_is_described_only_in_the_log(open_reports: OpenReports) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        with capture_logs() as logs:
            answer = await gateway.http.post(
                "/api/html-reports/roto/render", json={"values": {}}, headers=ana
            )
        assert (answer.status_code, answer.json()["code"]) == (500, "report_template_failed")
        assert "absent" not in answer.text
        assert "roto.html" not in answer.text
        (logged,) = [log for log in logs if log["event"] == "report_template_failed"]
        assert (logged["report"], logged["template"], logged["line"]) == ("roto", "roto.html", 2)
        assert await audited(gateway) == [record("roto", "html", reason="report_template_failed")]


@pytest.mark.asyncio
async def test_an_endless_document_is_refused_and_does_not_block_other_requests(
    open_reports: OpenReports,
) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        endless = asyncio.create_task(
            gateway.http.post("/api/html-reports/largo/pdf", json={"values": {}}, headers=ana)
        )
        loop = asyncio.get_running_loop()
        longest_s = 0.0
        while not endless.done():
            before = loop.time()
            await asyncio.sleep(0.001)
            longest_s = max(longest_s, loop.time() - before)
        answer = await endless
        assert (answer.status_code, answer.json()["code"]) == (400, "report_too_long")
        assert longest_s < 1, "the event loop stood still"


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["render", "pdf"])
@pytest.mark.parametrize("code", ["eterno", "lento"])
async def test_data_and_template_have_a_limit_of_time(
    open_reports: OpenReports, form: str, code: str
) -> None:
    async with open_reports(HTML_PDF_TIMEOUT="1") as gateway:
        ana = await gateway.signed_in()
        path = f"/api/html-reports/{code}/{form}"
        endless = [gateway.http.post(path, json={"values": {}}, headers=ana) for _ in range(5)]
        for answer in await asyncio.gather(*endless):
            assert (answer.status_code, answer.json()["code"]) == (504, "report_timeout")
        html = await gateway.http.post("/api/html-reports/ventas/render", json=SINCE, headers=ana)
        assert html.status_code == 200, "its threads are free again"
        first = (await audited(gateway))[0]
        assert (first["result"], first["reason"]) == ("error", "report_timeout")


@pytest.mark.asyncio
async def test_a_timeout_of_the_customers_own_is_a_crash(open_reports: OpenReports) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post("/api/html-reports/agotado/render", json={"values": {}}, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (500, "report_data_failed")


@pytest.mark.asyncio
async def test_a_crash_of_customer_code_reveals_nothing_and_is_audited(open_reports: OpenReports) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post("/api/html-reports/caido/pdf", json={"values": {}}, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (500, "report_data_failed")
        assert "planted" not in answer.text
        assert await audited(gateway) == [record("caido", "pdf", reason="report_data_failed")]


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["render", "pdf"])
@pytest.mark.parametrize(("code", "query"), [("perdido", "vemtas"), ("confuso", "ventas")])
async def test_a_reports_wrong_query_is_a_service_error_not_invalid_input(
    open_reports: OpenReports, form: str, code: str, query: str
) -> None:
    async with open_reports() as gateway:
        ana = await gateway.signed_in()
        path = f"/api/html-reports/{code}/{form}"
        with capture_logs() as logs:
            answer = await gateway.http.post(path, json={"values": {}}, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (500, "report_data_failed")
        assert "errors" not in answer.json()
        (logged,) = [log for log in logs if log["event"] == "report_data_failed"]
        assert (logged["report"], logged["query"], logged["parameters"]) == (code, query, ["desde"])
        assert "planted" not in str(logs)
        form_word = {"render": "html", "pdf": "pdf"}[form]
        assert await audited(gateway) == [record(code, form_word, reason="report_data_failed")]


@pytest.mark.asyncio
async def test_a_report_with_prefer_async_is_printed_by_a_job(open_reports: OpenReports) -> None:
    async with open_reports() as gateway:
        headers = {**(await gateway.signed_in()), "Prefer": "respond-async"}
        path = "/api/html-reports/ventas/pdf"
        refused = await gateway.http.post(path, json={"values": {}}, headers=headers)
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, "values.Desde")
        answer = await gateway.http.post(path, json=SINCE, headers=headers)
        assert answer.status_code == 202, answer.text
        job = f"/api/jobs/{answer.json()['id']}"
        response = await gateway.http.get(job, headers={**headers, "Accept": "text/event-stream"})
        assert "event: resultado" in response.text
        made = await gateway.http.get(f"{job}/result", headers=headers)
        assert made.headers["Content-Disposition"].endswith("Ventas%20a%C3%B1o%20d%C3%ADa.pdf")
        with pypdfium2.PdfDocument(made.content) as pdf:
            assert "10ÑuñoaLtda." in "".join(pdf[0].get_textpage().get_text_range().split())
        assert await audited(gateway) == [record("ventas", "pdf", fields=("Desde",))]


@pytest.mark.asyncio
async def test_without_a_browser_html_works_and_pdf_is_unavailable(
    open_reports: OpenReports, tmp_path: Path
) -> None:
    missing = {"HTML_PDF_ENGINE": "browser", "BROWSER_BIN": str(tmp_path / "absent")}
    async with open_reports(**missing) as gateway:
        ana = await gateway.signed_in()
        pdf = await gateway.http.post("/api/html-reports/ventas/pdf", json=SINCE, headers=ana)
        assert (pdf.status_code, pdf.json()["code"]) == (503, "browser_unavailable")
        assert int(pdf.headers["Retry-After"]) > 0
        html = await gateway.http.post("/api/html-reports/ventas/render", json=SINCE, headers=ana)
        assert html.status_code == 200
        assert await audited(gateway) == [
            record("ventas", "pdf", reason="browser_unavailable", fields=("Desde",)),
            record("ventas", "html", fields=("Desde",)),
        ]


@pytest.mark.asyncio
async def test_without_a_pdf_engine_a_pdf_is_refused_before_any_query(
    open_reports: OpenReports, tmp_path: Path
) -> None:
    no_table = {"HTML_PDF_ENGINE": "none", "ERPDB_DATABASE": str(tmp_path / "absent.sqlite")}
    async with open_reports(**no_table) as gateway:
        ana = await gateway.signed_in()
        pdf = await gateway.http.post("/api/html-reports/ventas/pdf", json=SINCE, headers=ana)
        assert (pdf.status_code, pdf.json()["code"]) == (503, "pdf_not_configured")
        assert int(pdf.headers["Retry-After"]) > 0
        assert await audited(gateway) == [
            record("ventas", "pdf", reason="pdf_not_configured", fields=("Desde",))
        ]
    async with open_reports(HTML_PDF_ENGINE="none") as gateway:
        ana = await gateway.signed_in()
        html = await gateway.http.post("/api/html-reports/ventas/render", json=SINCE, headers=ana)
        assert html.status_code == 200


@pytest.mark.asyncio
async def test_without_a_database_reports_with_queries_are_not_configured(
    open_gateway: "OpenGateway", sim: "Simulator", extension: str
) -> None:
    async with open_gateway(sim, EXTENSIONS=extension) as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post("/api/html-reports/ventas/render", json=SINCE, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (503, "not_configured")


def browser_script(folder: Path, line: str) -> str:
    """Write a program that stands in for a browser; return its path."""
    script = folder / "browser"
    script.write_text(f"#!/bin/sh\n{line}\n")
    script.chmod(0o755)
    return str(script)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("line", "status", "code"), [("sleep 600", 504, "pdf_timeout"), ("kill -9 $$", 502, "pdf_failed")]
)
async def test_a_browser_that_hangs_or_crashes_has_its_own_error(
    open_reports: OpenReports, tmp_path: Path, line: str, status: int, code: str
) -> None:
    settings = {"HTML_PDF_ENGINE": "browser", "HTML_PDF_TIMEOUT": "1"}
    async with open_reports(**settings, BROWSER_BIN=browser_script(tmp_path, line)) as gateway:
        ana = await gateway.signed_in()
        answer = await gateway.http.post("/api/html-reports/ventas/pdf", json=SINCE, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert await audited(gateway) == [record("ventas", "pdf", reason=code, fields=("Desde",))]


@pytest.mark.asyncio
async def test_slow_templates_do_not_delay_printing(open_reports: OpenReports, tmp_path: Path) -> None:
    begun, go_on, end = (tmp_path / name for name in ("begun", "go_on", "end"))
    computing = f'<%! import os, time %><% while not os.path.exists("{end}"): time.sleep(0.01) %>'
    (tmp_path / "customer" / "lento.html").write_text(computing)
    prints = 'for each; do case $each in --print-to-pdf=*) printf %%PDF-1.7 > "${each#*=}";; esac; done'
    script = browser_script(
        tmp_path, f"touch {begun}; while ! test -e {go_on}; do sleep 0.02; done; {prints}"
    )
    settings = {"HTML_PDF_ENGINE": "browser", "HTML_PDF_TIMEOUT": "10", "BROWSER_BIN": script}
    async with open_reports(**settings) as gateway:
        ana = await gateway.signed_in()
        printing = asyncio.create_task(
            gateway.http.post("/api/html-reports/ventas/pdf", json=SINCE, headers=ana)
        )
        async with asyncio.timeout(60):
            while not begun.exists():  # noqa: ASYNC110 - it happens in another process
                await asyncio.sleep(0.01)
        path = "/api/html-reports/lento/render"
        endless = [
            asyncio.create_task(gateway.http.post(path, json={"values": {}}, headers=ana)) for _ in range(4)
        ]
        await asyncio.sleep(0.5)  # all threads for templates compute
        go_on.touch()
        try:
            await asyncio.wait({printing}, timeout=9)
            assert (printing.done(), [each.done() for each in endless]) == (True, [False] * 4)
        finally:
            end.touch()
        assert (await printing).status_code == 200
        await asyncio.gather(*endless)


@pytest.mark.asyncio
async def test_forty_simultaneous_pdfs_are_printed_or_rejected_as_queue_full(
    open_reports: OpenReports, tmp_path: Path
) -> None:
    prints = 'for each; do case $each in --print-to-pdf=*) printf %%PDF-1.7 > "${each#*=}";; esac; done'
    script = browser_script(tmp_path, prints + "; sleep 0.02")
    async with open_reports(HTML_PDF_ENGINE="browser", BROWSER_BIN=script) as gateway:
        ana = await gateway.signed_in()
        answers = await asyncio.gather(
            *(gateway.http.post("/api/html-reports/ventas/pdf", json=SINCE, headers=ana) for _ in range(40))
        )
        codes = [
            answer.status_code if answer.status_code == 200 else answer.json()["code"] for answer in answers
        ]
        assert set(codes) == {200, "pdf_queue_full"}
        assert codes.count(200) >= 17


@pytest.mark.asyncio
async def test_one_users_document_waits_for_at_most_one_of_another_user(
    open_reports: OpenReports, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    prints = 'for each; do case $each in --print-to-pdf=*) printf %%PDF-1.7 > "${each#*=}";; esac; done'
    script = browser_script(tmp_path, f"while ! test -e {gate}; do sleep 0.02; done; {prints}")
    ended: list[str] = []

    async def post(name: str, person: dict[str, str]) -> int:
        answer = await gateway.http.post("/api/html-reports/ventas/pdf", json=SINCE, headers=person)
        ended.append(name)
        return answer.status_code

    async with open_reports(HTML_PDF_ENGINE="browser", BROWSER_BIN=script) as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        await gateway.http.put("/api/permissions/luis", json={"paths": [RUN]}, headers=ana)
        jobs = [asyncio.create_task(post("ana", ana)) for _ in range(6)]
        await until_waiting(gateway, 5)
        jobs.append(asyncio.create_task(post("luis", luis)))
        await until_waiting(gateway, 6)
        gate.touch()
        assert await asyncio.gather(*jobs) == [200] * 7
    assert ended[:2] == ["ana", "luis"]


async def until_waiting(gateway: "Gateway", count: int) -> None:
    """Wait until so many documents wait to be printed."""
    async with asyncio.timeout(60):
        while (  # noqa: ASYNC110 - the queue has no event for it
            f"html_pdf_jobs_waiting {count}.0\n"
            not in generate_latest(gateway.components.metrics_registry).decode()
        ):
            await asyncio.sleep(0.01)
