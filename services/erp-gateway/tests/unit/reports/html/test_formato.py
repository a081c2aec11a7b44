"""`formato` of templates: figures, days and tax numbers as people in Chile write them."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.reports.html import formato

BLANK = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (None, ""),
        (1342379, "1.342.379"),
        (7.5, "7,5"),
        ("1234.567", "1.234,57"),
        (Decimal("-0.001"), "0"),
        (-1500.5, "-1.500,5"),
    ],
)
def test_quantities_have_points_for_thousands_and_a_comma_for_decimals(value: object, written: str) -> None:
    assert formato.cantidad(value) == written


def test_amounts_are_whole_pesos_by_default() -> None:
    assert formato.dinero(Decimal("1342379.5")) == f"${BLANK}1.342.380"
    assert formato.dinero(-1250.5, 2) == f"${BLANK}-1.250,50"
    assert formato.dinero(Decimal("-0.4")) == f"${BLANK}0"
    assert formato.dinero(10, 2, "US$") == f"US${BLANK}10,00"
    assert formato.dinero(None) == ""


@pytest.mark.parametrize("value", [True, date(2025, 1, 4), b"1", [1]])
def test_a_non_number_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="is no number"):
        formato.dinero(value)


@pytest.mark.parametrize("value", ["mucho", "", "NaN", float("inf")])
def test_a_text_that_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="number"):
        formato.cantidad(value)


@pytest.mark.parametrize(
    "value", [date(2025, 1, 4), datetime(2025, 1, 4, 9, 7, tzinfo=UTC), "2025-01-04 00:00:00"]
)
def test_days_of_every_engine_have_one_format(value: object) -> None:
    assert formato.fecha(value) == "04-01-2025"
    assert formato.fecha(None) == ""


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("76543210-3", "76.543.210-3"),
        ("7954508-k", "7.954.508-K"),
        ("76.543.210-3", "76.543.210-3"),
        ("EXTRANJERO", "EXTRANJERO"),
        ("1234", "1234"),
        (None, ""),
    ],
)
def test_tax_numbers_have_points_and_anything_else_stays(value: object, written: str) -> None:
    assert formato.rut(value) == written


def test_a_zero_sum_has_no_shares() -> None:
    assert formato.porcentaje(1, 8) == f"12,5{BLANK}%"
    assert formato.porcentaje(1, 0) == "\N{EN DASH}"
    assert formato.participaciones([0, 0]) == ["\N{EN DASH}", "\N{EN DASH}"]
    assert formato.participaciones([]) == []


@given(st.lists(st.decimals(0, 10**12, places=2), min_size=1, max_size=60))
def test_shares_as_they_are_shown_add_up(values: list[Decimal]) -> None:
    shown = formato.participaciones(values)
    if sum(values):
        tenths = [int(each.removesuffix(f"{BLANK}%").replace(",", "")) for each in shown]
        assert sum(tenths) == 1000
        whole = sum(values, Decimal(0))
        assert all(abs(t - v * 1000 / whole) < 1 for t, v in zip(tenths, values, strict=True))


@given(st.text())
def test_a_text_can_not_end_the_text_of_a_style_sheet(text: str) -> None:
    written = formato.texto_css(text)
    assert not set(written) & set("\"'<>&{};\n/")


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Carta", "letter"),
        (" carta\n", "letter"),
        ("OFICIO", "216mm 330mm"),
        ("Oficio horizontal", "330mm 216mm"),
        ("oficio vertical", "216mm 330mm"),
        ("a4", "A4"),
        ("A4 horizontal", "A4 landscape"),
        ("landscape legal", "legal landscape"),
        ("80MM 200.5mm", "80mm 200.5mm"),
        ("100mm", "100mm"),
    ],
)
def test_paper_is_named_as_people_in_chile_do(name: str, size: str) -> None:
    assert formato.papel(name) == size


@pytest.mark.parametrize(
    "name",
    ["", "A44", "horizontal", "A4 A5", "A4 horizontal vertical", "80mm horizontal", "1mm 2mm 3mm", "80"],
)
def test_an_invalid_paper_size_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no paper size; allowed: Carta, Oficio, A4"):
        formato.papel(name)
