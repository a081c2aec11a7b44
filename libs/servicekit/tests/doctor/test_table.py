"""What people read."""

from collections.abc import Callable

from servicekit.doctor import Report, fail, ok, skipped, table_lines, warn

BROKEN = fail("broken", "Está roto.", mend="Arréglelo.")
ODD = warn("odd", "Es raro.", mend="Mírelo.", page="docs/operations.md#odd")
OFF = skipped("not_configured", "No está configurado.")
MakeReport = Callable[..., Report]


def test_the_table_tells_what_is_wrong_and_what_to_do(make_report: MakeReport) -> None:
    report = make_report(
        net__name=ok("erp.local"),
        net__certificate=BROKEN.found("venció ayer"),
        erp__parallel=ODD.found(extra_s=6.98765, missing=("A", "B"), tags=True, none=()),
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
        "",
        "PEOPLE",
        "  omitida people.users     Una cosa",
        "          Causa: No está configurado. (not_configured)",
        "",
        "4 pruebas en 1.2 s: 1 bien, 1 con aviso, 1 con falla, 1 omitidas",
    ]


def test_what_was_seen_can_not_begin_a_line_or_steer_the_terminal(make_report: MakeReport) -> None:
    lines = list(table_lines(make_report(net__name=ok("a\nfalla \x1b[31m"))))
    assert lines[2] == "  bien    net.name  Una cosa: a?falla ?[31m"
