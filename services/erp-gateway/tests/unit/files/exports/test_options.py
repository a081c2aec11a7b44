import pytest

from erp_gateway.files.exports.options import (
    CSV_TYPE,
    XLSX_TYPE,
    ExportFormat,
    ExportOptions,
    read_export_options,
    split_query,
)
from servicekit.errors import InvalidQuery

CSV, XLSX = ExportFormat.CSV, ExportFormat.XLSX


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("", None),
        ("*/*", None),
        ("text/*", None),
        ("application/json", None),
        ("TEXT/CSV", CSV),
        (f"{XLSX_TYPE}, */*", XLSX),
        (f"*/*, {CSV_TYPE}", CSV),
        (f"{CSV_TYPE};q=0.5, {XLSX_TYPE};q=0.9", XLSX),
        (f"{CSV_TYPE}; charset=utf-8; header=present;q=1.0", CSV),
        (f"{CSV_TYPE};q=0.5, */*", None),
        (f"{CSV_TYPE};q=0", None),
        (f"{CSV_TYPE};q=0, {XLSX_TYPE};q=0.1", XLSX),
        (f"application/json, {CSV_TYPE}", None),
        (f"{CSV_TYPE}, application/json", CSV),
        (f";;, {CSV_TYPE}", CSV),
        (f"{CSV_TYPE};header=present;q=0.1, application/json", None),
        (f"{CSV_TYPE};charset=utf-8;q=0", None),
        (f"{CSV_TYPE}; q = 0.2; header=present, {XLSX_TYPE}; Q=0.3", XLSX),
    ],
)
def test_the_accept_header_selects_the_file_format(accept: str, wanted: ExportFormat | None) -> None:
    options = read_export_options(accept, {})
    assert (None if options is None else options.format) is wanted


def test_the_format_parameter_overrides_the_header() -> None:
    assert read_export_options(CSV_TYPE, {"formato": "xlsx"}) == ExportOptions(format=XLSX)
    assert read_export_options(CSV_TYPE, {"separador": ",", "disposicion": "inline"}) == ExportOptions(
        format=CSV, separator=",", inline=True
    )


def test_export_parameters_are_split_from_an_odata_query() -> None:
    raw = b"$top=5&separador=%2C&$filter=a%20eq%20'formato=csv'&formato=csv"
    assert split_query(raw) == (
        {"separador": ",", "formato": "csv"},
        b"$top=5&$filter=a%20eq%20'formato=csv'",
    )
    assert split_query(b"") == ({}, b"")
    with pytest.raises(InvalidQuery) as caught:
        split_query(b"formato=csv&formato=xlsx")
    assert [problem.path for problem in caught.value.errors] == ["formato"]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"formato": "pdf"}, "Valores posibles: csv, xlsx"),
        ({"formato": "csv", "separador": "x"}, "Valores posibles: «;», «,»"),
        ({"formato": "csv", "disposicion": "x"}, "Valores posibles: attachment, inline"),
    ],
)
def test_an_invalid_option_lists_the_allowed_values(values: dict[str, str], told: str) -> None:
    with pytest.raises(InvalidQuery) as refused:
        read_export_options("", values)
    assert [each.message for each in refused.value.errors] == [told]
