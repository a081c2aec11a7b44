"""The table for people."""

from collections.abc import Callable

import pytest

from erpdoctor.checks import Check, fail, ok, skipped, warn
from erpdoctor.report import Report
from erpdoctor.running import run_checks
from erpdoctor.table import ENGLISH, SPANISH, table_lines
from servicekit.clock import ManualClock
from servicekit.last_run import Outcome

BROKEN = fail("broken", "Está roto.", remedy="Arréglelo.")
ODD = warn("odd", "Es raro.", remedy="Mírelo.", page="docs/operations.md#odd")
OFF = skipped("not_configured", "No está configurado.")
NOT_ASKED = skipped("not_asked", "No se pidió.", remedy="Pídalo.")
MakeReport = Callable[..., Report]
MakeCheck = Callable[..., Check]


def test_the_table_lists_faults_and_remedies(make_report: MakeReport) -> None:
    report = make_report(
        net__name=ok("erp.local"),
        net__certificate=BROKEN.found("venció ayer"),
        erp__parallel=ODD.found(extra_s=6.98765, missing=("A", "B"), tags=True, none=()),
        erp__pages=NOT_ASKED.found(),
        people__users=OFF.found(),
    )
    assert list(table_lines(report)) == [
        "",
        "NET",
        "  bien    net.name         Una cosa: erp.local",
        "  falla   net.certificate  Una cosa: venció ayer",
        "          Causa: Está roto. (broken)",
        "          Remedio: Arréglelo.",
        "          Más: docs/doctor.md#x",
        "",
        "ERP",
        "  aviso   erp.parallel     Una cosa: extra_s=6.99, missing=A, B, tags=sí, none=ninguno",
        "          Causa: Es raro. (odd)",
        "          Remedio: Mírelo.",
        "          Más: docs/operations.md#odd",
        "  omitida erp.pages        Una cosa",
        "          Causa: No se pidió. (not_asked)",
        "          Remedio: Pídalo.",
        "",
        "PEOPLE",
        "  omitida people.users     Una cosa",
        "          Causa: No está configurado. (not_configured)",
        "",
        "5 pruebas en 1.2 s: 1 bien, 1 con aviso, 1 con falla, 2 omitidas",
        "",
        "Por corregir, en este orden:",
        "  1. net.certificate  Arréglelo.",
        "",
        "Avisos por revisar:",
        "  2. erp.parallel     Mírelo.",
        "",
        "Sin mirar (no cuenta como bien):",
        "  - erp.pages        Pídalo.",
    ]


@pytest.mark.asyncio
async def test_skipped_checks_are_one_line_per_group_with_their_origin(
    make_check: MakeCheck, clock: ManualClock
) -> None:
    checks = [
        make_check("net.port", BROKEN.found()),
        make_check("net.tls", needs=("net.port",)),
        make_check("erp.login", needs=("net.tls",)),
        make_check("erp.module", OFF.found()),
        make_check("erp.version", needs=("erp.login",)),
        make_check("erp.pages", needs=("erp.login", "erp.module")),
    ]
    results = await run_checks(checks, clock=clock)
    report = Report(
        service="erp-gateway", version="0.0.1", started_at=clock.now(), duration_s=1.25, results=results
    )
    assert list(table_lines(report)) == [
        "",
        "NET",
        "  falla   net.port     Una cosa",
        "          Causa: Está roto. (broken)",
        "          Remedio: Arréglelo.",
        "          Más: docs/doctor.md#x",
        "  omitida 1 prueba más depende de net.port",
        "",
        "ERP",
        "  omitida erp.module   Una cosa",
        "          Causa: No está configurado. (not_configured)",
        "  omitida 2 pruebas más dependen de net.port",
        "  omitida 1 prueba más depende de net.port, erp.module",
        "",
        "6 pruebas en 1.2 s: 0 bien, 0 con aviso, 1 con falla, 5 omitidas",
        "",
        "Por corregir, en este orden:",
        "  1. net.port     Arréglelo.",
    ]


def test_a_failure_that_another_one_explains_points_to_it(make_report: MakeReport) -> None:
    report = make_report(net__tls=BROKEN.found(), db__login=BROKEN.found().suspecting("net.tls"))
    lines = list(table_lines(report))
    assert lines[8:12] == [
        "  falla   db.login  Una cosa",
        "          Causa: Está roto. (broken)",
        "          Quizá por: net.tls, que también falla",
        "          Remedio: Arréglelo.",
    ]
    assert lines[-2:] == [
        "  1. net.tls   Arréglelo.",
        "  2. db.login  Primero net.tls; si después sigue: Arréglelo.",
    ]


def test_observed_text_can_not_start_a_line_or_control_the_terminal(make_report: MakeReport) -> None:
    lines = list(table_lines(make_report(net__name=ok("a\nfalla \x1b[31m"))))
    assert lines[2] == "  bien    net.name  Una cosa: a?falla ?[31m"


def test_the_english_table_uses_names_as_titles_and_omits_links(make_report: MakeReport) -> None:
    broken = fail(
        "broken",
        "Está roto.",
        remedy="Arréglelo.",
        english="It is broken: see [the page](docs/doctor.md#net).",
        english_remedy="Mend it.",
    )
    report = make_report(
        net__name=ok("erp.local"),
        net__certificate=broken.found("10.0.0.5").suspecting("net.name"),
        erp__parallel=ODD.found(tags=False, none=()),
    )
    assert list(table_lines(report, ENGLISH)) == [
        "",
        "NET",
        "  ok      net.name         erp.local",
        "  failed  net.certificate  10.0.0.5",
        "          Cause: It is broken: see the page. (broken)",
        "          Maybe because of net.name, which failed too",
        "          Remedy: Mend it.",
        "          More: docs/doctor.md#x",
        "",
        "ERP",
        "  warning erp.parallel     tags=no, none=none",
        "          Cause: Es raro. (odd)",
        "          Remedy: Mírelo.",
        "          More: docs/operations.md#odd",
        "",
        "3 checks in 1.2 s: 1 ok, 1 with warnings, 1 failed, 0 skipped",
        "",
        "To correct, in this order:",
        "  1. net.certificate  First net.name; if it still fails: Mend it.",
        "",
        "Warnings to look at:",
        "  2. erp.parallel     Mírelo.",
    ]


def test_both_languages_have_words_for_every_outcome() -> None:
    for language in (SPANISH, ENGLISH):
        assert set(language.words) == set(language.numbered) == set(Outcome)
        assert max(map(len, language.words.values())) <= 7, "the column is 8 wide"
